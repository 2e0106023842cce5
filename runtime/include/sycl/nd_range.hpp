// sycl::nd_range<D>: global range, local range and (deprecated) offset of a launch with work-groups.
// Submission checks whether the local range divides the global one; the constructor does not.
#pragma once

#include <sycl/id.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
/// In each dimension of a local range: the runtime chooses (sycl_ext_oneapi_auto_local_range). A number that
/// no program computes, so that wrong sizes stay errors.
inline constexpr std::size_t automatic_local_size = 0x7072'6973'6d61'7574;
} // namespace detail

template <int Dimensions = 1>
class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  nd_range() noexcept = default; // all 0; not in the standard, but DPC++ has it
  nd_range(range<Dimensions> global_size, range<Dimensions> local_size) noexcept
      : m_global(global_size), m_local(local_size) {}
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  nd_range(range<Dimensions> global_size, range<Dimensions> local_size, id<Dimensions> offset) noexcept
      : m_global(global_size), m_local(local_size), m_offset(offset) {}

  range<Dimensions> get_global_range() const noexcept { return m_global; }
  range<Dimensions> get_local_range() const noexcept { return m_local; }
  range<Dimensions> get_group_range() const noexcept {
    range<Dimensions> groups;
    // Submission rejects a local size of 0; this only avoids a division by zero.
    for (int d = 0; d < Dimensions; ++d) groups[d] = m_local[d] == 0 ? 0 : m_global[d] / m_local[d];
    return groups;
  }
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]]
  id<Dimensions> get_offset() const noexcept {
    return m_offset;
  }

  friend bool operator==(const nd_range& lhs, const nd_range& rhs) noexcept {
    return lhs.m_global == rhs.m_global && lhs.m_local == rhs.m_local && lhs.m_offset == rhs.m_offset;
  }
  friend bool operator!=(const nd_range& lhs, const nd_range& rhs) noexcept { return !(lhs == rhs); }

private:
  range<Dimensions> m_global;
  range<Dimensions> m_local;
  id<Dimensions> m_offset;
};

}
} // namespace sycl::_V1
