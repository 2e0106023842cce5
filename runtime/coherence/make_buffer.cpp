#include "runtime/coherence/make_buffer.hpp"

#include "runtime/observe/observer.hpp"
#include "runtime/support/environment.hpp"

#include <cstring>

namespace prism::runtime {

memory::shape shape_of(const buffer_options& o) {
  std::uint64_t bytes = o.element_bytes;
  for (std::uint64_t e : o.extent)
    if (__builtin_mul_overflow(bytes, e, &bytes))
      throw error(error_code::invalid, "a buffer of " + std::to_string(o.extent[0]) + " x " +
                                           std::to_string(o.extent[1]) + " x " + std::to_string(o.extent[2]) +
                                           " elements of " + std::to_string(o.element_bytes) +
                                           " bytes is larger than the address space");
  return {o.extent[0], o.extent[1], o.extent[2] * o.element_bytes};
}

std::shared_ptr<buffer_view> make_buffer(device_list& devices, const buffer_options& options) {
  const memory::shape shape = shape_of(options);
  const bool in_place = options.host != nullptr && !options.host_read_only;
  const bool initialised = options.host != nullptr && options.host_is_initial_data;
  auto root =
      std::make_shared<buffer_state>(devices, shape, in_place ? options.host : nullptr,
                                     in_place && initialised, support::is_on(support::variables::adopt));
  root->promoted = options.promoted;
  if (in_place && observe::wants(observe::allocations))
    observe::allocation_changed({observe::allocation_event::kind::buffer_created, root.get(),
                                 reinterpret_cast<std::uint64_t>(options.host), shape.bytes()});
  if (initialised && !in_place && shape.bytes() != 0) {
    std::memcpy(root->allocations.host_pointer(root->allocations.host_view()), options.host, shape.bytes());
    root->contents = memory::make_coherence_map(shape, memory::memory_set(memory::memory_id(0)));
  }
  return std::make_shared<buffer_view>(std::move(root), 0, shape, options.element_bytes, true);
}

} // namespace prism::runtime
