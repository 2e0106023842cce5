// sycl::context: devices that share USM and buffers, and the handler for their asynchronous errors.
// Thread-safe.
#pragma once

#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
class context_impl;
}

class context : public detail::shared_object<detail::context_impl>, public detail::property_holder<context> {
public:
  explicit context(const property_list& properties = {});
  explicit context(async_handler handler, const property_list& properties = {});
  explicit context(const device& only, const property_list& properties = {});
  explicit context(const device& only, async_handler handler, const property_list& properties = {});
  explicit context(const platform& all, const property_list& properties = {});
  explicit context(const platform& all, async_handler handler, const property_list& properties = {});
  /// Throws errc::invalid for an empty list and for devices of different platforms.
  explicit context(const std::vector<device>& devices, const property_list& properties = {});
  explicit context(const std::vector<device>& devices, async_handler handler,
                   const property_list& properties = {});

  backend get_backend() const noexcept;
  platform get_platform() const;
  std::vector<device> get_devices() const;
  template <typename Param>
  typename detail::context_descriptor<Param>::return_type get_info() const;
  bool is_host() const { return get_backend() == backend::ext_prism_host; }
  const property_list& prism_properties() const noexcept;

private:
  friend struct detail::access_impl;
  explicit context(detail::impl_ptr<detail::context_impl> impl) : shared_object(std::move(impl)) {}
};

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::context> : sycl::detail::hash_by_impl {};
