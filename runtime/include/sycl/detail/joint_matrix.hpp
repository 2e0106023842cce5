// How the elements of a joint_matrix are divided among the work-items of a sub-group, and the operations on
// them in plain SYCL, for devices whose own matrix instructions PRISM does not use.
//
// Every work-item has all elements of a matrix of use::a. Of the others it has whole columns: column c
// belongs to work-item c modulo the number of work-items. So a product needs no exchange between work-items,
// and one work-item alone is a valid sub-group. The price is private memory for the whole matrix in each
// work-item, because the size of the sub-group is known only in the kernel. For kernels.
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/sub_group_steps.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>
#include <sycl/math_float.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Before loops over elements: drivers compile each copy of an unrolled loop's body, for seconds.
#if defined(__clang__)
#define PRISM_ONE_ELEMENT _Pragma("clang loop unroll(disable)")
#define PRISM_FEW_ELEMENTS _Pragma("clang loop unroll_count(4)")
#else
#define PRISM_ONE_ELEMENT
#define PRISM_FEW_ELEMENTS
#endif

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {
namespace matrix {

enum class use { a, b, accumulator };
enum class layout { row_major, col_major, dynamic, ext_intel_packed };

namespace precision {
/// The type of matrices whose elements are float, of which a product uses the upper 19 bits.
class tf32 {
  tf32() = delete;
};
} // namespace precision

}
}
}
} // namespace ext::oneapi::experimental::matrix

namespace detail {

using matrix_use = ext::oneapi::experimental::matrix::use;
using matrix_layout = ext::oneapi::experimental::matrix::layout;
using ext::oneapi::bfloat16;
using ext::oneapi::experimental::matrix::precision::tf32;

/// Throws errc::kernel_not_supported unless PRISM_JOINT_MATRIX asks for these operations.
void require_joint_matrix();

/// Makes the aspect a requirement of the calling kernel. Without prism++ no one checks kernels before they
/// run.
inline void use_joint_matrix() {
#if defined(__PRISM_COMPILER__)
  __prism_device_has(static_cast<int>(aspect::ext_intel_matrix));
#else
  require_joint_matrix();
#endif
}

template <typename T>
struct matrix_element {
  using type = T;
};
template <>
struct matrix_element<tf32> {
  using type = float;
};
template <typename T>
using matrix_element_t = typename matrix_element<T>::type;

template <typename T>
inline constexpr bool is_matrix_byte =
    std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char> || std::is_same_v<T, char>;
template <typename T, typename... Others>
inline constexpr bool is_matrix_type_of = (std::is_same_v<T, Others> || ...);

/// Whether a matrix of this use may have elements of type T.
template <typename T, matrix_use Use>
inline constexpr bool has_matrix_element =
    Use == matrix_use::accumulator ? is_matrix_type_of<T, std::int32_t, float, double, half, bfloat16>
                                   : is_matrix_byte<T> || is_matrix_type_of<T, half, bfloat16, tf32, double>;

/// Whether there is a product of these types: `C` is added, and `D` is the result.
template <typename A, typename B, typename C, typename D>
constexpr bool has_matrix_product() noexcept {
  if constexpr (is_matrix_byte<A> && is_matrix_byte<B>)
    return std::is_same_v<C, std::int32_t> && std::is_same_v<D, std::int32_t>;
  else if constexpr (!std::is_same_v<A, B>) return false;
  else if constexpr (is_matrix_type_of<A, half, bfloat16>)
    return is_matrix_type_of<C, float, A> && is_matrix_type_of<D, float, A>;
  else if constexpr (std::is_same_v<A, tf32>) return std::is_same_v<C, float> && std::is_same_v<D, float>;
  else return std::is_same_v<A, double> && std::is_same_v<C, double> && std::is_same_v<D, double>;
}

// The largest sizes of a product of an M x K matrix and a K x N matrix.
inline constexpr std::size_t largest_matrix_m = 32, largest_matrix_n = 64, largest_matrix_k = 64;

template <matrix_use Use>
constexpr bool has_matrix_size(std::size_t rows, std::size_t columns) noexcept {
  return rows > 0 && rows <= (Use == matrix_use::b ? largest_matrix_k : largest_matrix_m) && columns > 0 &&
         columns <= (Use == matrix_use::a ? largest_matrix_k : largest_matrix_n);
}

/// Rows that stand next to each other in the packed layout: as many as fill 32 bits.
template <typename T>
inline constexpr std::size_t packed_rows = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);

struct matrix_position {
  std::size_t line, place; // lines are `stride` elements apart
};
template <typename T>
constexpr matrix_position position_of(matrix_layout layout, std::size_t row, std::size_t column) noexcept {
  constexpr std::size_t packed = packed_rows<T>;
  if (layout == matrix_layout::col_major) return {column, row};
  if (layout == matrix_layout::ext_intel_packed) return {row / packed, column * packed + row % packed};
  return {row, column};
}

