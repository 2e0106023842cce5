// Unified shared memory: allocation, queries. The context's address marks its allocations.
#include "runtime/api/impl.hpp"
#include "runtime/api/reference.hpp"

#include <prism/graph.hpp>

namespace sycl {
inline namespace _V1 {

namespace {

prism::devices::memory_kind engine_kind(usm::alloc kind) {
  switch (kind) {
    case usm::alloc::host: return prism::devices::memory_kind::host;
    case usm::alloc::device: return prism::devices::memory_kind::device;
    case usm::alloc::shared: return prism::devices::memory_kind::shared;
    case usm::alloc::unknown: break;
  }
  detail::throw_error(errc::invalid,
                      "USM: usm::alloc::unknown cannot be allocated; name host, device or shared");
}

void check_aspect(const detail::device_impl& device, usm::alloc kind) {
  const struct {
    usm::alloc kind;
    aspect needed;
    const char* name;
  } rows[] = {{usm::alloc::host, aspect::usm_host_allocations, "usm_host_allocations"},
              {usm::alloc::device, aspect::usm_device_allocations, "usm_device_allocations"},
              {usm::alloc::shared, aspect::usm_shared_allocations, "usm_shared_allocations"}};
  for (const auto& row : rows) {
    if (row.kind == kind && !device.has(row.needed)) {
      detail::throw_error(errc::feature_not_supported, "USM: " + detail::describe(device) +
                                                           " has no aspect::" + row.name +
                                                           "; use buffers, or another device");
    }
  }
}

void* allocate(std::size_t alignment, std::size_t bytes, const std::shared_ptr<detail::device_impl>& on,
               const std::shared_ptr<detail::context_impl>& in, usm::alloc kind,
               const property_list& properties) {
  const bool promoted = properties.has_property<prism::property::promote_private>();
  const auto memory_kind = engine_kind(kind);
  in->require(on, "USM");
  check_aspect(*on, kind);
  if (alignment == 0) alignment = alignof(std::max_align_t);
  if ((alignment & (alignment - 1)) != 0 || alignment > 4096)
    return nullptr; // the standard requires null for unsupported alignments
  return detail::guarded([&] {
    return prism::usm_allocate(in->working(on)->node(), bytes ? bytes : 1, alignment, memory_kind, in.get(),
                               promoted);
  }, in);
}

} // namespace

void* aligned_alloc(std::size_t alignment, std::size_t bytes, const device& on, const context& in,
                    usm::alloc kind, const property_list& properties) {
  return allocate(alignment, bytes, detail::access_impl::get(on), detail::access_impl::get(in), kind,
                  properties);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes, const queue& on, usm::alloc kind,
                    const property_list& properties) {
  const auto& impl = detail::access_impl::get(on);
  return allocate(alignment, bytes, impl->device(), impl->context(), kind, properties);
}
void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context& in,
                         const property_list& properties) {
  const auto& impl = detail::access_impl::get(in);
  return allocate(alignment, bytes, impl->devices().front(), impl, usm::alloc::host, properties);
}

void free(void* pointer, const context& in) {
  if (!pointer) return;
  const auto& impl = detail::access_impl::get(in);
  if (detail::verifies()) detail::wait_for_verification(pointer);
  detail::guarded([&] { prism::usm_free(pointer, impl.get()); }, impl);
}
void free(void* pointer, const queue& on) { sycl::free(pointer, on.get_context()); }

usm::alloc get_pointer_type(const void* pointer, const context& in) {
  const auto found = prism::usm_find(pointer);
  if (!found || found->context != detail::access_impl::get(in).get()) return usm::alloc::unknown;
  switch (found->kind) {
    case prism::devices::memory_kind::host: return usm::alloc::host;
    case prism::devices::memory_kind::device: return usm::alloc::device;
    case prism::devices::memory_kind::shared: return usm::alloc::shared;
    default: return usm::alloc::unknown;
  }
}

device get_pointer_device(const void* pointer, const context& in) {
  const auto found = prism::usm_find(pointer);
  const auto& impl = detail::access_impl::get(in);
  if (!found || found->context != impl.get()) {
    detail::throw_error(errc::invalid,
                        "get_pointer_device: the pointer is not a USM allocation of the context");
  }
  if (found->kind != prism::devices::memory_kind::host) {
    for (const auto& device : impl->devices()) {
      if (&impl->working(device)->node() == found->device)
        return detail::access_impl::make<sycl::device>(device);
      for (const auto& sub_device : device->sub_devices()) {
        if (&sub_device->node() == found->device) return detail::access_impl::make<sycl::device>(sub_device);
      }
    }
  }
  return detail::access_impl::make<device>(impl->devices().front());
}

}
} // namespace sycl::_V1
