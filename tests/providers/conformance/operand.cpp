#include "tests/providers/conformance/operand.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace provider_test {
namespace {

using prism::provider::bytes_of_type;
using prism::provider::own_rank;

template <typename T>
T load(const std::byte* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
template <typename T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Half and bfloat16 by their bits: the sign, the digits of the exponent, and those of the fraction.
long double value_of(std::uint16_t bits, int exponent_digits) {
  const int fraction_digits = 15 - exponent_digits, bias = (1 << (exponent_digits - 1)) - 1;
  const int exponent = bits >> fraction_digits & ((1 << exponent_digits) - 1);
  const long double fraction =
      std::ldexp(static_cast<long double>(bits & ((1 << fraction_digits) - 1)), -fraction_digits);
  if (exponent == (1 << exponent_digits) - 1)
    return fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                         : std::copysign(std::numeric_limits<long double>::infinity(), bits >> 15 ? -1 : 1);
  const long double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return bits >> 15 ? -size : size;
}
/// Towards zero; the tests' numbers are no more exact than that. NaN stays NaN.
std::uint16_t bits_of(long double value, int exponent_digits) {
  const int fraction_digits = 15 - exponent_digits, bias = (1 << (exponent_digits - 1)) - 1;
  const auto all = std::uint16_t(((1 << exponent_digits) - 1) << fraction_digits);
  if (std::isnan(value)) return std::uint16_t(all | 1);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const long double size = std::frexp(std::fabs(value), &exponent); // 0.5 to 1
  if (exponent - 1 < 1 - bias) return sign;
  return std::uint16_t(sign | (exponent - 1 + bias) << fraction_digits |
                       int(std::ldexp(size * 2 - 1, fraction_digits)));
}
constexpr int of_half = 5, of_bfloat16 = 8;

/// Distances between the elements of a matrix.
std::pair<std::int64_t, std::int64_t> strides_of(const operand_wish& w) {
  const auto one = [](std::int64_t n) { return n > 0 ? n : 1; };
  switch (w.how) {
    case layout::rows: return {one(w.columns), 1};
    case layout::columns: return {1, one(w.rows)};
    case layout::padded_rows: return {w.columns + 5, 1};
    case layout::padded_columns: return {1, w.rows + 3};
    case layout::strided: return {2, 2 * w.rows + 3};
  }
  return {1, 1};
}

} // namespace

std::int64_t operand::place(std::int64_t i, std::int64_t j, std::int64_t batch, int uplo) const {
  const auto& d = description;
  const int rank = own_rank(kind);
  const std::int64_t base = first + (d.rank > rank ? batch * d.stride[rank] : 0);
  const bool triangle = kind == prism::provider::operand_kind::triangle;
  if (triangle && (uplo == PRISM_UPLO_UPPER ? i > j : i < j)) return -1;
  if (d.storage == PRISM_STORED_BANDED)
    return i - j > d.lower || j - i > d.upper ? -1 : base + (d.upper + i - j) * d.stride[0] + j * d.stride[1];
  if (d.storage == PRISM_STORED_PACKED) // columns of the triangle
    return base + (uplo == PRISM_UPLO_UPPER ? j * (j + 1) / 2 + i : j * d.extent[0] - j * (j + 1) / 2 + i);
  return base + i * d.stride[0] + (rank == 2 ? j * d.stride[1] : 0);
}

number operand::get(std::int64_t at) const {
  const std::byte* const p = bytes.data() + at * std::int64_t(bytes_of_type(description.type));
  switch (description.type) {
    case PRISM_F32: return load<float>(p);
    case PRISM_F64: return load<double>(p);
    case PRISM_C32: return {load<float>(p), load<float>(p + 4)};
    case PRISM_C64: return {load<double>(p), load<double>(p + 8)};
    case PRISM_F16: return value_of(load<std::uint16_t>(p), of_half);
    case PRISM_BF16: return value_of(load<std::uint16_t>(p), of_bfloat16);
    case PRISM_S8: return load<std::int8_t>(p);
    case PRISM_S32: return load<std::int32_t>(p);
    default: return static_cast<long double>(load<std::int64_t>(p)); // PRISM_S64
  }
}

void operand::set(std::int64_t at, number value) {
  std::byte* const p = bytes.data() + at * std::int64_t(bytes_of_type(description.type));
  switch (description.type) {
    case PRISM_F32: return store(p, float(value.real()));
    case PRISM_F64: return store(p, double(value.real()));
    case PRISM_C32: return store(p, float(value.real())), store(p + 4, float(value.imag()));
    case PRISM_C64: return store(p, double(value.real())), store(p + 8, double(value.imag()));
    case PRISM_F16: return store(p, bits_of(value.real(), of_half));
    case PRISM_BF16: return store(p, bits_of(value.real(), of_bfloat16));
    case PRISM_S8: return store(p, std::int8_t(value.real()));
    case PRISM_S32: return store(p, std::int32_t(value.real()));
    default: return store(p, std::int64_t(value.real()));
  }
}

dense operand::stored(std::int64_t batch, int uplo) const {
  dense out(description.extent[0], own_rank(kind) == 2 ? description.extent[1] : 1);
  for (std::int64_t i = 0; i < out.rows; ++i)
    for (std::int64_t j = 0; j < out.columns; ++j)
      if (const std::int64_t at = place(i, j, batch, uplo); at >= 0) out(i, j) = get(at);
  return out;
}

dense operand::used(std::int64_t batch, int uplo, completion how) const {
  const bool upper = uplo == PRISM_UPLO_UPPER;
  dense out = stored(batch, uplo);
  for (std::int64_t i = 0; how != completion::none && i < out.rows; ++i) {
    if (how == completion::unit_triangular) out(i, i) = 1;
    if (how == completion::hermitian) out(i, i) = out(i, i).real();
    for (std::int64_t j = 0;
         j < out.columns && (how == completion::symmetric || how == completion::hermitian); ++j)
      if (i != j && (upper ? i > j : i < j))
        out(i, j) = how == completion::hermitian ? std::conj(out(j, i)) : out(j, i);
  }
  if ((description.flags & PRISM_TRANSPOSED) != 0) {
    dense turned(out.columns, out.rows);
    for (std::int64_t i = 0; i < out.rows; ++i)
      for (std::int64_t j = 0; j < out.columns; ++j) turned(j, i) = out(i, j);
    out = std::move(turned);
  }
  if ((description.flags & PRISM_CONJUGATED) != 0)
    for (number& each : out.values) each = std::conj(each);
  return out;
}

operand make_operand(const operand_wish& w, engine& random) {
  operand out;
  out.kind = w.kind;
  auto& d = out.description;
  const int rank = own_rank(w.kind);
  const std::int64_t batches = w.batch < 0 ? 1 : w.batch;
  d.type = w.type, d.rank = rank + (w.batch >= 0), d.storage = w.storage, d.flags = w.flags,
  d.lower = w.lower, d.upper = w.upper;
  d.extent[0] = w.rows;
  std::int64_t low = 0, span = 0; // of one batch element
  if (rank == 1) {
    d.stride[0] = w.vector_stride;
    span = w.rows ? (w.rows - 1) * std::abs(w.vector_stride) + 1 : 0;
    low = w.vector_stride < 0 && w.rows ? (w.rows - 1) * -w.vector_stride : 0;
  } else {
    d.extent[1] = w.columns;
    const auto [between_rows, between_columns] = strides_of(w);
    if (w.storage == PRISM_STORED_FULL) d.stride[0] = between_rows, d.stride[1] = between_columns;
    else d.stride[0] = 1, d.stride[1] = w.storage == PRISM_STORED_BANDED ? w.lower + w.upper + 3 : 1;
    span = w.storage == PRISM_STORED_PACKED   ? w.rows * (w.rows + 1) / 2
           : w.storage == PRISM_STORED_BANDED ? w.columns * d.stride[1]
           : w.rows && w.columns              ? (w.rows - 1) * d.stride[0] + (w.columns - 1) * d.stride[1] + 1
                                              : 0;
  }
  if (w.batch >= 0) d.extent[rank] = w.batch, d.stride[rank] = span + 7;
  constexpr std::int64_t margin = 4;
  out.first = margin + low;
  out.bytes.resize(std::size_t((2 * margin + batches * (span + 7)) * std::int64_t(bytes_of_type(w.type))));
  std::uint64_t eight = 0; // bytes from one call, which were a quarter of the kit's time
  for (std::size_t i = 0; i < out.bytes.size(); ++i, eight >>= 8) {
    if (i % 8 == 0) eight = random();
    out.bytes[i] = std::byte(eight % 256 % 120); // small numbers of any type, no NaN
  }
  const double scale = w.type == PRISM_S8 ? 127.99 : w.type == PRISM_S32 ? 1000 : 1;
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t i = 0; i < w.rows; ++i)
      for (std::int64_t j = 0; j < (rank == 2 ? w.columns : 1); ++j)
        for (const int uplo : {PRISM_UPLO_UPPER, PRISM_UPLO_LOWER})
          if (const std::int64_t at = out.place(i, j, b, uplo);
              at >= 0 && (w.storage != PRISM_STORED_PACKED || uplo == PRISM_UPLO_UPPER))
            out.set(at, number(scale * value(random), scale * value(random)));
  return out;
}

long double unit_roundoff(std::int32_t type) {
  if (type == PRISM_F16) return 0x1p-11L;
  if (type == PRISM_BF16) return 0x1p-8L;
  return type == PRISM_F32 || type == PRISM_C32 ? 0x1p-24L : 0x1p-53L;
}

} // namespace provider_test
