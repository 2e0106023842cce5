// The extension sycl_khr_max_work_group_queries: how many work-groups an nd_range may have. Backends divide
// launches that are larger than their drivers allow, so the limits are those of PRISM's own counts.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>
#include <sycl/version.hpp>

namespace sycl {
inline namespace _V1 {
namespace khr {
namespace info {
namespace device {
template <int Dimensions = 3>
struct max_work_group_range {
  using return_type = range<Dimensions>;
};
struct max_work_group_range_size {
  using return_type = std::size_t;
};
} // namespace device
} // namespace info
} // namespace khr

namespace detail {
template <int Dimensions>
struct device_descriptor<khr::info::device::max_work_group_range<Dimensions>> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "an nd_range has 1, 2 or 3 dimensions");
  using return_type = range<Dimensions>;
};
template <>
struct device_descriptor<khr::info::device::max_work_group_range_size> {
  using return_type = std::size_t;
};
} // namespace detail
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
