// The extension SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES: functions that return the calling work-item's nd_item,
// group and sub-group, for kernels with an nd_range. this_id and this_item of its earlier version also work
// in kernels over a range; if a program uses these two, all of its kernels over a range run as work-groups on
// the host device.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/nd_item.hpp>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl {
inline namespace _V1 {

namespace detail {
/// Makes kernels over a range run with work-item ids on the host device. Programs that use this_id or
/// this_item call it; the template below depends on their template argument, so that other programs do not
/// call it.
void give_items_of_ranges_ids() noexcept;
template <typename>
struct asks_items_of_ranges {
  inline static const bool reported =
      (give_items_of_ranges_ids(), true); // initialised before main, if it is used
};
template <int Dimensions>
range<Dimensions> this_extent() noexcept {
  if constexpr (Dimensions == 1) return range<1>(__prism_extent(0));
  else if constexpr (Dimensions == 2) return range<2>(__prism_extent(1), __prism_extent(0));
  else return range<3>(__prism_extent(2), __prism_extent(1), __prism_extent(0));
}
} // namespace detail

namespace ext {
namespace oneapi {

using sycl::sub_group;

namespace this_work_item {
template <int Dimensions>
inline nd_item<Dimensions> get_nd_item() {
  return sycl::detail::make_nd_item<Dimensions>();
}
template <int Dimensions>
inline group<Dimensions> get_work_group() {
  return sycl::detail::make_group<Dimensions>();
}
inline sycl::sub_group get_sub_group() { return sycl::detail::make_sub_group(); }
} // namespace this_work_item

namespace experimental {
template <int Dimensions>
[[deprecated("use an nd_range and this_work_item::get_nd_item()")]] inline id<Dimensions> this_id() {
  (void)&sycl::detail::asks_items_of_ranges<id<Dimensions>>::reported;
  return sycl::detail::this_global_id<Dimensions>();
}
template <int Dimensions>
[[deprecated("use an nd_range and this_work_item::get_nd_item()")]] inline item<Dimensions, false>
this_item() {
  (void)&sycl::detail::asks_items_of_ranges<id<Dimensions>>::reported;
  return sycl::detail::make_item<Dimensions, false>(sycl::detail::this_extent<Dimensions>(),
                                                    sycl::detail::this_global_id<Dimensions>());
}
template <int Dimensions>
[[deprecated("use this_work_item::get_nd_item()")]] inline nd_item<Dimensions> this_nd_item() {
  return oneapi::this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions>
[[deprecated("use this_work_item::get_work_group()")]] inline group<Dimensions> this_group() {
  return oneapi::this_work_item::get_work_group<Dimensions>();
}
[[deprecated("use this_work_item::get_sub_group()")]]
inline sycl::sub_group this_sub_group() {
  return oneapi::this_work_item::get_sub_group();
}

namespace this_kernel {
template <int Dimensions>
inline nd_item<Dimensions> get_nd_item() {
  return oneapi::this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions>
inline group<Dimensions> get_work_group() {
  return oneapi::this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group get_sub_group() { return oneapi::this_work_item::get_sub_group(); }
} // namespace this_kernel
} // namespace experimental

}
}
}
} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
