// A joint_matrix as the device's own matrix, in the image for devices with matrix units
// (__prism_matrix_unit). In all other images the functions are never called. For kernels.
//
// An operation that the devices' matrices do not have calls __prism_matrix_missing, and the kernel then has
// no such image: bfloat16 and tf32, the packed layout, checked accesses, copies to another use, and
// joint_matrix_apply where work-items may hold copies of one element.
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
  else if constexpr (is_matrix_byte<T>) return std::numeric_limits<T>::is_signed ? 3 : 4;
  else if constexpr (std::is_same_v<T, std::int32_t>) return 5;
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

  void load(const element* from, std::size_t stride, matrix_layout layout) noexcept {
    if constexpr (exists) {
      if (layout == matrix_layout::ext_intel_packed) __prism_matrix_missing();
      else if (!is_aligned(from, stride, layout)) {
        __prism_matrix_misaligned();
        fill(element());
      } else if (layout == matrix_layout::col_major) m_matrix = __prism_matrix_load(kind, from, stride, 1);
      else m_matrix = __prism_matrix_load(kind, from, stride, 0);
    } else __prism_matrix_missing();
  }
  void store(element* to, std::size_t stride, matrix_layout layout) const noexcept {
    if constexpr (exists) {
      if (layout == matrix_layout::ext_intel_packed) __prism_matrix_missing();
      else if (!is_aligned(to, stride, layout)) __prism_matrix_misaligned();
      else if (layout == matrix_layout::col_major) __prism_matrix_store(m_matrix, kind, to, stride, 1);
      else __prism_matrix_store(m_matrix, kind, to, stride, 0);
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

  /// Calls `operation(element)` for each element. The elements of other uses than the accumulator may be in
  /// several work-items.
  template <typename Operation>
  void apply(Operation& operation) {
    if constexpr (exists && Use == matrix_use::accumulator) {
      const std::uint32_t length = __prism_matrix_length(kind);
      for (std::uint32_t i = 0; i < length; ++i) {
        element value = element_of_bits<element>(__prism_matrix_element(m_matrix, kind, i));
        operation(value);
        m_matrix = __prism_matrix_with_element(m_matrix, kind, i, bits_of_element(value));
      }
    } else __prism_matrix_missing();
  }
  /// Matrices of two types may have other elements in a work-item.
  template <typename Other, typename Operation>
  void apply(unit_matrix<Other, Use, Rows, Columns>& second, Operation& operation) {
    if constexpr (exists && Use == matrix_use::accumulator && std::is_same_v<T, Other>) {
      const std::uint32_t length = __prism_matrix_length(kind);
      for (std::uint32_t i = 0; i < length; ++i) {
        element value = element_of_bits<element>(__prism_matrix_element(m_matrix, kind, i));
        element other = element_of_bits<element>(__prism_matrix_element(second.m_matrix, kind, i));
        operation(value, other);
        m_matrix = __prism_matrix_with_element(m_matrix, kind, i, bits_of_element(value));
        second.m_matrix = __prism_matrix_with_element(second.m_matrix, kind, i, bits_of_element(other));
      }
    } else __prism_matrix_missing();
  }

  std::uint64_t number() const noexcept { return m_matrix; }

private:
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
