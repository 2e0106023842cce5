// Interoperability with OpenCL (SYCL 2020, "OpenCL backend"): the types of handles, and construction from
// handles. It needs no OpenCL header: it declares the handle types as Khronos' headers do. Programs include
// <sycl/backend/opencl.hpp>.
//
// Objects made from handles retain the handles. The last copy releases them; a context releases its handle
// when the process ends.
#pragma once

#include <sycl/detail/same.hpp>
#include <sycl/queue.hpp>

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_program;
struct _cl_kernel;
struct _cl_event;

namespace sycl {
inline namespace _V1 {

template <>
class backend_traits<backend::opencl> {
  template <typename SyclObject>
  struct handle;

public:
  using memory = _cl_mem*;
  template <typename SyclObject>
  using input_type = typename handle<SyclObject>::input;
  template <typename SyclObject>
  using return_type = typename handle<SyclObject>::output;
};
template <>
struct backend_traits<backend::opencl>::handle<platform> {
  using input = _cl_platform_id*;
  using output = input;
};
template <>
struct backend_traits<backend::opencl>::handle<device> {
  using input = _cl_device_id*;
  using output = input;
};
template <>
struct backend_traits<backend::opencl>::handle<context> {
  using input = _cl_context*;
  using output = input;
};
template <>
struct backend_traits<backend::opencl>::handle<queue> {
  using input = _cl_command_queue*;
  using output = input;
};
template <>
struct backend_traits<backend::opencl>::handle<event> {
  using input = std::vector<_cl_event*>;
  using output = input;
};
template <>
struct backend_traits<backend::opencl>::handle<kernel> {
  using input = _cl_kernel*;
  using output = input;
};
template <bundle_state State>
struct backend_traits<backend::opencl>::handle<kernel_bundle<State>> {
  using input = _cl_program*;
  using output = std::vector<_cl_program*>;
};
template <typename T, int Dimensions, typename AllocatorT>
struct backend_traits<backend::opencl>::handle<buffer<T, Dimensions, AllocatorT>> {
  using input = _cl_mem*;
  using output = std::vector<_cl_mem*>;
};

namespace detail {
platform platform_of_native(backend from, const void* handle);
device device_of_native(backend from, const void* handle);
context context_of_native(backend from, void* handle, async_handler handler);
queue queue_of_native(backend from, void* handle, const context& in, const async_handler& handler);
event event_of_native(backend from, const std::vector<void*>& handles, const context& in);
kernel kernel_of_native(backend from, void* handle, const context& in);
impl_ptr<kernel_bundle_impl> bundle_of_native(backend from, const std::vector<void*>& handles,
                                              const context& in, const std::vector<device>& on,
                                              bundle_state state);
struct native_buffer {
  impl_ptr<buffer_impl> impl;
  std::size_t elements;
};
native_buffer buffer_of_native(backend from, void* handle, const context& in, const event& available,
                               std::size_t element_bytes);

template <backend Backend>
using if_opencl = std::enable_if_t<detail::same<Backend, backend::opencl>>;
} // namespace detail

/// Returns the platform or device that PRISM lists for this handle. Throws errc::invalid if it lists none.
template <backend Backend, typename = detail::if_opencl<Backend>>
platform make_platform(const backend_input_t<Backend, platform>& handle) {
  return detail::platform_of_native(Backend, handle);
}
template <backend Backend, typename = detail::if_opencl<Backend>>
device make_device(const backend_input_t<Backend, device>& handle) {
  return detail::device_of_native(Backend, handle);
}

/// Creates a context whose queues submit to the cl_context. Throws errc::invalid if PRISM lists none of its
/// devices.
template <backend Backend, typename = detail::if_opencl<Backend>>
context make_context(const backend_input_t<Backend, context>& handle, async_handler handler = {}) {
  return detail::context_of_native(Backend, handle, std::move(handler));
}
/// Creates a queue that submits to the cl_command_queue, after the commands that the program enqueued there.
/// It is in-order if the cl_command_queue is. Throws errc::invalid if that belongs to another context.
template <backend Backend, typename = detail::if_opencl<Backend>>
queue make_queue(const backend_input_t<Backend, queue>& handle, const context& in,
                 async_handler handler = {}) {
  return detail::queue_of_native(Backend, handle, in, handler);
}
/// Creates an event that is complete when all of the cl_events are.
template <backend Backend, typename = detail::if_opencl<Backend>>
event make_event(const backend_input_t<Backend, event>& handles, const context& in) {
  return detail::event_of_native(Backend, std::vector<void*>(handles.begin(), handles.end()), in);
}
/// Creates a buffer with the contents of the cl_mem, which are valid when `available` is complete. The
/// buffer's destructor blocks and copies data that was written elsewhere back to the cl_mem. Throws
/// errc::invalid if the cl_mem belongs to another context.
template <backend Backend, typename T, int Dimensions = 1,
          typename AllocatorT = buffer_allocator<std::remove_const_t<T>>,
          typename = detail::if_opencl<Backend>>
buffer<T, Dimensions, AllocatorT>
make_buffer(const backend_input_t<Backend, buffer<T, Dimensions, AllocatorT>>& handle, const context& in,
            event available = {}) {
  static_assert(Dimensions == 1,
                "OpenCL's memory objects have one dimension: make_buffer creates only 1-dimensional buffers");
  detail::native_buffer made = detail::buffer_of_native(Backend, handle, in, available, sizeof(T));
  return detail::access_impl::make<buffer<T, Dimensions, AllocatorT>>(std::move(made.impl),
                                                                      range<1>(made.elements), AllocatorT());
}
/// Creates a kernel for handler::parallel_for and single_task, whose arguments handler::set_args sets.
template <backend Backend, typename = detail::if_opencl<Backend>>
kernel make_kernel(const backend_input_t<Backend, kernel>& handle, const context& in) {
  return detail::kernel_of_native(Backend, handle, in);
}
/// Compiles, links or builds the cl_program if `State` is later than its state. Throws errc::invalid if
/// `State` is earlier, and errc::build if the driver rejects the program.
template <backend Backend, bundle_state State, typename = detail::if_opencl<Backend>>
kernel_bundle<State> make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>>& handle,
                                        const context& in) {
  return detail::access_impl::make<kernel_bundle<State>>(
      detail::bundle_of_native(Backend, {handle}, in, in.get_devices(), State));
}

namespace opencl {
/// Creates a bundle of several executable programs.
kernel_bundle<bundle_state::executable> create_bundle(const context& in, const std::vector<device>& on,
                                                      const std::vector<_cl_program*>& programs);
/// Throws errc::backend_mismatch for objects of another backend.
bool has_extension(const platform& object, const std::string& extension);
bool has_extension(const device& object, const std::string& extension);
} // namespace opencl

}
} // namespace sycl::_V1
