// Work without a command (<sycl/detail/direct.hpp>).
#include <sycl/detail/direct.hpp>

#include "runtime/api/impl.hpp"
#include "runtime/engine/direct.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

bool run_directly(const queue& idle, std::uint64_t units,
                  void (*part)(const void*, std::uint64_t, std::uint64_t), const void* owner) {
  const queue_impl& impl = *access_impl::get(idle);
  if (impl.device()->where() != backend::ext_prism_host || impl.is_recording()) return false;
  auto* const runner =
      guarded([&] { return prism::direct_runner_of(impl.device()->node()); }, impl.context());
  if (runner == nullptr) return false;
  runner->run_directly(units, part, owner);
  return true;
}

} // namespace detail
} // namespace _V1
} // namespace sycl
