// A joint_matrix as the device's own matrix, in the image for devices with matrix units
// (__prism_matrix_unit). In all other images the functions are never called. For kernels.
//
// An operation that the devices' matrices do not have calls __prism_matrix_missing, and the kernel then has
// no such image: tf32, copies to another use, and joint_matrix_apply of two matrices whose elements do not
// become the same type exactly.
//
// Which element a work-item has is the device's own choice. Where it matters, a matrix is loaded whose rows,
// or columns, are the numbers 0, 1, 2 ...: its elements are then their own places.
#pragma once

#include <sycl/detail/joint_matrix.hpp>

#include <limits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// The number of a type of elements in matrix_kind_of; -1 if devices' matrices do not have it.
template <typename T>
constexpr int matrix_component() noexcept {
  if constexpr (std::is_same_v<T, half>) return 0;
  else if constexpr (std::is_same_v<T, float>) return 1;
  else if constexpr (std::is_same_v<T, double>) return 2;
  else if constexpr (std::is_same_v<T, bfloat16>) return 3;
  else if constexpr (is_matrix_byte<T>) return std::numeric_limits<T>::is_signed ? 4 : 5;
  else if constexpr (std::is_same_v<T, std::int32_t>) return 6;
  else return -1;
}

/// compiler/device_ir/matrix_kind.hpp has the same encoding.
template <typename T, matrix_use Use, std::size_t Rows, std::size_t Columns>
constexpr std::uint32_t matrix_kind_of() noexcept {
  return static_cast<std::uint32_t>(matrix_component<T>()) | static_cast<std::uint32_t>(Rows) << 8 |
         static_cast<std::uint32_t>(Columns) << 16 | static_cast<std::uint32_t>(Use) << 24;
}

/// The unsigned integer with as many bits as the element.
template <typename Element>
using matrix_bits_t = std::conditional_t<
    sizeof(Element) == 1, std::uint8_t,
    std::conditional_t<sizeof(Element) == 2, std::uint16_t,
                       std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::uint64_t>>>;

template <typename Element>
inline std::uint64_t bits_of_element(const Element& value) noexcept {
  return sycl::bit_cast<matrix_bits_t<Element>>(value);
}
template <typename Element>
inline Element element_of_bits(std::uint64_t bits) noexcept {
  return sycl::bit_cast<Element>(static_cast<matrix_bits_t<Element>>(bits));
}

/// The numbers of rows or columns; exact in each type.
template <typename Element>
struct matrix_places {
  static constexpr int count = largest_matrix_k > largest_matrix_n ? largest_matrix_k : largest_matrix_n;
  alignas(16) Element numbers[count];
  constexpr matrix_places() noexcept : numbers{} {
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<Element>(i);
  }
};
template <typename Element>
inline constexpr matrix_places<Element> matrix_places_of{};

template <typename Element>
inline std::size_t place_number(const Element& value) noexcept {
  if constexpr (is_matrix_type_of<Element, half, bfloat16>)
    return static_cast<std::uint32_t>(static_cast<float>(value));
  else return static_cast<std::uint32_t>(value);
}

/// Whether both types become float exactly.
template <typename A, typename B>
inline constexpr bool are_small_floats =
    is_matrix_type_of<A, half, bfloat16, float> && is_matrix_type_of<B, half, bfloat16, float>;

template <typename T, matrix_use Use, std::size_t Rows, std::size_t Columns>
class unit_matrix {
public:
  using element = matrix_element_t<T>;
  static constexpr bool exists = matrix_component<T>() >= 0;
  static constexpr std::uint32_t kind = exists ? matrix_kind_of<T, Use, Rows, Columns>() : 0;

  void fill(const element& value) noexcept {
    if constexpr (exists) m_matrix = __prism_matrix_fill(kind, bits_of_element(value));
    else __prism_matrix_missing();
  }

  /// Elements outside become 0.
  void fill(const element& value, std::size_t height, std::size_t width, std::size_t first_row,
            std::size_t first_column) noexcept {
    if constexpr (exists) {
      fill(element());
      each_place([&](std::uint32_t i, std::size_t row, std::size_t column) {
        set(i, first_row + row < height && first_column + column < width ? value : element());
      });
    } else __prism_matrix_missing();
  }