/// Elements of a matrix in memory, some of which may be outside of the memory's matrix.
struct matrix_window {
  std::size_t height, width, first_line, first_place;

  constexpr bool has(matrix_position at) const noexcept {
    return first_line + at.line < height && first_place + at.place < width;
  }
  constexpr std::size_t offset(matrix_position at, std::size_t stride) const noexcept {
    return (first_line + at.line) * stride + first_place + at.place;
  }
};
inline constexpr matrix_window whole_matrix{~std::size_t{0}, ~std::size_t{0}, 0, 0};

/// `number`. Vulkan drivers do not see that it is constant, and so do not unroll loops of up to 32
/// iterations.
inline std::size_t iterations(std::size_t number) noexcept {
  return __prism_sub_group_is_vector() ? number + (__prism_sub_group_local_size() >> 16) : number;
}

template <typename T, matrix_use Use, std::size_t Rows, std::size_t Columns>
class matrix_part {
public:
  using element = matrix_element_t<T>;
  static constexpr bool has_all = Use == matrix_use::a;

  /// Calls `body(element, row, column)` for each element that this work-item has. Several work-items may have
  /// one element.
  template <typename Body>
  void each(Body body) {
    visit(*this, body);
  }
  template <typename Body>
  void each(Body body) const {
    visit(*this, body);
  }

  /// Calls `body` once for each element of the whole matrix, in one of the work-items that have it.
  /// `share()` must follow if that changed elements.
  template <typename Body>
  void each_once(Body body) {
    visit_once(*this, body);
  }
  template <typename Body>
  void each_once(Body body) const {
    visit_once(*this, body);
  }

  /// Gives the changes by each_once to the other work-items that have the element. All work-items of the
  /// sub-group call it together.
  void share() {
    if constexpr (has_all) {
      const std::uint32_t lanes = __prism_sub_group_local_size();
      PRISM_ONE_ELEMENT
      for (std::uint32_t i = 0; i < Rows * Columns; ++i) m_values[i] = shuffle(m_values[i], i % lanes);
    }
  }

  /// The element of the work-item's `own` column, counted among its columns.
  element& in_own_column(std::size_t own, std::size_t row) noexcept { return m_values[own * Rows + row]; }
  const element& in_own_column(std::size_t own, std::size_t row) const noexcept {
    return m_values[own * Rows + row];
  }
  /// Only where has_all.
  element& at(std::size_t row, std::size_t column) noexcept { return m_values[row * Columns + column]; }
  const element& at(std::size_t row, std::size_t column) const noexcept {
    return m_values[row * Columns + column];
  }

  /// Returns the element to each work-item. All work-items of the sub-group call it together with the same
  /// arguments.
  element broadcast(std::uint32_t row, std::uint32_t column) const {
    if constexpr (has_all) {
      return at(row, column);
    } else {
      const std::uint32_t lanes = __prism_sub_group_local_size(), owner = column % lanes;
      const bool is_mine = __prism_sub_group_local_id() == owner;
      return shuffle(is_mine ? in_own_column(column / lanes, row) : element(), owner);
    }
  }

private:
  template <typename Self, typename Body>
  static void visit(Self& self, Body& body) {
    if constexpr (has_all) {
      PRISM_ONE_ELEMENT
      for (std::size_t row = 0; row < iterations(Rows); ++row) {
        PRISM_ONE_ELEMENT
        for (std::size_t column = 0; column < iterations(Columns); ++column)
          body(self.at(row, column), row, column);
      }
    } else {
      const std::size_t lanes = __prism_sub_group_local_size();
      std::size_t own = 0;
      PRISM_ONE_ELEMENT
      for (std::size_t column = __prism_sub_group_local_id(); column < Columns; column += lanes, ++own) {
        PRISM_ONE_ELEMENT
        for (std::size_t row = 0; row < iterations(Rows); ++row)
          body(self.in_own_column(own, row), row, column);
      }
    }
  }
  template <typename Self, typename Body>
  static void visit_once(Self& self, Body& body) {
    if constexpr (has_all) {
      const std::size_t lanes = __prism_sub_group_local_size();
      PRISM_ONE_ELEMENT
      for (std::size_t i = __prism_sub_group_local_id(); i < Rows * Columns; i += lanes)
        body(self.m_values[i], i / Columns, i % Columns);
    } else {
      visit(self, body);
    }
  }

  element m_values[Rows * Columns];
};

