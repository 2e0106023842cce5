// sycl::device. Devices are opened once and live until the process ends; copies compare equal. Thread-safe.
#pragma once

#include <sycl/detail/same.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <sycl/platform.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
class device_impl;
/// Returns the device with the highest score of `selector`. Throws errc::runtime if all scores are negative.
impl_ptr<device_impl> select_device(const std::function<int(const device&)>& selector);
} // namespace detail

namespace ext {
namespace oneapi {
enum class peer_access { access_supported, atomics_supported };
}
}

class device : public detail::shared_object<detail::device_impl> {
public:
  /// The default device.
  device();
  template <typename Selector, typename = std::enable_if_t<detail::is_selector<Selector>>>
  explicit device(const Selector& selector)
      : shared_object(detail::select_device(detail::ranking_of(selector))) {}

  backend get_backend() const noexcept;
  platform get_platform() const;
  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }
  bool is_host() const { return get_backend() == backend::ext_prism_host; }
  template <typename Param>
  typename detail::device_descriptor<Param>::return_type get_info() const;
  /// The spelling of SYCL 1.2.1, without dimensions.
  template <template <int> class Param,
            std::enable_if_t<std::is_same_v<Param<3>, info::device::max_work_item_sizes<3>>, int> = 0>
  [[deprecated("use info::device::max_work_item_sizes<3>")]] id<3> get_info() const {
    return id<3>(get_info<Param<3>>());
  }
  bool has(aspect what) const;
  [[deprecated("use has() with an aspect")]] bool has_extension(const std::string& extension) const;

  // Creates sub-devices, which use some of this device's compute units and share its memory and contexts. The
  // same partition returns equal devices every time. Throws errc::feature_not_supported for a partition that
  // the device does not support (see info::device::partition_properties), and errc::invalid for more compute
  // units than it has.
  template <info::partition_property Property,
            std::enable_if_t<detail::same<Property, info::partition_property::partition_equally>, int> = 0>
  std::vector<device> create_sub_devices(std::size_t count) const {
    return divide_equally(count);
  }
  template <info::partition_property Property,
            std::enable_if_t<detail::same<Property, info::partition_property::partition_by_counts>, int> = 0>
  std::vector<device> create_sub_devices(const std::vector<std::size_t>& counts) const {
    return divide_by_counts(counts);
  }
  template <info::partition_property Property,
            std::enable_if_t<detail::same<Property, info::partition_property::partition_by_affinity_domain>,
                             int> = 0>
  std::vector<device> create_sub_devices(info::partition_affinity_domain domain) const {
    return divide_by_affinity(domain);
  }

  static std::vector<device> get_devices(info::device_type type = info::device_type::all);

  // sycl_ext_oneapi_device_wait: as the functions of every queue on this device and on its sub-devices, also
  // of queues that were destroyed since.
  void ext_oneapi_wait();
  void ext_oneapi_wait_and_throw();
  void ext_oneapi_throw_asynchronous();

  // sycl_ext_oneapi_device_architecture.
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const;
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category which) const;

  // sycl_ext_oneapi_peer_access: whether this device's kernels may use device USM of `peer`. Only sub-devices
  // of one device may; copies between any devices work without it. Throw as the extension states.
  bool ext_oneapi_can_access_peer(
      const device& peer, ext::oneapi::peer_access what = ext::oneapi::peer_access::access_supported) const;
  void ext_oneapi_enable_peer_access(const device& peer);
  void ext_oneapi_disable_peer_access(const device& peer);

private:
  friend struct detail::access_impl;
  explicit device(detail::impl_ptr<detail::device_impl> impl) : shared_object(std::move(impl)) {}
  std::vector<device> divide_equally(std::size_t count) const;
  std::vector<device> divide_by_counts(const std::vector<std::size_t>& counts) const;
  std::vector<device> divide_by_affinity(info::partition_affinity_domain domain) const;
};

template <typename Selector, typename>
platform::platform(const Selector& selector) : platform(device(selector).get_platform()) {}

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::device> : sycl::detail::hash_by_impl {};
