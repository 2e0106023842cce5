// The extensions sycl_ext_oneapi_matrix and sycl_ext_intel_matrix: matrices that the work-items of a
// sub-group hold together, and their products. A kernel that uses them needs aspect::ext_intel_matrix, which
// Vulkan devices with matrix units have. With PRISM_JOINT_MATRIX=emulate every device with sub-groups has it,
// and computes the same values (docs/joint-matrix.md). All work-items of a sub-group must call these
// functions together.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/access_spaces.hpp>
#include <sycl/detail/joint_matrix.hpp>
#include <sycl/detail/matrix_unit.hpp>
#include <sycl/info.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/sub_group.hpp>

#include <utility>
#include <vector>

#define SYCL_EXT_ONEAPI_MATRIX 1
#define SYCL_EXT_INTEL_MATRIX 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {
namespace matrix {

template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout>
struct joint_matrix;

} // namespace matrix
}
}
} // namespace ext::oneapi::experimental

namespace detail {

struct matrix_access { // of the operations below
  template <typename Matrix>
  static auto& part(Matrix& matrix) noexcept {
    return matrix.m_part;
  }
  /// The same matrix where the device has matrix units.
  template <typename Matrix>
  static auto& unit(Matrix& matrix) noexcept {
    return matrix.m_unit;
  }
};

template <typename T, access::address_space Space>
constexpr void check_matrix_memory() noexcept {
  static_assert(Space != access::address_space::private_space,
                "a joint_matrix is loaded from and stored to global or local memory");
}

/// Elements outside of the window become 0.
template <typename T, matrix_use Use, std::size_t Rows, std::size_t Cols, typename From>
inline void load_matrix(matrix_part<T, Use, Rows, Cols>& to, const From* from, std::size_t stride,
                        matrix_layout layout, const matrix_window& window) {
  using element = matrix_element_t<T>;
  to.each([&](element& value, std::size_t row, std::size_t column) {
    const matrix_position at = position_of<element>(layout, row, column);
    value = window.has(at) ? static_cast<element>(from[window.offset(at, stride)]) : element();
  });
}
/// Elements outside of the window are not stored.
template <typename T, matrix_use Use, std::size_t Rows, std::size_t Cols, typename To>
inline void store_matrix(const matrix_part<T, Use, Rows, Cols>& from, To* to, std::size_t stride,
                         matrix_layout layout, const matrix_window& window) {
  using element = matrix_element_t<T>;
  from.each_once([&](const element& value, std::size_t row, std::size_t column) {
    const matrix_position at = position_of<element>(layout, row, column);
    if (window.has(at)) to[window.offset(at, stride)] = value;
  });
}

/// Whether memory of elements of type From is loaded into, or stored from, a matrix of type T.
template <typename T, typename From>
inline constexpr bool is_matrix_memory = std::is_same_v<matrix_element_t<T>, std::remove_const_t<From>>;

} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {
namespace matrix {

template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols,
          layout Layout = layout::dynamic>
struct joint_matrix {
  static_assert(std::is_same_v<Group, sycl::sub_group>, "a joint_matrix belongs to a sycl::sub_group");
  static_assert(sycl::detail::has_matrix_element<T, Use>,
                "elements are 8-bit integers, half, bfloat16, precision::tf32 or double; of an accumulator "
                "int32_t, float, double, half or bfloat16");
  static_assert(sycl::detail::has_matrix_size<Use>(Rows, Cols),
                "a product of matrices has M up to 32, N up to 64 and K up to 64");
  static_assert(Use == use::accumulator ? Layout == layout::dynamic : Layout != layout::dynamic,
                "matrices of use::a and use::b need a layout, and an accumulator has none of its own");
  static_assert(Layout != layout::ext_intel_packed || Use == use::b,
                "only matrices of use::b have layout::ext_intel_packed");

  joint_matrix() { sycl::detail::use_joint_matrix(); }
  joint_matrix(const joint_matrix&) = delete;
  joint_matrix& operator=(const joint_matrix&) = delete;

private:
  friend struct sycl::detail::matrix_access;
  sycl::detail::matrix_part<T, Use, Rows, Cols> m_part;
  sycl::detail::unit_matrix<T, Use, Rows, Cols> m_unit;
};

template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename Value>
inline void joint_matrix_fill(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                              const Value& value) {
  using element = sycl::detail::matrix_element_t<T>;
  const element all = static_cast<element>(value);
  if (__prism_matrix_unit()) return sycl::detail::matrix_access::unit(matrix).fill(all);
  sycl::detail::matrix_access::part(matrix).each(
      [&](element& each, std::size_t, std::size_t) { each = all; });
}

/// `stride`: elements between the starts of two rows, or of two columns if `memory_layout` is col_major.
template <typename Group, typename T, typename From, std::size_t Rows, std::size_t Cols,
          access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, From>, int> = 0>
inline void
joint_matrix_load(Group, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic>& matrix,
                  multi_ptr<From, Space, Decorated> source, std::size_t stride, layout memory_layout) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).load(source.get_raw(), stride, memory_layout);
  sycl::detail::load_matrix(sycl::detail::matrix_access::part(matrix), source.get_raw(), stride,
                            memory_layout, sycl::detail::whole_matrix);
}
template <typename Group, typename T, use Use, typename From, std::size_t Rows, std::size_t Cols,
          layout Layout, access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, From> && Layout != layout::dynamic, int> = 0>