template <typename To, typename From>
inline To converted_element(const From& value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (is_matrix_type_of<From, half, bfloat16>)
    return static_cast<To>(static_cast<float>(value));
  else return static_cast<To>(value);
}

/// The type in which a product of elements of type T is computed. Products of all but double are exact in it.
template <typename T>
using matrix_sum_t = std::conditional_t<is_matrix_byte<T>, std::uint32_t,
                                        std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// An element as a factor of a product.
template <typename T>
inline matrix_sum_t<T> matrix_factor(const matrix_element_t<T>& value) {
  if constexpr (is_matrix_byte<T>) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  else if constexpr (std::is_same_v<T, tf32>)
    return sycl::bit_cast<float>(sycl::bit_cast<std::uint32_t>(value) & 0xffff'e000u);
  else return static_cast<matrix_sum_t<T>>(value);
}

/// `sum` and the products of a row of a matrix and the factors, as many as `factors` has.
template <typename T, std::size_t K>
inline matrix_sum_t<T> add_row(matrix_sum_t<T> sum, const matrix_element_t<T>* row,
                               const matrix_sum_t<T> (&factors)[K]) {
  if constexpr (std::is_same_v<T, double>) { // devices without the instruction have long code for it
    PRISM_ONE_ELEMENT
    for (std::size_t k = 0; k < iterations(K); ++k) sum = sycl::fma(row[k], factors[k], sum);
  } else { // products are exact, so that only the additions round; bytes: modulo 2^32
    PRISM_FEW_ELEMENTS
    for (std::size_t k = 0; k < iterations(K); ++k) sum += matrix_factor<T>(row[k]) * factors[k];
  }
  return sum;
}

/// d = a * b + c. `d` and `c` may be the same matrix. Sums are in the order of `k`, beginning with c.
template <typename A, typename B, typename C, typename D, std::size_t M, std::size_t K, std::size_t N>
inline void multiply_matrices(matrix_part<D, matrix_use::accumulator, M, N>& d,
                              const matrix_part<A, matrix_use::a, M, K>& a,
                              const matrix_part<B, matrix_use::b, K, N>& b,
                              const matrix_part<C, matrix_use::accumulator, M, N>& c) {
  using sum_type = matrix_sum_t<A>;
  const std::size_t lanes = __prism_sub_group_local_size();
  std::size_t own = 0;
  PRISM_ONE_ELEMENT
  for (std::size_t column = __prism_sub_group_local_id(); column < N; column += lanes, ++own) {
    sum_type factors[K];
    PRISM_ONE_ELEMENT
    for (std::size_t k = 0; k < iterations(K); ++k) factors[k] = matrix_factor<B>(b.in_own_column(own, k));
    PRISM_ONE_ELEMENT
    for (std::size_t row = 0; row < iterations(M); ++row)
      d.in_own_column(own, row) = converted_element<D>(
          add_row<A>(converted_element<sum_type>(c.in_own_column(own, row)), &a.at(row, 0), factors));
  }
}

/// Copies with conversion; the work-items exchange elements if they have others of the two matrices.
template <typename From, matrix_use FromUse, typename To, matrix_use ToUse, std::size_t Rows,
          std::size_t Columns>
inline void copy_matrix(const matrix_part<From, FromUse, Rows, Columns>& from,
                        matrix_part<To, ToUse, Rows, Columns>& to) {
  using element = matrix_element_t<To>;
  if constexpr (ToUse == matrix_use::a && FromUse != matrix_use::a) {
    PRISM_ONE_ELEMENT
    for (std::uint32_t column = 0; column < Columns; ++column) {
      PRISM_ONE_ELEMENT
      for (std::uint32_t row = 0; row < Rows; ++row)
        to.at(row, column) = converted_element<element>(from.broadcast(row, column));
    }
  } else if constexpr (FromUse == matrix_use::a) { // has every element
    to.each([&](element& value, std::size_t row, std::size_t column) {
      value = converted_element<element>(from.at(row, column));
    });
  } else {
    const std::size_t lanes = __prism_sub_group_local_size();
    to.each([&](element& value, std::size_t row, std::size_t column) {
      value = converted_element<element>(from.in_own_column(column / lanes, row));
    });
  }
}

/// `value` rounded to 19 bits, to nearest, halves away from zero, as NVIDIA's conversion does.
inline float rounded_tf32(float value) noexcept {
  const std::uint32_t bits = sycl::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fff'ffffu) > 0x7f80'0000u;
  return sycl::bit_cast<float>(is_nan ? (bits | 0x0040'0000u) & 0xffff'e000u
                                      : (bits + 0x1000u) & 0xffff'e000u);
}

} // namespace detail
}
} // namespace sycl::_V1

#undef PRISM_ONE_ELEMENT
#undef PRISM_FEW_ELEMENTS
