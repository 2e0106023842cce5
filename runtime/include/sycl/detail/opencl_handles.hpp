// Interoperability with OpenCL (SYCL 2020, "OpenCL backend"): types of the handles, construction from handles. Needs no
// OpenCL header: the handle types are declared as Khronos' headers declare them. Users include <sycl/backend/opencl.hpp>.
//
// get_native gives handles that PRISM keeps; callers that hold one longer than the SYCL object retain it themselves.
#pragma once

#include <sycl/queue.hpp>

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;

namespace sycl { inline namespace _V1 {

template <>
class backend_traits<backend::opencl> {
  template <typename SyclObject>
  struct handle;

public:
  using memory = _cl_mem*;
  template <typename SyclObject>
  using input_type = typename handle<SyclObject>::type;
  template <typename SyclObject>
  using return_type = typename handle<SyclObject>::type;
};
template <>
struct backend_traits<backend::opencl>::handle<platform> {
  using type = _cl_platform_id*;
};
template <>
struct backend_traits<backend::opencl>::handle<device> {
  using type = _cl_device_id*;
};
template <>
struct backend_traits<backend::opencl>::handle<context> {
  using type = _cl_context*;
};
template <>
struct backend_traits<backend::opencl>::handle<queue> {
  using type = _cl_command_queue*;
};
template <typename T, int Dimensions, typename AllocatorT>
struct backend_traits<backend::opencl>::handle<buffer<T, Dimensions, AllocatorT>> {
  using type = std::vector<_cl_mem*>;
};

namespace detail {
platform platform_of_native(backend from, const void* handle);
device device_of_native(backend from, const void* handle);
} // namespace detail

/// The platform or device that PRISM lists for this handle. Throws errc::invalid when it lists none.
template <backend Backend, typename = std::enable_if_t<Backend == backend::opencl>>
platform make_platform(const backend_input_t<Backend, platform>& handle) {
  return detail::platform_of_native(Backend, handle);
}
template <backend Backend, typename = std::enable_if_t<Backend == backend::opencl>>
device make_device(const backend_input_t<Backend, device>& handle) {
  return detail::device_of_native(Backend, handle);
}

}} // namespace sycl::_V1
