// The matrices of __prism_matrix_* (sycl/detail/kernel_abi.hpp): a type as one number.
#pragma once

#include <cstdint>
#include <optional>

namespace prism::compiler {

/// Of the functions on matrices that a sub-group holds.
inline constexpr const char* matrix_call = "__prism_matrix_";
inline constexpr const char* matrix_missing = "__prism_matrix_missing";
inline constexpr const char* matrix_misaligned = "__prism_matrix_misaligned";

struct matrix_kind {
  enum component_type : std::uint8_t { float16, float32, float64, bfloat16, sint8, uint8, sint32 };
  enum use_type : std::uint8_t { a, b, accumulator };
  component_type component = float32;
  std::uint8_t rows = 0, columns = 0;
  use_type use = a;

  /// component | rows << 8 | columns << 16 | use << 24
  static constexpr std::optional<matrix_kind> of(std::uint64_t number) {
    matrix_kind kind{static_cast<component_type>(number & 255), static_cast<std::uint8_t>(number >> 8),
                     static_cast<std::uint8_t>(number >> 16), static_cast<use_type>(number >> 24 & 255)};
    if (number >> 32 != 0 || kind.component > sint32 || kind.use > accumulator || kind.rows == 0 ||
        kind.columns == 0)
      return std::nullopt;
    return kind;
  }
  constexpr unsigned bits() const {
    return component == float64                            ? 64
           : component == float16 || component == bfloat16 ? 16
           : is_byte()                                     ? 8
                                                           : 32;
  }
  constexpr bool is_byte() const { return component == sint8 || component == uint8; }
  constexpr bool is_float() const { return component <= bfloat16; }
  constexpr bool is_signed() const { return component == sint8 || component == sint32; }
  constexpr bool operator==(const matrix_kind& other) const {
    return component == other.component && rows == other.rows && columns == other.columns && use == other.use;
  }
  constexpr bool operator!=(const matrix_kind& other) const { return !(*this == other); }
};

} // namespace prism::compiler
