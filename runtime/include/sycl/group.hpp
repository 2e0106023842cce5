// sycl::group<D> and group_barrier. A group stores its id and sizes by value, so that a stored copy still
// denotes the same group. The optimiser removes the values that a kernel does not use, because the queries
// are pure. The id of the calling work-item within the group is queried when it is needed.
#pragma once

#include <sycl/access_spaces.hpp>
#include <sycl/device_event.hpp>
#include <sycl/id.hpp>
#include <sycl/memory_model.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions = 1>
class group;

namespace detail {

// Work-item queries in SYCL's order of dimensions. Not loops, because the arguments must be constants before
// any optimisation.
#define PRISM_GLOBAL_ID(x) (__prism_group_id(x) * __prism_local_size(x) + __prism_local_id(x))
#define PRISM_QUERY(name, type, query)                                                                       \
  template <int Dimensions>                                                                                  \
  inline type<Dimensions> name() noexcept {                                                                  \
    if constexpr (Dimensions == 1) return type<1>(query(0));                                                 \
    else if constexpr (Dimensions == 2) return type<2>(query(1), query(0));                                  \
    else return type<3>(query(2), query(1), query(0));                                                       \
  }
PRISM_QUERY(this_local_id, id, __prism_local_id)
PRISM_QUERY(this_group_id, id, __prism_group_id)
PRISM_QUERY(this_local_range, range, __prism_local_size)
PRISM_QUERY(this_group_range, range, __prism_group_count)
/// The global id, without the offset.
PRISM_QUERY(this_global_id, id, PRISM_GLOBAL_ID)
#undef PRISM_QUERY
#undef PRISM_GLOBAL_ID

/// The group of the calling work-item.
template <int Dimensions>
group<Dimensions> make_group() noexcept;
/// The group with a given id, for hierarchical kernels.
template <int Dimensions>
group<Dimensions> make_group(const id<Dimensions>& place, const range<Dimensions>& groups,
                             const range<Dimensions>& local) noexcept;

} // namespace detail

template <int Dimensions>
class group : public detail::group_copies {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  group() = delete;

  id<Dimensions> get_group_id() const noexcept { return m_id; }
  std::size_t get_group_id(int dimension) const noexcept { return m_id[dimension]; }
  id<Dimensions> get_local_id() const noexcept { return detail::this_local_id<Dimensions>(); }
  std::size_t get_local_id(int dimension) const noexcept { return get_local_id()[dimension]; }
  range<Dimensions> get_local_range() const noexcept { return m_local; }
  std::size_t get_local_range(int dimension) const noexcept { return m_local[dimension]; }
  range<Dimensions> get_group_range() const noexcept { return m_groups; }
  std::size_t get_group_range(int dimension) const noexcept { return m_groups[dimension]; }
  range<Dimensions> get_max_local_range() const noexcept { return m_local; }

  std::size_t operator[](int dimension) const noexcept { return m_id[dimension]; }

  std::size_t get_group_linear_id() const noexcept { return detail::linear_index(m_id, m_groups); }
  std::size_t get_local_linear_id() const noexcept { return detail::linear_index(get_local_id(), m_local); }
  std::size_t get_group_linear_range() const noexcept { return m_groups.size(); }
  std::size_t get_local_linear_range() const noexcept { return m_local.size(); }

  /// True for exactly one work-item of the group: the one with local id 0.
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  // Members of SYCL 1.2.1. parallel_for_work_item is in hierarchical.hpp.
  template <typename WorkItemFunction>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_item(const WorkItemFunction& function) const;
  template <typename WorkItemFunction>
  [[deprecated("hierarchical kernels are deprecated: use an nd_range and group_barrier")]]
  void parallel_for_work_item(range<Dimensions> logical, const WorkItemFunction& function) const;
  id<Dimensions> get_id() const noexcept { return m_id; }
  std::size_t get_id(int dimension) const noexcept { return m_id[dimension]; }
  std::size_t get_linear_id() const noexcept { return get_group_linear_id(); }
  range<Dimensions> get_global_range() const noexcept { return m_groups * m_local; }
  std::size_t get_global_range(int dimension) const noexcept {
    return m_groups[dimension] * m_local[dimension];
  }
  [[deprecated("use sycl::atomic_fence")]]
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const noexcept {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  friend bool operator==(const group& lhs, const group& rhs) noexcept {
    return lhs.m_id == rhs.m_id && lhs.m_groups == rhs.m_groups && lhs.m_local == rhs.m_local;
  }
  friend bool operator!=(const group& lhs, const group& rhs) noexcept { return !(lhs == rhs); }

private:
  group(const id<Dimensions>& place, const range<Dimensions>& groups, const range<Dimensions>& local) noexcept
      : m_id(place), m_groups(groups), m_local(local) {}

  friend group detail::make_group<Dimensions>() noexcept;
  friend group detail::make_group<Dimensions>(const id<Dimensions>&, const range<Dimensions>&,
                                              const range<Dimensions>&) noexcept;

  id<Dimensions> m_id;
  range<Dimensions> m_groups;
  range<Dimensions> m_local;
};

namespace detail {

template <int Dimensions>
group<Dimensions> make_group() noexcept {
  return group<Dimensions>(this_group_id<Dimensions>(), this_group_range<Dimensions>(),
                           this_local_range<Dimensions>());
}
template <int Dimensions>
group<Dimensions> make_group(const id<Dimensions>& place, const range<Dimensions>& groups,
                             const range<Dimensions>& local) noexcept {
  return group<Dimensions>(place, groups, local);
}

inline constexpr std::uint32_t fence_local = 1;
inline constexpr std::uint32_t fence_global = 2;

/// The bits of __prism_barrier for a deprecated fence space.
constexpr std::uint32_t fence_bits(access::fence_space space) noexcept {
  switch (space) {
    case access::fence_space::local_space: return fence_local;
    case access::fence_space::global_space: return fence_global;
    default: return fence_local | fence_global;
  }
}

} // namespace detail

/// Every work-item of the group must call it, in converged control flow. It is an acquire and a release for
/// global and local memory, with the scope `fence_scope`.
template <int Dimensions>
inline void group_barrier(const group<Dimensions>&,
                          memory_scope fence_scope = group<Dimensions>::fence_scope) {
  // The barrier itself fences for the group; wider scopes need a release before and an acquire after it.
  if (fence_scope > memory_scope::work_group) atomic_fence(memory_order::release, fence_scope);
  __prism_barrier(detail::fence_local | detail::fence_global);
  if (fence_scope > memory_scope::work_group) atomic_fence(memory_order::acquire, fence_scope);
}

}
} // namespace sycl::_V1