  void load(const element* from, std::size_t stride, matrix_layout layout) noexcept {
    if constexpr (exists) {
      if (layout == matrix_layout::ext_intel_packed) load(from, stride, layout, whole_matrix);
      else if (is_aligned(from, stride, layout)) load_whole(from, stride, layout);
      else {
        __prism_matrix_misaligned();
        fill(element());
      }
    } else __prism_matrix_missing();
  }
  /// Elements outside of the window become 0. At once if there are none, else one element after the other,
  /// which need not be aligned.
  void load(const element* from, std::size_t stride, matrix_layout layout,
            const matrix_window& window) noexcept {
    if constexpr (exists) {
      const element* const first = from + window.offset({0, 0}, stride);
      if (has_all(window, layout) && is_aligned(first, stride, layout)) load_whole(first, stride, layout);
      else {
        fill(element());
        each_place([&](std::uint32_t i, std::size_t row, std::size_t column) {
          const matrix_position at = position_of<element>(layout, row, column);
          set(i, window.has(at) ? from[window.offset(at, stride)] : element());
        });
      }
    } else __prism_matrix_missing();
  }

  void store(element* to, std::size_t stride, matrix_layout layout) const noexcept {
    if constexpr (exists) {
      if (layout == matrix_layout::ext_intel_packed) store(to, stride, layout, whole_matrix);
      else if (is_aligned(to, stride, layout)) store_whole(to, stride, layout);
      else __prism_matrix_misaligned();
    } else __prism_matrix_missing();
  }
  /// Elements outside of the window are not stored. Work-items that have copies of an element store the same.
  void store(element* to, std::size_t stride, matrix_layout layout,
             const matrix_window& window) const noexcept {
    if constexpr (exists) {
      element* const first = to + window.offset({0, 0}, stride);
      if (has_all(window, layout) && is_aligned(first, stride, layout)) store_whole(first, stride, layout);
      else
        each_place([&](std::uint32_t i, std::size_t row, std::size_t column) {
          const element value = get(i);
          const matrix_position at = position_of<element>(layout, row, column);
          if (window.has(at)) to[window.offset(at, stride)] = value;
        });
    } else __prism_matrix_missing();
  }

  /// *this = a * b + c
  template <typename A, typename B, typename C, std::size_t K>
  void multiply(const unit_matrix<A, matrix_use::a, Rows, K>& a,
                const unit_matrix<B, matrix_use::b, K, Columns>& b,
                const unit_matrix<C, matrix_use::accumulator, Rows, Columns>& c) noexcept {
    using type_a = unit_matrix<A, matrix_use::a, Rows, K>;
    using type_b = unit_matrix<B, matrix_use::b, K, Columns>;
    using type_c = unit_matrix<C, matrix_use::accumulator, Rows, Columns>;
    if constexpr (exists && type_a::exists && type_b::exists && type_c::exists)
      m_matrix = __prism_matrix_mad(kind, type_a::kind, type_b::kind, type_c::kind, a.number(), b.number(),
                                    c.number());
    else __prism_matrix_missing();
  }

  template <typename From, matrix_use FromUse>
  void copy(const unit_matrix<From, FromUse, Rows, Columns>& from) noexcept {
    if constexpr (exists && FromUse == Use && unit_matrix<From, FromUse, Rows, Columns>::exists)
      m_matrix = __prism_matrix_convert(from.number(), unit_matrix<From, FromUse, Rows, Columns>::kind, kind);
    else __prism_matrix_missing();
  }

