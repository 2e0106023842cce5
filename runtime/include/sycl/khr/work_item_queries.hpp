// The extension sycl_khr_work_item_queries: the calling work-item's nd_item, group and sub-group, in kernels
// launched over an nd_range.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/nd_item.hpp>
#include <sycl/version.hpp>

namespace sycl {
inline namespace _V1 {
namespace khr {

template <int Dimensions>
nd_item<Dimensions> this_nd_item() {
  return sycl::detail::make_nd_item<Dimensions>();
}
template <int Dimensions>
group<Dimensions> this_group() {
  return sycl::detail::make_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() { return sycl::detail::make_sub_group(); }

} // namespace khr
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
