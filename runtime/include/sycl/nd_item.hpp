// sycl::nd_item<D>: the calling work-item of a launch with work-groups. It stores its ids by value (see
// group.hpp).
#pragma once

#include <sycl/group.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/sub_group.hpp>

// The deprecated offset causes warnings in programs, not in this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

template <int Dimensions = 1>
class nd_item;

namespace ext {
namespace oneapi {
namespace experimental {
template <int Dimensions>
class root_group; // <sycl/ext/oneapi/experimental/root_group.hpp>
}
}
} // namespace ext::oneapi::experimental

namespace detail {
/// The calling work-item; `offset` is the deprecated offset of the nd_range.
template <int Dimensions>
nd_item<Dimensions> make_nd_item(const id<Dimensions>& offset = {}) noexcept;
} // namespace detail

template <int Dimensions>
class nd_item : public detail::group_copies {
public:
  static constexpr int dimensions = Dimensions;

  nd_item() = delete;

  /// Returns the global id, including the offset.
  id<Dimensions> get_global_id() const noexcept {
    return m_group.get_group_id() * id<Dimensions>(m_group.get_local_range()) + m_local_id + m_offset;
  }
  std::size_t get_global_id(int dimension) const noexcept {
    return m_group.get_group_id(dimension) * m_group.get_local_range(dimension) + m_local_id[dimension] +
           m_offset[dimension];
  }
  /// Returns the row-major index in the global range, without the offset.
  std::size_t get_global_linear_id() const noexcept {
    return detail::linear_index(get_global_id() - m_offset, get_global_range());
  }
  id<Dimensions> get_local_id() const noexcept { return m_local_id; }
  std::size_t get_local_id(int dimension) const noexcept { return m_local_id[dimension]; }
  std::size_t get_local_linear_id() const noexcept {
    return detail::linear_index(m_local_id, m_group.get_local_range());
  }

  group<Dimensions> get_group() const noexcept { return m_group; }
  sub_group get_sub_group() const noexcept { return detail::make_sub_group(); }
  ext::oneapi::experimental::root_group<Dimensions> ext_oneapi_get_root_group() const;
  std::size_t get_group(int dimension) const noexcept { return m_group.get_group_id(dimension); }
  std::size_t get_group_linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range<Dimensions> get_group_range() const noexcept { return m_group.get_group_range(); }
  std::size_t get_group_range(int dimension) const noexcept { return m_group.get_group_range(dimension); }

  range<Dimensions> get_global_range() const noexcept {
    return m_group.get_group_range() * m_group.get_local_range();
  }
  std::size_t get_global_range(int dimension) const noexcept {
    return m_group.get_group_range(dimension) * m_group.get_local_range(dimension);
  }
  range<Dimensions> get_local_range() const noexcept { return m_group.get_local_range(); }
  std::size_t get_local_range(int dimension) const noexcept { return m_group.get_local_range(dimension); }
  nd_range<Dimensions> get_nd_range() const noexcept {
    return nd_range<Dimensions>(get_global_range(), get_local_range(), m_offset);
  }

  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  id<Dimensions> get_offset() const noexcept {
    return m_offset;
  }
  [[deprecated("use sycl::group_barrier")]]
  void barrier(access::fence_space space = access::fence_space::global_and_local) const noexcept {
    __prism_barrier(detail::fence_bits(space));
  }
  [[deprecated("use sycl::atomic_fence")]]
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const noexcept {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  friend bool operator==(const nd_item& lhs, const nd_item& rhs) noexcept {
    return lhs.m_group == rhs.m_group && lhs.m_local_id == rhs.m_local_id && lhs.m_offset == rhs.m_offset;
  }
  friend bool operator!=(const nd_item& lhs, const nd_item& rhs) noexcept { return !(lhs == rhs); }

private:
  nd_item(const group<Dimensions>& own, const id<Dimensions>& local, const id<Dimensions>& offset) noexcept
      : m_group(own), m_local_id(local), m_offset(offset) {}

  friend nd_item detail::make_nd_item<Dimensions>(const id<Dimensions>&) noexcept;

  group<Dimensions> m_group;
  id<Dimensions> m_local_id;
  id<Dimensions> m_offset;
};

namespace detail {

template <int Dimensions>
nd_item<Dimensions> make_nd_item(const id<Dimensions>& offset) noexcept {
  return nd_item<Dimensions>(make_group<Dimensions>(), this_local_id<Dimensions>(), offset);
}

} // namespace detail

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop
