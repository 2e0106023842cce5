// <prism/native_memory.hpp>: memory objects of OpenCL and Vulkan over USM, in both directions.
#include "runtime/api/impl.hpp"
#include "runtime/api/interop_handles.hpp"
#include "runtime/engine/usm.hpp"

#include <prism/native_memory.hpp>

namespace prism {

using sycl::detail::access_impl;
using sycl::detail::guarded;
using sycl::detail::throw_error;

native_memory native_memory_of(const void* usm, const sycl::queue& on) {
  const auto& queue = access_impl::get(on);
  const auto found = usm_find(usm);
  if (!found || found->context != queue->context().get())
    throw_error(sycl::errc::invalid, "native_memory_of: no USM allocation of the queue's context is there");
  const auto place = std::uint64_t(static_cast<const std::byte*>(usm) - static_cast<std::byte*>(found->base));
  if (void* const object = usm_native(found->base, "cl_mem")) return {object, place};
  if (void* const buffer = usm_native(found->base, "VkBuffer"))
    return {buffer, place + reinterpret_cast<std::uintptr_t>(usm_native(found->base, "VkBuffer offset"))};
  throw_error(sycl::errc::feature_not_supported, "native_memory_of: USM of " + describe(*queue->device()) +
                                                     " has no memory object of OpenCL or Vulkan");
}

void* usm_of_native_memory(void* object, const sycl::queue& on) {
  const auto& queue = access_impl::get(on);
  const auto& where = queue->context();
  const auto working = where->working(queue->device());
  sycl::detail::check_backend(*working, sycl::backend::opencl);
  if (object == nullptr) throw_error(sycl::errc::invalid, "usm_of_native_memory: the memory object is null");
  void* const address = guarded([&] { return working->node().raw().interop()->made_over(object); }, where);
  const auto found = address == nullptr ? std::nullopt : usm_find(address);
  return found && found->context == where.get() ? address : nullptr;
}

void* usm_of_native_memory(const native_memory& what, const sycl::queue& on) {
  const auto& where = access_impl::get(on)->context();
  if (on.get_backend() == sycl::backend::ext_prism_vulkan) {
    if (what.object == nullptr)
      throw_error(sycl::errc::invalid, "usm_of_native_memory: the VkBuffer is null");
    return usm_of_vulkan_buffer(what.object, what.offset, where.get());
  }
  auto* const base = static_cast<std::byte*>(usm_of_native_memory(what.object, on));
  const auto found = base == nullptr ? std::nullopt : usm_find(base);
  const bool is_inside = found && base + what.offset < static_cast<std::byte*>(found->base) + found->bytes;
  return is_inside ? base + what.offset : nullptr;
}

} // namespace prism
