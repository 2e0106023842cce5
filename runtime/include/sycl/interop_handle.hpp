// sycl::interop_handle: what a host task may ask of the backend (SYCL 2020, "Class interop_handle").
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/backend.hpp>
#include <sycl/device.hpp>

namespace sycl { inline namespace _V1 {

namespace detail {
class interop_impl;
class handler_impl;
void* interop_native_queue(const interop_impl& impl, backend asked);
void* interop_native_device(const interop_impl& impl, backend asked);
void* interop_native_context(const interop_impl& impl, backend asked);
} // namespace detail

class interop_handle {
public:
  interop_handle() = delete;
  backend get_backend() const noexcept;

  // Throw errc::backend_mismatch when the queue's device belongs to another backend.
  template <backend Backend>
  auto get_native_queue() const {
    return static_cast<backend_return_t<Backend, queue>>(detail::interop_native_queue(*m_impl, Backend));
  }
  template <backend Backend>
  auto get_native_device() const {
    return static_cast<backend_return_t<Backend, device>>(detail::interop_native_device(*m_impl, Backend));
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

}} // namespace sycl::_V1
