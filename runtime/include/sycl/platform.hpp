// sycl::platform: the devices of one driver. The list of platforms is fixed for the process. Thread-safe.
#pragma once

#include <sycl/backend.hpp>
#include <sycl/detail/common.hpp>
#include <sycl/detail/selector.hpp>
#include <sycl/exception.hpp>
#include <sycl/info.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
class platform_impl;
struct access_impl;
} // namespace detail

class platform : public detail::shared_object<detail::platform_impl> {
public:
  /// The platform of the default device. Throws errc::runtime if there is no device.
  platform();
  template <typename Selector, typename = std::enable_if_t<detail::is_selector<Selector>>>
  explicit platform(const Selector& selector);

  backend get_backend() const noexcept;
  std::vector<device> get_devices(info::device_type type = info::device_type::all) const;
  template <typename Param>
  typename detail::platform_descriptor<Param>::return_type get_info() const;
  /// Whether all devices have the aspect; false for a platform without devices.
  bool has(aspect what) const;
  [[deprecated("use has() with an aspect")]] bool has_extension(const std::string& extension) const;
  bool is_host() const { return get_backend() == backend::ext_prism_host; }
  /// Returns the context of queues that are constructed without one.
  context khr_get_default_context() const;
  context ext_oneapi_get_default_context() const;
  context ext_prism_get_default_context() const;

  static std::vector<platform> get_platforms();

private:
  friend struct detail::access_impl;
  explicit platform(detail::impl_ptr<detail::platform_impl> impl) : shared_object(std::move(impl)) {}
};

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::platform> : sycl::detail::hash_by_impl {};