inline void joint_matrix_load(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                              multi_ptr<From, Space, Decorated> source, std::size_t stride) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).load(source.get_raw(), stride, Layout);
  sycl::detail::load_matrix(sycl::detail::matrix_access::part(matrix), source.get_raw(), stride, Layout,
                            sycl::detail::whole_matrix);
}

template <typename Group, typename T, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated Decorated>
inline void
joint_matrix_store(Group, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic>& matrix,
                   multi_ptr<T, Space, Decorated> target, std::size_t stride, layout memory_layout) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).store(target.get_raw(), stride, memory_layout);
  sycl::detail::store_matrix(sycl::detail::matrix_access::part(matrix), target.get_raw(), stride,
                             memory_layout, sycl::detail::whole_matrix);
}

/// result = a * b + c; `result` may be `c`.
template <typename Group, typename Ta, typename Tb, typename Tc, typename Td, std::size_t M, std::size_t K,
          std::size_t N, layout LayoutA, layout LayoutB>
inline void joint_matrix_mad(Group, joint_matrix<Group, Td, use::accumulator, M, N, layout::dynamic>& result,
                             const joint_matrix<Group, Ta, use::a, M, K, LayoutA>& a,
                             const joint_matrix<Group, Tb, use::b, K, N, LayoutB>& b,
                             const joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic>& c) {
  static_assert(sycl::detail::has_matrix_product<Ta, Tb, Tc, Td>(),
                "joint_matrix_mad multiplies 8-bit integers (accumulators of int32_t), half or bfloat16 "
                "(of float or of that type), precision::tf32 (of float) and double (of double)");
  using access = sycl::detail::matrix_access;
  if (__prism_matrix_unit())
    return access::unit(result).multiply(access::unit(a), access::unit(b), access::unit(c));
  sycl::detail::multiply_matrices(access::part(result), access::part(a), access::part(b), access::part(c));
}

template <typename Group, typename From, typename To, use FromUse, use ToUse, std::size_t Rows,
          std::size_t Cols, layout FromLayout, layout ToLayout>
inline void joint_matrix_copy(Group, const joint_matrix<Group, From, FromUse, Rows, Cols, FromLayout>& from,
                              joint_matrix<Group, To, ToUse, Rows, Cols, ToLayout>& to) {
  using access = sycl::detail::matrix_access;
  if (__prism_matrix_unit()) return access::unit(to).copy(access::unit(from));
  sycl::detail::copy_matrix(access::part(from), access::part(to));
}

