// Native handles: of a host task's objects, of SYCL objects, and back.
#include "runtime/api/command_group.hpp"

#include <sycl/detail/opencl_handles.hpp>

namespace sycl { inline namespace _V1 {

namespace detail {

namespace {

struct handle_name {
  const char* opencl;
  const char* vulkan;
};
constexpr handle_name platform_name{"cl_platform_id", "VkInstance"}, device_name{"cl_device_id", "VkDevice"},
    context_name{"cl_context", "VkDevice"}, queue_name{"cl_command_queue", "VkQueue"}, memory_name{"cl_mem", "VkBuffer"};

void check_backend(const device_impl& device, backend asked) {
  if (device.where() != asked) {
    throw_error(errc::backend_mismatch, "interoperability: " + describe(device) + " is not of the backend asked for; "
                                        "compare get_backend() first");
  }
}

const char* text_of(const handle_name& name, backend asked) {
  if (asked == backend::ext_prism_host) throw_error(errc::feature_not_supported, "the host backend has no native handles");
  return asked == backend::opencl ? name.opencl : name.vulkan;
}

void* found(void* handle, const char* name) {
  if (!handle) throw_error(errc::feature_not_supported, std::string("the backend gives no ") + name + " for this object");
  return handle;
}

void* of_device(const device_impl& device, backend asked, const handle_name& name) {
  check_backend(device, asked);
  const char* text = text_of(name, asked);
  return found(device.node().raw().native(text), text);
}

void* of_queue(const device_impl& device, const prism::queue_node& queue, backend asked) {
  check_backend(device, asked);
  const char* text = text_of(queue_name, asked);
  return found(guarded([&] { return queue.native(text); }), text);
}

} // namespace

void* interop_native_queue(const interop_impl& impl, backend asked) {
  return of_queue(*impl.task().device, *impl.task().queue, asked);
}
void* interop_native_device(const interop_impl& impl, backend asked) {
  return of_device(*impl.task().device, asked, device_name);
}
void* interop_native_context(const interop_impl& impl, backend asked) {
  return of_device(*impl.task().device, asked, context_name);
}
void* interop_native_memory(const interop_impl& impl, backend asked, std::uint64_t token) {
  check_backend(*impl.task().device, asked);
  for (const host_task_state::pointer& p : impl.task().pointers) {
    if (p.token != token || !p.memory) continue;
    const char* text = text_of(memory_name, asked);
    return found(p.memory->native(text), text);
  }
  throw_error(errc::invalid, "interop_handle::get_native_mem: the accessor is not one of this command group with "
                             "target::device");
}

void* native_of(const platform& object, backend asked) {
  return of_device(*access_impl::get(object)->devices().front(), asked, platform_name);
}
void* native_of(const device& object, backend asked) { return of_device(*access_impl::get(object), asked, device_name); }
void* native_of(const context& object, backend asked) {
  return of_device(*access_impl::get(object)->devices().front(), asked, context_name);
}
void* native_of(const queue& object, backend asked) {
  return of_queue(*access_impl::get(object)->device(), access_impl::get(object)->node(), asked);
}

device device_of_native(backend from, const void* handle) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() == from && device->node().raw().native(text_of(device_name, from)) == handle) {
        return access_impl::make<sycl::device>(device);
      }
    }
  }
  throw_error(errc::invalid, "make_device: the handle belongs to no device that PRISM lists (PRISM_DEVICE_SELECTOR may "
                             "hide it)");
}
platform platform_of_native(backend from, const void* handle) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() == from && device->node().raw().native(text_of(platform_name, from)) == handle) {
        return access_impl::make<sycl::platform>(platform);
      }
    }
  }
  throw_error(errc::invalid, "make_platform: the handle belongs to no platform that PRISM lists (PRISM_DEVICE_SELECTOR "
                             "may hide it)");
}

} // namespace detail

backend interop_handle::get_backend() const noexcept { return m_impl->task().device->where(); }

}} // namespace sycl::_V1
