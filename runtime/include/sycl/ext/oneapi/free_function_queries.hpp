// Extension SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES: the calling work-item's nd_item, group and sub-group,
// without passing them down. Only inside nd_range kernels; this_id and this_item of its earlier version
// inside kernels over a range, too. On the host device all kernels over a range of a program that has these
// two run as work-groups.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/nd_item.hpp>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl {
inline namespace _V1 {

namespace detail {
/// From now on work-items of ranges have ids on the host device. Told by programs that call this_id or
/// this_item: the template's argument depends on theirs, or every program would.
void give_items_of_ranges_ids() noexcept;
template <typename>
struct asks_items_of_ranges {
  inline static const bool told = (give_items_of_ranges_ids(), true); // before main, where it is named
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
  (void)&sycl::detail::asks_items_of_ranges<id<Dimensions>>::told;
  return sycl::detail::this_global_id<Dimensions>();
}
template <int Dimensions>
[[deprecated("use an nd_range and this_work_item::get_nd_item()")]] inline item<Dimensions, false>
this_item() {
  (void)&sycl::detail::asks_items_of_ranges<id<Dimensions>>::told;
  return sycl::detail::make_item<Dimensions, false>(sycl::detail::this_extent<Dimensions>(),
                                                    sycl::detail::this_global_id<Dimensions>());
}
template <int Dimensions>
[[deprecated("use this_work_item::get_nd_item()")]] inline nd_item<Dimensions> this_nd_item() {
  return this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions>
[[deprecated("use this_work_item::get_work_group()")]] inline group<Dimensions> this_group() {
  return this_work_item::get_work_group<Dimensions>();
}
[[deprecated("use this_work_item::get_sub_group()")]]
inline sycl::sub_group this_sub_group() {
  return this_work_item::get_sub_group();
}

namespace this_kernel {
template <int Dimensions>
inline nd_item<Dimensions> get_nd_item() {
  return this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions>
inline group<Dimensions> get_work_group() {
  return this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group get_sub_group() { return this_work_item::get_sub_group(); }
} // namespace this_kernel
} // namespace experimental

}
}
}
} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
