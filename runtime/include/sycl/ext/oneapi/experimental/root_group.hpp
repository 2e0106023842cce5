// The extension sycl_ext_oneapi_root_group: all work-items of a launch as one group, which a barrier can
// synchronise. PRISM runs work-groups one after the other on some devices, so a kernel that synchronises the
// root group has one work-group on every device; the query max_num_work_group_sync returns 1, and a launch
// with more of them throws errc::nd_range.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_item.hpp>

#define SYCL_EXT_ONEAPI_ROOT_GROUP 1

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

namespace info {
namespace kernel_queue_specific {
struct max_num_work_group_sync {
  using return_type = std::size_t;
};
}
} // namespace info::kernel_queue_specific

enum class execution_scope { work_item, sub_group, work_group, root_group };

namespace this_work_item {
template <int Dimensions>
root_group<Dimensions> get_root_group();
}

template <int Dimensions>
class root_group {
  template <execution_scope Scope>
  static constexpr bool has_dimensions = sycl::detail::same<Scope, execution_scope::work_item> ||
                                         sycl::detail::same<Scope, execution_scope::work_group>;
  template <execution_scope Scope>
  static constexpr bool is_sub_group = sycl::detail::same<Scope, execution_scope::sub_group>;

public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::device;

  // There is one root group, with index 0.
  id<Dimensions> get_group_id() const { return {}; }
  std::size_t get_group_linear_id() const { return 0; }
  range<Dimensions> get_group_range() const {
    range<Dimensions> one = m_group.get_group_range();
    for (int d = 0; d < Dimensions; ++d) one[d] = 1;
    return one;
  }
  std::size_t get_group_linear_range() const { return 1; }

  // The calling work-item's place among all of the launch.
  id<Dimensions> get_local_id() const { return sycl::detail::this_global_id<Dimensions>(); }
  std::size_t get_local_linear_id() const {
    return sycl::detail::linear_index(get_local_id(), get_local_range());
  }
  range<Dimensions> get_local_range() const { return m_group.get_group_range() * m_group.get_local_range(); }
  range<Dimensions> get_max_local_range() const { return get_local_range(); }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // The place of the work-item, its sub-group or its work-group, and their number.
  template <execution_scope Scope, std::enable_if_t<has_dimensions<Scope>, int> = 0>
  id<Dimensions> get_id() const {
    if constexpr (sycl::detail::same<Scope, execution_scope::work_item>) return get_local_id();
    else return m_group.get_group_id();
  }
  template <execution_scope Scope, std::enable_if_t<is_sub_group<Scope>, int> = 0>
  id<1> get_id() const {
    const sub_group own = sycl::detail::make_sub_group();
    return id<1>(m_group.get_group_linear_id() * own.get_group_linear_range() + own.get_group_linear_id());
  }
  template <execution_scope Scope, std::enable_if_t<has_dimensions<Scope>, int> = 0>
  range<Dimensions> get_range() const {
    if constexpr (sycl::detail::same<Scope, execution_scope::work_item>) return get_local_range();
    else return m_group.get_group_range();
  }
  template <execution_scope Scope, std::enable_if_t<is_sub_group<Scope>, int> = 0>
  range<1> get_range() const {
    return range<1>(m_group.get_group_linear_range() *
                    sycl::detail::make_sub_group().get_group_linear_range());
  }
  template <execution_scope Scope>
  std::size_t get_linear_id() const {
    return sycl::detail::linear_index(get_id<Scope>(), get_range<Scope>());
  }
  template <execution_scope Scope>
  std::size_t get_linear_range() const {
    return get_range<Scope>().size();
  }

private:
  friend class nd_item<Dimensions>;
  friend root_group this_work_item::get_root_group<Dimensions>();
  explicit root_group(const group<Dimensions>& own) : m_group(own) {}

  group<Dimensions> m_group;
};

namespace this_work_item {
template <int Dimensions>
root_group<Dimensions> get_root_group() {
  return root_group<Dimensions>(sycl::detail::make_group<Dimensions>());
}
} // namespace this_work_item
namespace this_kernel {
template <int Dimensions>
[[deprecated("use this_work_item::get_root_group()")]] root_group<Dimensions> get_root_group() {
  return this_work_item::get_root_group<Dimensions>();
}
} // namespace this_kernel

}
}
} // namespace ext::oneapi::experimental

namespace detail {
template <>
struct kernel_queue_specific_descriptor<
    ext::oneapi::experimental::info::kernel_queue_specific::max_num_work_group_sync> {
  using return_type = std::size_t;
  static return_type of(const kernel&, const queue&) { return 1; }
};
} // namespace detail

template <int Dimensions>
ext::oneapi::experimental::root_group<Dimensions> nd_item<Dimensions>::ext_oneapi_get_root_group() const {
  return ext::oneapi::experimental::root_group<Dimensions>(m_group);
}

/// Only in kernels that are launched with the property use_root_sync, which have one work-group.
template <int Dimensions>
void group_barrier(const ext::oneapi::experimental::root_group<Dimensions>&,
                   memory_scope fence_scope = memory_scope::device) {
  group_barrier(detail::make_group<Dimensions>(), fence_scope);
}

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
