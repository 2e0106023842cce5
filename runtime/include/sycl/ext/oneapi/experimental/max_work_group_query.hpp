// The extension sycl_ext_oneapi_max_work_group_query: the queries of sycl_khr_max_work_group_queries by the
// names that they had before.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/khr/max_work_group_queries.hpp>

#define SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {
namespace info {
namespace device {
template <int Dimensions>
struct max_work_groups {
  using return_type = id<Dimensions>;
};
struct max_global_work_groups {
  using return_type = std::size_t;
};
}
}
}
}
} // namespace ext::oneapi::experimental::info::device

namespace detail {
template <int Dimensions>
struct device_descriptor<ext::oneapi::experimental::info::device::max_work_groups<Dimensions>> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "an nd_range has 1, 2 or 3 dimensions");
  using return_type = id<Dimensions>;
};
template <>
struct device_descriptor<ext::oneapi::experimental::info::device::max_global_work_groups> {
  using return_type = std::size_t;
};
} // namespace detail
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