/// Calls `operation(element)` once for each element of the matrix, in one of the work-items. Of matrices of
/// use::a and use::b a device's matrix units may have copies of an element in several work-items; each of
/// them calls it then.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename Operation>
inline void joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                               Operation&& operation) {
  if (__prism_matrix_unit()) return sycl::detail::matrix_access::unit(matrix).apply(operation);
  auto& part = sycl::detail::matrix_access::part(matrix);
  part.each_once(
      [&](sycl::detail::matrix_element_t<T>& value, std::size_t, std::size_t) { operation(value); });
  part.share();
}
/// The same for the elements at the same place of two matrices of one use and one size.
template <typename Group, typename T0, typename T1, use Use, std::size_t Rows, std::size_t Cols,
          layout Layout, typename Operation>
inline void joint_matrix_apply(Group, joint_matrix<Group, T0, Use, Rows, Cols, Layout>& first,
                               joint_matrix<Group, T1, Use, Rows, Cols, Layout>& second,
                               Operation&& operation) {
  using access = sycl::detail::matrix_access;
  if (__prism_matrix_unit()) return access::unit(first).apply(access::unit(second), operation);
  auto& one = access::part(first);
  auto& other = access::part(second);
  const std::size_t lanes = __prism_sub_group_local_size();
  one.each_once([&](sycl::detail::matrix_element_t<T0>& value, std::size_t row, std::size_t column) {
    if constexpr (Use == use::a) operation(value, other.at(row, column));
    else operation(value, other.in_own_column(column / lanes, row));
  });
  one.share();
  other.share();
}

/// A hint without an effect.
template <std::size_t Rows, std::size_t Cols, typename Group, typename T, typename... Properties>
inline void joint_matrix_prefetch(Group, T*, std::size_t, layout, const Properties&...) {
  static_assert(std::is_same_v<Group, sycl::sub_group>, "a joint_matrix belongs to a sycl::sub_group");
}

inline float round_to_tf32(float value) { return sycl::detail::rounded_tf32(value); }

enum class matrix_type {
  bf16,
  fp16,
  tf32,
  fp32,
  fp64,
  sint8,
  sint16,
  sint32,
  sint64,
  uint8,
  uint16,
  uint32,
  uint64
};
/// Sizes and types of a product that a device has. If the `max_` members are not 0, all sizes from 1 to
/// these; else the others.
struct combination {
  std::size_t max_msize, max_nsize, max_ksize;
  std::size_t msize, nsize, ksize;
  matrix_type atype, btype, ctype, dtype;
};

} // namespace matrix

namespace info {
namespace device {
struct matrix_combinations { // empty if the device has no aspect::ext_intel_matrix
  using return_type = std::vector<matrix::combination>;
};
}
} // namespace info::device

}
}

namespace intel {
namespace experimental {
namespace matrix {

using oneapi::experimental::matrix::joint_matrix;
using oneapi::experimental::matrix::joint_matrix_prefetch;
using oneapi::experimental::matrix::layout;
using oneapi::experimental::matrix::use;

template <typename Group, typename T, use Use, typename To, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, To> && Layout != layout::dynamic, int> = 0>
inline void joint_matrix_store(Group, const joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                               multi_ptr<To, Space, Decorated> target, std::size_t stride) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).store(target.get_raw(), stride, Layout);
  sycl::detail::store_matrix(sycl::detail::matrix_access::part(matrix), target.get_raw(), stride, Layout,
                             sycl::detail::whole_matrix);
}

/// Calls `operation(element, row, column)`, otherwise as joint_matrix_apply of oneapi does.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename Operation>
inline void joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                               Operation&& operation) {
  if (__prism_matrix_unit()) return sycl::detail::matrix_access::unit(matrix).apply_with_places(operation);
  auto& part = sycl::detail::matrix_access::part(matrix);
  part.each_once([&](sycl::detail::matrix_element_t<T>& value, std::size_t row, std::size_t column) {
    operation(value, row, column);
  });
  part.share();
}

