// sycl::sub_group: the calling work-item's sub-group (SYCL 2020, "sub_group class"), its barrier, and the
// member functions of the older extension ext_oneapi_sub_group. An object has no data. nd_item returns it.
#pragma once

#include <sycl/access_spaces.hpp>
#include <sycl/detail/sub_group_steps.hpp>
#include <sycl/id.hpp>
#include <sycl/memory_model.hpp>

namespace sycl {
inline namespace _V1 {

template <typename DataT, int NumElements>
class vec;
class sub_group;

namespace ext {
namespace oneapi {
class sub_group_mask; // in ext/oneapi/sub_group_mask.hpp
}
} // namespace ext::oneapi
namespace detail {
inline sub_group make_sub_group() noexcept;
} // namespace detail

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  using mask_type = ext::oneapi::sub_group_mask;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id_type get_group_id() const noexcept { return __prism_sub_group_id(); }
  id_type get_local_id() const noexcept { return __prism_sub_group_local_id(); }
  range_type get_local_range() const noexcept { return range_type(__prism_sub_group_local_size()); }
  range_type get_group_range() const noexcept { return range_type(__prism_sub_group_count()); }
  range_type get_max_local_range() const noexcept { return range_type(__prism_sub_group_size()); }
  linear_id_type get_group_linear_id() const noexcept { return __prism_sub_group_id(); }
  linear_id_type get_local_linear_id() const noexcept { return __prism_sub_group_local_id(); }
  linear_id_type get_group_linear_range() const noexcept { return __prism_sub_group_count(); }
  linear_id_type get_local_linear_range() const noexcept { return __prism_sub_group_local_size(); }

  /// True for exactly one work-item of the sub-group: the one with local id 0.
  bool leader() const noexcept { return __prism_sub_group_local_id() == 0; }

  friend bool operator==(const sub_group&, const sub_group&) noexcept { return true; }
  friend bool operator!=(const sub_group&, const sub_group&) noexcept { return false; }

  // ---- ext_oneapi_sub_group: shuffles, loads and stores of consecutive elements

  template <typename T>
  T shuffle(T value, id_type lane) const noexcept {
    return detail::shuffle(value, static_cast<std::uint32_t>(lane[0]));
  }
  template <typename T>
  T shuffle_down(T value, std::uint32_t delta) const noexcept {
    return detail::shuffle(value, __prism_sub_group_local_id() + delta);
  }
  template <typename T>
  T shuffle_up(T value, std::uint32_t delta) const noexcept {
    return detail::shuffle(value, __prism_sub_group_local_id() - delta);
  }
  template <typename T>
  T shuffle_xor(T value, id_type mask) const noexcept {
    return detail::shuffle(value, __prism_sub_group_local_id() ^ static_cast<std::uint32_t>(mask[0]));
  }

  /// The work-item's element of the block that starts at `first`.
  template <typename T>
  std::remove_cv_t<T> load(T* first) const noexcept {
    return first[__prism_sub_group_local_id()];
  }
  template <int N, typename T>
  auto load(T* first) const noexcept {
    vec<std::remove_cv_t<T>, N> result;
    for (int i = 0; i < N; ++i) result[i] = first[place(i)];
    return result;
  }
  template <typename T>
  void store(T* first, const std::remove_cv_t<T>& value) const noexcept {
    first[__prism_sub_group_local_id()] = value;
  }
  template <typename T, int N>
  void store(T* first, const vec<T, N>& values) const noexcept {
    for (int i = 0; i < N; ++i) first[place(i)] = values[i];
  }
  template <int N, typename T>
  void store(T* first, const vec<std::remove_cv_t<T>, N>& values) const noexcept {
    for (int i = 0; i < N; ++i) first[place(i)] = values[i];
  }
  template <typename T, access::address_space Space, access::decorated D>
  std::remove_cv_t<T> load(multi_ptr<T, Space, D> first) const noexcept {
    return load(first.get_raw());
  }
  template <int N, typename T, access::address_space Space, access::decorated D>
  auto load(multi_ptr<T, Space, D> first) const noexcept {
    return this->template load<N>(first.get_raw());
  }
  template <typename T, access::address_space Space, access::decorated D, typename Value>
  void store(multi_ptr<T, Space, D> first, const Value& value) const noexcept {
    store(first.get_raw(), value);
  }

  template <int N, typename T, access::address_space Space, access::decorated D>
  void store(multi_ptr<T, Space, D> first, const vec<std::remove_cv_t<T>, N>& values) const noexcept {
    this->template store<N>(first.get_raw(), values);
  }

  void barrier(access::fence_space = access::fence_space::global_and_local) const noexcept {
    __prism_sub_group_barrier(3u);
  }

private:
  friend sub_group detail::make_sub_group() noexcept;
  explicit constexpr sub_group(int) noexcept {}

  /// Element i of the vector of the calling work-item: blocks follow one another.
  static std::size_t place(int i) noexcept {
    return static_cast<std::size_t>(i) * __prism_sub_group_local_size() + __prism_sub_group_local_id();
  }
};

namespace detail {
inline sub_group make_sub_group() noexcept { return sub_group(0); }
} // namespace detail

/// Every work-item of the sub-group must call it together. Acquire and release for global and local memory.
inline void group_barrier(const sub_group&, memory_scope fence_scope = sub_group::fence_scope) {
  if (fence_scope > memory_scope::sub_group) atomic_fence(memory_order::release, fence_scope);
  __prism_sub_group_barrier(3u);
  if (fence_scope > memory_scope::sub_group) atomic_fence(memory_order::acquire, fence_scope);
}

}
} // namespace sycl::_V1