  /// Calls `operation(element)` for each element, in each work-item that has a copy of it. On devices these
  /// are several only for matrices of use::a and use::b.
  template <typename Operation>
  void apply(Operation& operation) {
    if constexpr (exists) {
      const std::uint32_t length = __prism_matrix_length(kind);
      for (std::uint32_t i = 0; i < length; ++i) {
        element value = get(i);
        operation(value);
        set(i, value);
      }
    } else __prism_matrix_missing();
  }
  /// The same by `operation(element, row, column)`.
  template <typename Operation>
  void apply_with_places(Operation& operation) {
    if constexpr (exists)
      each_place([&](std::uint32_t i, std::size_t row, std::size_t column) {
        element value = get(i);
        operation(value, row, column);
        set(i, value);
      });
    else __prism_matrix_missing();
  }
  /// Matrices of two types may have other elements in a work-item; as floats they have the same.
  template <typename Other, typename Operation>
  void apply(unit_matrix<Other, Use, Rows, Columns>& second, Operation& operation) {
    if constexpr (exists && (std::is_same_v<T, Other> || (is_matrix_byte<T> && is_matrix_byte<Other>))) {
      apply_to_both(*this, second, operation);
    } else if constexpr (are_small_floats<T, Other>) {
      unit_matrix<float, Use, Rows, Columns> one, other;
      one.copy(*this);
      other.copy(second);
      auto in_own_types = [&](float& x, float& y) {
        T value = static_cast<T>(x);
        Other second_value = static_cast<Other>(y);
        operation(value, second_value);
        x = static_cast<float>(value);
        y = static_cast<float>(second_value);
      };
      one.apply(other, in_own_types);
      copy(one);
      second.copy(other);
    } else __prism_matrix_missing();
  }

  std::uint64_t number() const noexcept { return m_matrix; }

  /// The element of this index among those of the work-item.
  element get(std::uint32_t index) const noexcept {
    return element_of_bits<element>(__prism_matrix_element(m_matrix, kind, index));
  }
  void set(std::uint32_t index, const element& value) noexcept {
    m_matrix = __prism_matrix_with_element(m_matrix, kind, index, bits_of_element(value));
  }

private:
  /// Their elements have the same places.
  template <typename Other, typename Operation>
  static void apply_to_both(unit_matrix& first, unit_matrix<Other, Use, Rows, Columns>& second,
                            Operation& operation) {
    const std::uint32_t length = __prism_matrix_length(kind);
    for (std::uint32_t i = 0; i < length; ++i) {
      element value = first.get(i);
      auto other = second.get(i);
      operation(value, other);
      first.set(i, value);
      second.set(i, other);
    }
  }

  /// Calls body(index, row, column) for each element that the work-item has.
  template <typename Body>
  static void each_place(Body body) {
    const element* const numbers = matrix_places_of<element>.numbers;
    const std::uint64_t rows = __prism_matrix_load(kind, numbers, 0, 1); // each column is the numbers
    const std::uint64_t columns = __prism_matrix_load(kind, numbers, 0, 0);
    const std::uint32_t length = __prism_matrix_length(kind);
    const auto place = [](std::uint64_t matrix, std::uint32_t i) {
      return place_number(element_of_bits<element>(__prism_matrix_element(matrix, kind, i)));
    };
    for (std::uint32_t i = 0; i < length; ++i) body(i, place(rows, i), place(columns, i));
  }

  /// Row or column after the other; aligned.
  void load_whole(const element* from, std::size_t stride, matrix_layout layout) noexcept {
    if (layout == matrix_layout::col_major) m_matrix = __prism_matrix_load(kind, from, stride, 1);
    else m_matrix = __prism_matrix_load(kind, from, stride, 0);
  }
  void store_whole(element* to, std::size_t stride, matrix_layout layout) const noexcept {
    if (layout == matrix_layout::col_major) __prism_matrix_store(m_matrix, kind, to, stride, 1);
    else __prism_matrix_store(m_matrix, kind, to, stride, 0);
  }

  /// Whether the matrix has one of the device's own layouts and lies in the window.
  static bool has_all(const matrix_window& window, matrix_layout layout) noexcept {
    return layout != matrix_layout::ext_intel_packed &&
           window.has(position_of<element>(layout, Rows - 1, Columns - 1));
  }
  /// Address and stride are multiples of 16 bytes, or of a row or column if that is less.
  static bool is_aligned(const element* at, std::size_t stride, matrix_layout layout) noexcept {
    const std::uint64_t places = layout == matrix_layout::col_major ? Rows : Columns;
    const std::uint64_t bytes = places * sizeof(element);
    const std::uint64_t power = bytes & (~bytes + 1); // the largest power of two that divides a row
    const std::uint64_t align = power < 16 ? power : 16;
    return ((reinterpret_cast<std::uintptr_t>(at) | stride * sizeof(element)) & (align - 1)) == 0;
  }

  std::uint64_t m_matrix;
};

} // namespace detail
}
} // namespace sycl::_V1
