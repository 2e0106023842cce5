// Operands of a test: bytes on the host in any layout that prism/provider.h can describe, and their values as
// a dense matrix of long double. Bytes between the elements are noise that a provider must not change.
#pragma once

#include "kernels/provider/operation.hpp"

#include <complex>
#include <cstddef>
#include <random>
#include <vector>

namespace provider_test {

using number = std::complex<long double>;
using engine = std::mt19937_64;

/// rows x columns, row by row.
struct dense {
  std::int64_t rows = 0, columns = 1;
  std::vector<number> values;
  dense() = default;
  dense(std::int64_t r, std::int64_t c) : rows(r), columns(c), values(std::size_t(r * c)) {}
  number& operator()(std::int64_t i, std::int64_t j) { return values[std::size_t(i * columns + j)]; }
  const number& operator()(std::int64_t i, std::int64_t j) const {
    return values[std::size_t(i * columns + j)];
  }
};

/// Of the types of provider.h.
inline bool is_complex_type(std::int32_t type) { return (type & 0xff) == 3; }

enum class layout { rows, columns, padded_rows, padded_columns, strided };

struct operand {
  prism_provider_operand description{};
  prism::provider::operand_kind kind{};
  std::int64_t first = 0; // of the first element, in elements from the start of `bytes`
  std::vector<std::byte> bytes;

  bool is_complex() const { return is_complex_type(description.type); }
  /// The offset of a stored element, in elements from the start; -1 if the storage lacks the element.
  std::int64_t place(std::int64_t i, std::int64_t j, std::int64_t batch, int uplo) const;
  number get(std::int64_t place) const; // without conjugation
  void set(std::int64_t place, number value);
  /// The matrix as stored, with zeros for elements that are not stored, before conjugation and transposition.
  dense stored(std::int64_t batch, int uplo) const;
  /// The matrix as the operation uses it: `completion` fills the other triangle.
  enum class completion { none, symmetric, hermitian, triangular, unit_triangular };
  dense used(std::int64_t batch, int uplo, completion how) const;
};

struct operand_wish {
  prism::provider::operand_kind kind{};
  std::int32_t type = PRISM_F32;
  std::int64_t rows = 0, columns = 1; // as stored
  layout how = layout::columns;
  std::int32_t storage = PRISM_STORED_FULL;
  std::uint32_t flags = 0;
  std::int64_t lower = 0, upper = 0, vector_stride = 1;
  std::int64_t batch = -1; // -1: none
};
/// An operand with values in [-1, 1], or small integers for integer types.
operand make_operand(const operand_wish& wish, engine& random);

/// Half the distance between 1 and the next number of the type.
long double unit_roundoff(std::int32_t type);

} // namespace provider_test
