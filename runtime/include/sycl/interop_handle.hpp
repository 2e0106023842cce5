// sycl::interop_handle: gives a host task access to native objects (SYCL 2020, "Class interop_handle"). Also
// get_native.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/backend.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/kernel_bundle.hpp>

namespace sycl {
inline namespace _V1 {

class queue;

namespace detail {
class interop_impl;
class handler_impl;
void* interop_native_queue(const interop_impl& impl, backend asked);
void* interop_native_device(const interop_impl& impl, backend asked);
void* interop_native_context(const interop_impl& impl, backend asked);
void* interop_native_memory(const interop_impl& impl, backend asked, std::uint64_t token);

// Native objects outside of host tasks, for the requested backend.
void* native_of(const platform& object, backend asked);
void* native_of(const device& object, backend asked);
void* native_of(const context& object, backend asked);
void* native_of(const queue& object, backend asked);
void* native_of(const kernel& object, backend asked);
std::vector<void*> native_of(const event& object, backend asked);
std::vector<void*> native_of(const impl_ptr<buffer_impl>& object, backend asked);
std::vector<void*> native_of(const kernel_bundle_impl& object, backend asked);

/// Converts a handle, or a list of handles, to the type of the backend's traits.
template <typename Native>
Native as_native(void* handle) {
  return static_cast<Native>(handle);
}
template <typename Native>
Native as_native(const std::vector<void*>& handles) {
  Native out;
  for (void* each : handles) out.push_back(static_cast<typename Native::value_type>(each));
  return out;
}
template <typename SyclObject>
inline constexpr bool is_buffer = false;
template <typename T, int D, typename A>
inline constexpr bool is_buffer<buffer<T, D, A>> = true;
template <typename SyclObject>
inline constexpr bool is_kernel_bundle = false;
template <bundle_state State>
inline constexpr bool is_kernel_bundle<kernel_bundle<State>> = true;
} // namespace detail

class interop_handle {
public:
  interop_handle() = delete;
  backend get_backend() const noexcept;

  // Throw errc::backend_mismatch if the queue's device belongs to another backend.
  template <backend Backend>
  auto get_native_queue() const {
    return static_cast<backend_return_t<Backend, queue>>(detail::interop_native_queue(*m_impl, Backend));
  }
  template <backend Backend>
  auto get_native_device() const {
    return static_cast<backend_return_t<Backend, device>>(detail::interop_native_device(*m_impl, Backend));
  }
  /// Returns the memory object, on the queue's device, of an accessor of this command group with
  /// target::device. It is that of the whole buffer; the accessor's or sub-buffer's offset must be added.
  /// Throws errc::invalid for another accessor.
  template <backend Backend, typename DataT, int D, access_mode M, target T, access::placeholder P>
  auto get_native_mem(const accessor<DataT, D, M, T, P>& data) const {
    return backend_return_t<Backend, buffer<DataT, D == 0 ? 1 : D>>{
        static_cast<typename backend_traits<Backend>::memory>(
            detail::interop_native_memory(*m_impl, Backend, data.prism_token()))};
  }
  template <backend Backend>
  auto get_native_context() const {
    return static_cast<backend_return_t<Backend, context>>(detail::interop_native_context(*m_impl, Backend));
  }

private:
  friend class detail::handler_impl;
  explicit interop_handle(const detail::interop_impl& impl) : m_impl(&impl) {}
  const detail::interop_impl* m_impl;
};

/// Returns the native handle of a platform, device, context, queue or kernel. For an event, a buffer or a
/// kernel bundle it returns a list of handles; for a buffer, those of the memory objects that it has on the
/// backend so far. With OpenCL the caller owns one reference and must release it. Throws
/// errc::backend_mismatch for an object of another backend.
template <backend Backend, typename SyclObject>
backend_return_t<Backend, SyclObject> get_native(const SyclObject& object) {
  using native = backend_return_t<Backend, SyclObject>;
  if constexpr (detail::is_buffer<SyclObject>)
    return detail::as_native<native>(detail::native_of(detail::access_impl::get(object), Backend));
  else if constexpr (detail::is_kernel_bundle<SyclObject>)
    return detail::as_native<native>(detail::native_of(*detail::access_impl::get(object), Backend));
  else return detail::as_native<native>(detail::native_of(object, Backend));
}

}
} // namespace sycl::_V1
