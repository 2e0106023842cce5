// Interoperability: native handles of SYCL objects and of a host task's objects.
#include "runtime/api/command_group.hpp"
#include "runtime/api/interop_handles.hpp"

#include <sycl/detail/opencl_handles.hpp>

#include <algorithm>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

void* found(void* handle, const char* name) {
  if (!handle)
    throw_error(errc::feature_not_supported, std::string("the backend has no ") + name + " for this object");
  return handle;
}

void* of_device(const device_impl& device, backend asked, const handle_name& name) {
  check_backend(device, asked);
  const char* text = handle_text(name, asked);
  return found(device.node().raw().native(text), text);
}

void* of_queue(const device_impl& device, const prism::queue_node& queue, backend asked) {
  check_backend(device, asked);
  const char* text = handle_text(queue_name, asked);
  return found(guarded([&] { return queue.native(text); }), text);
}

/// Adds a reference for the caller, if the backend counts references.
void* given(void* handle, const handle_name& name, backend asked) {
  if (asked == backend::opencl) guarded([&] { interop_of(asked).retain(name.opencl, handle); });
  return handle;
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
    const char* text = handle_text(memory_name, asked);
    return found(p.memory->native(text), text);
  }
  throw_error(errc::invalid,
              "interop_handle::get_native_mem: the accessor is not one of this command group with "
              "target::device");
}

void* native_of(const platform& object, backend asked) {
  return of_device(*access_impl::get(object)->devices().front(), asked, platform_name);
}
void* native_of(const device& object, backend asked) {
  return of_device(*access_impl::get(object), asked, device_name);
}
void* native_of(const context& object, backend asked) {
  return given(of_device(*first_working(*access_impl::get(object)), asked, context_name), context_name,
               asked);
}
void* native_of(const queue& object, backend asked) {
  return given(of_queue(*access_impl::get(object)->device(), access_impl::get(object)->node(), asked),
               queue_name, asked);
}

void* native_of(const kernel& object, backend asked) {
  const auto& impl = access_impl::get(object);
  const auto& device = first_working(*impl->bundle()->context());
  check_backend(*device, asked);
  if (impl->is_native()) return given(impl->native().handle.get(), kernel_handle_name, asked);
  const char* const text = handle_text(kernel_handle_name, asked);
  void* const found_here =
      guarded([&] { return prism::built_kernel_on(device->node(), impl->id().record()).native(text); });
  return given(found(found_here, text), kernel_handle_name, asked);
}

std::vector<void*> native_of(const event& object, backend asked) {
  const auto& impl = access_impl::get(object);
  check_backend(impl->device() ? *impl->device() : *default_device(), asked);
  std::vector<void*> out;
  for (const auto& each : impl->native()) out.push_back(given(each.get(), event_name, asked));
  if (!out.empty()) return out;
  auto* const from = (impl->device() ? impl->device() : default_device())->node().raw().interop();
  if (!from)
    throw_error(errc::feature_not_supported, "get_native: the backend has no native handles for events");
  return guarded([&] {
    out.push_back(from->event_of(impl->command() ? prism::point_of(*impl->command())
                                                 : prism::devices::timeline_point{}));
    return out;
  });
}

std::vector<void*> native_of(const impl_ptr<buffer_impl>& object, backend asked) {
  const char* const text = handle_text(memory_name, asked);
  std::vector<void*> out;
  for (const auto& [device, memory] : prism::allocations_of(*object->node())) {
    if (void* const handle = memory ? memory->native(text) : nullptr)
      out.push_back(given(handle, memory_name, asked));
  }
  return out;
}

std::vector<void*> native_of(const kernel_bundle_impl& object, backend asked) {
  const auto& device = first_working(*object.context());
  check_backend(*device, asked);
  std::vector<void*> out;
  for (const auto& each : object.native()) out.push_back(given(each.get(), program_name, asked));
  for (const auto& image : object.images()) {
    const char* const text = handle_text(kernel_handle_name, asked);
    void* const kernel = guarded(
        [&] { return prism::built_kernel_on(device->node(), image->kernel()->record()).native(text); });
    void* const program =
        guarded([&] { return interop_of(asked).facts_of_kernel(found(kernel, text)).program; });
    out.push_back(given(program, program_name, asked));
  }
  return out;
}

} // namespace detail

namespace opencl {
bool has_extension(const platform& object, const std::string& extension) {
  const std::vector<device> all = object.get_devices();
  return std::all_of(all.begin(), all.end(), [&](const device& d) { return has_extension(d, extension); });
}
bool has_extension(const device& object, const std::string& extension) {
  const auto& impl = detail::access_impl::get(object);
  detail::check_backend(*impl, backend::opencl);
  const auto& all = impl->info().extensions;
  return std::find(all.begin(), all.end(), extension) != all.end();
}
} // namespace opencl

backend interop_handle::get_backend() const noexcept { return m_impl->task().device->where(); }

}
} // namespace sycl::_V1