// With checks of the bounds: the memory has `height` lines of `width` elements, and the matrix begins in line
// `first_line` at element `first_place`. Lines are rows, columns if the layout is col_major, or rows of
// 32-bit words if it is packed. Elements outside are loaded as 0 and not stored.

/// Elements outside of a matrix of `height` rows and `width` columns become 0.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename Value>
inline void joint_matrix_fill_checked(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                                      const Value& value, std::size_t height, std::size_t width,
                                      std::size_t first_row, std::size_t first_column) {
  using element = sycl::detail::matrix_element_t<T>;
  const element inside = static_cast<element>(value);
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).fill(inside, height, width, first_row, first_column);
  sycl::detail::matrix_access::part(matrix).each([&](element& each, std::size_t row, std::size_t column) {
    each = first_row + row < height && first_column + column < width ? inside : element();
  });
}

template <typename Group, typename T, typename From, std::size_t Rows, std::size_t Cols,
          access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, From>, int> = 0>
inline void joint_matrix_load_checked(
    Group, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic>& matrix,
    multi_ptr<From, Space, Decorated> source, std::size_t stride, layout memory_layout, std::size_t height,
    std::size_t width, std::size_t first_line, std::size_t first_place) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).load(source.get_raw(), stride, memory_layout,
                                                          {height, width, first_line, first_place});
  sycl::detail::load_matrix(sycl::detail::matrix_access::part(matrix), source.get_raw(), stride,
                            memory_layout, {height, width, first_line, first_place});
}
template <typename Group, typename T, use Use, typename From, std::size_t Rows, std::size_t Cols,
          layout Layout, access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, From> && Layout != layout::dynamic, int> = 0>
inline void joint_matrix_load_checked(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                                      multi_ptr<From, Space, Decorated> source, std::size_t stride,
                                      std::size_t height, std::size_t width, std::size_t first_line,
                                      std::size_t first_place) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).load(source.get_raw(), stride, Layout,
                                                          {height, width, first_line, first_place});
  sycl::detail::load_matrix(sycl::detail::matrix_access::part(matrix), source.get_raw(), stride, Layout,
                            {height, width, first_line, first_place});
}

template <typename Group, typename T, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated Decorated>
inline void joint_matrix_store_checked(
    Group, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic>& matrix,
    multi_ptr<T, Space, Decorated> target, std::size_t stride, layout memory_layout, std::size_t height,
    std::size_t width, std::size_t first_line, std::size_t first_place) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).store(target.get_raw(), stride, memory_layout,
                                                           {height, width, first_line, first_place});
  sycl::detail::store_matrix(sycl::detail::matrix_access::part(matrix), target.get_raw(), stride,
                             memory_layout, {height, width, first_line, first_place});
}
template <typename Group, typename T, use Use, typename To, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated Decorated,
          std::enable_if_t<sycl::detail::is_matrix_memory<T, To> && Layout != layout::dynamic, int> = 0>
inline void joint_matrix_store_checked(Group, const joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                                       multi_ptr<To, Space, Decorated> target, std::size_t stride,
                                       std::size_t height, std::size_t width, std::size_t first_line,
                                       std::size_t first_place) {
  sycl::detail::check_matrix_memory<T, Space>();
  if (__prism_matrix_unit())
    return sycl::detail::matrix_access::unit(matrix).store(target.get_raw(), stride, Layout,
                                                           {height, width, first_line, first_place});
  sycl::detail::store_matrix(sycl::detail::matrix_access::part(matrix), target.get_raw(), stride, Layout,
                             {height, width, first_line, first_place});
}

} // namespace matrix
}
}
} // namespace ext::intel::experimental

namespace detail {
template <>
struct device_descriptor<ext::oneapi::experimental::info::device::matrix_combinations> {
  using return_type = std::vector<ext::oneapi::experimental::matrix::combination>;
};
} // namespace detail

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
