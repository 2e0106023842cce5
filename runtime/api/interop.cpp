// Native handles of the queue's objects for host tasks.
#include "runtime/api/command_group.hpp"

namespace sycl { inline namespace _V1 {

namespace detail {

namespace {

void check_backend(const interop_impl& impl, backend asked) {
  if (impl.queue().device()->where() != asked) {
    throw_error(errc::backend_mismatch, "interop_handle: the queue's device is " + describe(*impl.queue().device()) +
                                            ", which is not of the backend asked for");
  }
}

const char* name_of(backend asked, const char* opencl, const char* vulkan) {
  if (asked == backend::ext_prism_host) throw_error(errc::feature_not_supported, "the host backend has no native handles");
  return asked == backend::opencl ? opencl : vulkan;
}

void* found(void* handle, const char* name) {
  if (!handle) throw_error(errc::feature_not_supported, std::string("the backend gives no native ") + name);
  return handle;
}

} // namespace

void* interop_native_queue(const interop_impl& impl, backend asked) {
  check_backend(impl, asked);
  const char* name = name_of(asked, "cl_command_queue", "VkQueue");
  return found(guarded([&] { return impl.queue().node().native(name); }), name);
}
void* interop_native_device(const interop_impl& impl, backend asked) {
  check_backend(impl, asked);
  const char* name = name_of(asked, "cl_device_id", "VkDevice");
  return found(impl.queue().device()->node().raw().native(name), name);
}
void* interop_native_context(const interop_impl& impl, backend asked) {
  check_backend(impl, asked);
  const char* name = name_of(asked, "cl_context", "VkInstance");
  return found(impl.queue().device()->node().raw().native(name), name);
}

} // namespace detail

backend interop_handle::get_backend() const noexcept { return m_impl->queue().device()->where(); }

}} // namespace sycl::_V1
