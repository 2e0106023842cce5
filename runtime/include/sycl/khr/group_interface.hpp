// The extension sycl_khr_group_interface: work_group, sub_group and member_item with one interface. They hold
// and convert to the classes of SYCL 2020. The functions for C++23 exist where the standard library has
// <mdspan>.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/group.hpp>
#include <sycl/memory_model.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/version.hpp>

#include <cstdint>
#include <type_traits>
#if defined(__has_include) && __cplusplus > 202002L
#if __has_include(<mdspan>)
#include <mdspan>
#endif
#endif

namespace sycl {
inline namespace _V1 {
namespace khr {

#if defined(__cpp_lib_mdspan)
/// The functions that all groups have in C++23. `extents()` is each group's own.
#define PRISM_GROUP_EXTENTS(...)                                                                             \
  using extents_type = __VA_ARGS__;                                                                          \
  constexpr typename extents_type::index_type extent(typename extents_type::rank_type dimension)             \
      const noexcept {                                                                                       \
    return extents().extent(dimension);                                                                      \
  }                                                                                                          \
  static constexpr typename extents_type::rank_type rank() noexcept { return extents_type::rank(); }         \
  static constexpr typename extents_type::rank_type rank_dynamic() noexcept {                                \
    return extents_type::rank_dynamic();                                                                     \
  }                                                                                                          \
  static constexpr std::size_t static_extent(typename extents_type::rank_type dimension) noexcept {          \
    return extents_type::static_extent(dimension);                                                           \
  }
#endif

template <int Dimensions = 1>
class work_group {
public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<Dimensions>& of) noexcept : m_group(of) {}
  operator group<Dimensions>() const noexcept { return m_group; }

  id_type id() const noexcept { return m_group.get_group_id(); }
  linear_id_type linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range_type range() const noexcept { return m_group.get_group_range(); }
  size_type size() const noexcept { return m_group.get_local_range().size(); }

#if defined(__cpp_lib_mdspan)
  PRISM_GROUP_EXTENTS(std::dextents<std::size_t, std::size_t(Dimensions)>)
  extents_type extents() const noexcept {
    const auto local = m_group.get_local_range();
    if constexpr (Dimensions == 1) return extents_type(local[0]);
    else if constexpr (Dimensions == 2) return extents_type(local[0], local[1]);
    else return extents_type(local[0], local[1], local[2]);
  }
#endif

  friend bool operator==(const work_group& a, const work_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const work_group& a, const work_group& b) noexcept { return !(a == b); }

private:
  group<Dimensions> m_group;
};
template <int Dimensions>
work_group(group<Dimensions>) -> work_group<Dimensions>;

class sub_group {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group& of) noexcept : m_group(of) {}
  operator sycl::sub_group() const noexcept { return m_group; }

  id_type id() const noexcept { return m_group.get_group_id(); }
  linear_id_type linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range_type range() const noexcept { return m_group.get_group_range(); }
  size_type size() const noexcept { return m_group.get_local_linear_range(); }
  size_type max_size() const noexcept { return size_type(m_group.get_max_local_range()[0]); }

#if defined(__cpp_lib_mdspan)
  PRISM_GROUP_EXTENTS(std::dextents<std::uint32_t, 1>)
  extents_type extents() const noexcept { return extents_type(size()); }
#endif

  friend bool operator==(const sub_group& a, const sub_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const sub_group& a, const sub_group& b) noexcept { return !(a == b); }

private:
  sycl::sub_group m_group;
};

template <typename ParentGroup>
class member_item;
template <typename Group>
member_item<Group> get_member_item(const Group& in) noexcept;

template <typename ParentGroup>
class member_item {
public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  id_type id() const noexcept { return m_id; }
  linear_id_type linear_id() const noexcept {
    linear_id_type linear = 0;
    for (int d = 0; d < dimensions; ++d)
      linear = linear * linear_id_type(m_range[d]) + linear_id_type(m_id[d]);
    return linear;
  }
  range_type range() const noexcept { return m_range; }
  constexpr size_type size() const noexcept { return 1; }

#if defined(__cpp_lib_mdspan)
  PRISM_GROUP_EXTENTS(
      std::conditional_t<ParentGroup::dimensions == 1, std::extents<typename ParentGroup::size_type, 1>,
                         std::conditional_t<ParentGroup::dimensions == 2,
                                            std::extents<typename ParentGroup::size_type, 1, 1>,
                                            std::extents<typename ParentGroup::size_type, 1, 1, 1>>>)
  constexpr extents_type extents() const noexcept { return {}; }
#endif

  friend bool operator==(const member_item& a, const member_item& b) noexcept {
    return a.m_id == b.m_id && a.m_range == b.m_range;
  }
  friend bool operator!=(const member_item& a, const member_item& b) noexcept { return !(a == b); }

private:
  friend member_item get_member_item<ParentGroup>(const ParentGroup&) noexcept;
  member_item(id_type id, range_type range) noexcept : m_id(id), m_range(range) {}

  id_type m_id;
  range_type m_range;
};

namespace detail {
template <typename Group>
inline constexpr bool is_group = std::is_same_v<Group, sub_group>;
template <int Dimensions>
inline constexpr bool is_group<work_group<Dimensions>> = true;
template <typename Group>
inline constexpr bool is_member_item = false;
template <typename Group>
inline constexpr bool is_member_item<member_item<Group>> = true;

template <int Dimensions>
group<Dimensions> as_standard(const work_group<Dimensions>& in) noexcept {
  return in;
}
inline sycl::sub_group as_standard(const sub_group& in) noexcept { return in; }
} // namespace detail

template <typename Group>
member_item<Group> get_member_item(const Group& in) noexcept {
  static_assert(detail::is_group<Group>, "get_member_item takes a khr::work_group or a khr::sub_group");
  const auto group = detail::as_standard(in);
  return member_item<Group>(group.get_local_id(), group.get_local_range());
}

template <typename Group>
bool leader_of(const Group& in) noexcept {
  static_assert(detail::is_group<Group> || detail::is_member_item<Group>,
                "leader_of takes a khr::work_group, khr::sub_group or khr::member_item");
  if constexpr (detail::is_group<Group>) return detail::as_standard(in).leader();
  else return true;
}

#undef PRISM_GROUP_EXTENTS

} // namespace khr
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
