// Extension SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES: the calling work-item's nd_item, group and sub-group, without passing
// them down. Only inside nd_range kernels. With the names of its earlier version.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/nd_item.hpp>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl { inline namespace _V1 { namespace ext { namespace oneapi {

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
inline nd_item<Dimensions> this_nd_item() {
  return this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions>
inline group<Dimensions> this_group() {
  return this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() { return this_work_item::get_sub_group(); }

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

}}}} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
