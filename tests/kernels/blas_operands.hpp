// Operands for the tests of <prism/blas.hpp>: matrices in every layout, in USM and in buffers, surrounded by
// numbers that must not change. Also reference products in long double.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/blas.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace blas_test {

using exact = std::complex<long double>;
using prism::blas::real;

template <typename T>
inline constexpr bool is_complex = !std::is_same_v<T, real<T>>;

template <typename T>
exact exactly(const T& value) {
  if constexpr (is_complex<T>) return {value.real(), value.imag()};
  else return {static_cast<long double>(value), 0};
}
template <typename T>
T rounded(const exact& value) {
  if constexpr (is_complex<T>) return T(real<T>(value.real()), real<T>(value.imag()));
  else return T(value.real());
}
/// The unit roundoff, four times as large for complex numbers, whose products have four terms.
template <typename T>
long double unit() {
  return std::numeric_limits<real<T>>::epsilon() / 2 * (is_complex<T> ? 4.0L : 1.0L);
}
template <typename T>
bool has_type(const sycl::queue& queue) {
  return !std::is_same_v<real<T>, double> || queue.get_device().has(sycl::aspect::fp64);
}

/// The memory layout of a matrix.
enum class layout { row_major, column_major, padded_rows, padded_columns, spread, backwards };
inline constexpr std::array all_layouts{layout::row_major,      layout::column_major, layout::padded_rows,
                                        layout::padded_columns, layout::spread,       layout::backwards};

/// A matrix in `long double`, and its memory in the type under test.
template <typename T>
struct operand {
  std::size_t rows, columns;
  std::ptrdiff_t first = 3, row_stride = 0, column_stride = 0;
  std::vector<T> memory; // with numbers before, between and after the elements

  operand(std::size_t m, std::size_t n, layout how, unsigned seed) : rows(m), columns(n) {
    const auto r = static_cast<std::ptrdiff_t>(m), c = static_cast<std::ptrdiff_t>(n);
    switch (how) {
      case layout::row_major: row_stride = c, column_stride = 1; break;
      case layout::column_major: row_stride = 1, column_stride = r; break;
      case layout::padded_rows: row_stride = c + 3, column_stride = 1; break;
      case layout::padded_columns: row_stride = 1, column_stride = r + 2; break;
      case layout::spread: row_stride = 2 * c + 1, column_stride = 2; break;
      case layout::backwards:
        row_stride = -(c + 1), column_stride = 1, first += (r > 0 ? r - 1 : 0) * (c + 1);
        break;
    }
    if (row_stride == 0) row_stride = 1;
    if (column_stride == 0) column_stride = 1;
    const std::size_t reach = static_cast<std::size_t>(std::abs(row_stride)) * (m + 1) +
                              static_cast<std::size_t>(std::abs(column_stride)) * (n + 1) + 8;
    std::mt19937 random(seed);
    std::uniform_real_distribution<real<T>> any(-1, 1);
    memory.resize(reach);
    for (T& value : memory) {
      if constexpr (is_complex<T>) value = T(any(random), any(random));
      else value = any(random);
    }
  }
  /// A vector: one column.
  operand(std::size_t n, std::ptrdiff_t stride, unsigned seed) : operand(n, 1, layout::column_major, seed) {
    const std::size_t reach = static_cast<std::size_t>(std::abs(stride)) * (n + 1) + 8;
    while (memory.size() < reach) memory.push_back(memory[memory.size() % (n + 1)]);
    row_stride = stride;
    if (stride < 0 && n > 0) first += -stride * static_cast<std::ptrdiff_t>(n - 1);
  }
  /// All of `all` as one column, of which no number lies outside.
  explicit operand(const std::vector<T>& all)
      : rows(all.size()), columns(1), first(0), row_stride(1), column_stride(1), memory(all) {}
  std::size_t index(std::size_t i, std::size_t j) const {
    return static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(i) * row_stride +
                                    static_cast<std::ptrdiff_t>(j) * column_stride);
  }
  T& at(std::size_t i, std::size_t j = 0) { return memory[index(i, j)]; }
  const T& at(std::size_t i, std::size_t j = 0) const { return memory[index(i, j)]; }
  exact value(std::size_t i, std::size_t j = 0) const { return exactly(at(i, j)); }
};

/// Makes matrices with different numbers, in one layout after the other.
template <typename T>
struct variety {
  unsigned made = 0;
  operand<T> matrix(std::size_t m, std::size_t n) {
    const layout how = all_layouts[(made * 5 + made / 6) % all_layouts.size()];
    return operand<T>(m, n, how, ++made);
  }
  operand<T> matrix(std::size_t m, std::size_t n, layout how) { return operand<T>(m, n, how, ++made); }
  operand<T> vector(std::size_t n, std::ptrdiff_t stride = 1) { return operand<T>(n, stride, ++made); }
};

/// The operand in device memory, during the object's lifetime.
template <typename T>
class in_usm {
public:
  in_usm(sycl::queue& queue, const operand<T>& from) : m_queue(queue), m_from(from) {
    m_data = sycl::malloc_device<T>(from.memory.size(), queue);
    queue.copy(from.memory.data(), m_data, from.memory.size()).wait();
  }
  ~in_usm() { sycl::free(m_data, m_queue); }
  in_usm(const in_usm&) = delete;
  prism::matrix_view<T> matrix() const {
    return {m_data + m_from.first, m_from.rows, m_from.columns, m_from.row_stride, m_from.column_stride};
  }
  prism::vector_view<T> vector() const { return {m_data + m_from.first, m_from.rows, m_from.row_stride}; }
  std::vector<T> found() const {
    std::vector<T> out(m_from.memory.size());
    m_queue.copy(m_data, out.data(), out.size()).wait();
    return out;
  }

private:
  sycl::queue& m_queue;
  const operand<T>& m_from;
  T* m_data;
};

/// The operand in a buffer with an offset.
template <typename T>
class in_buffer {
public:
  in_buffer(sycl::queue&, const operand<T>& from)
      : m_from(from), m_data(from.memory.data(), sycl::range<1>(from.memory.size())) {
    m_data.set_write_back(false);
  }
  prism::buffer_matrix_view<T> matrix() const {
    return {place(), m_from.rows, m_from.columns, m_from.row_stride, m_from.column_stride};
  }
  prism::buffer_vector_view<T> vector() const { return {place(), m_from.rows, m_from.row_stride}; }
  std::vector<T> found() const {
    const sycl::host_accessor all(m_data, sycl::read_only);
    return {all.begin(), all.end()};
  }

private:
  prism::buffer_place<T> place() const { return {m_data, m_from.first}; }
  const operand<T>& m_from;
  mutable sycl::buffer<T, 1> m_data;
};

/// A dense matrix in long double.
struct dense {
  std::size_t rows = 0, columns = 0;
  std::vector<exact> values;
  dense(std::size_t m, std::size_t n) : rows(m), columns(n), values(m * n) {}
  exact& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  const exact& operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
  bool is_real() const {
    return std::all_of(values.begin(), values.end(), [](const exact& each) { return each.imag() == 0; });
  }
};

/// std::abs calls hypotl, which takes longer than a product.
inline long double magnitude(const exact& value) {
  return value.imag() == 0 ? std::fabs(value.real()) : std::abs(value);
}

/// Of finite numbers; products of std::complex look for infinities.
inline exact product(const exact& a, const exact& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

enum class meaning { general, symmetric, hermitian, triangular };

/// The complete matrix for a stored one: the other triangle mirrored or zero, the diagonal of ones or real.
template <typename T>
dense meant(const operand<T>& from, meaning what = meaning::general, bool lower = false, bool unit = false,
            bool conjugate = false) {
  dense out(from.rows, from.columns);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) {
      const bool outside = what != meaning::general && (lower ? j > i : i > j);
      exact value = outside ? from.value(j, i) : from.value(i, j);
      if (what == meaning::hermitian && i == j) value = value.real();
      if (what == meaning::hermitian && outside) value = std::conj(value);
      if (what == meaning::triangular && outside) value = 0;
      if (what == meaning::triangular && unit && i == j) value = 1;
      out(i, j) = conjugate ? std::conj(value) : value;
    }
  return out;
}
inline dense transposed(const dense& a) {
  dense out(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) out(j, i) = a(i, j);
  return out;
}
inline dense adjoint(const dense& a) {
  dense out = transposed(a);
  for (exact& value : out.values) value = std::conj(value);
  return out;
}

/// The sum of products, and the sum of their sizes, for each element: the expected value, and the scale of
/// the permitted difference.
struct expected {
  dense value, size;
  std::size_t terms = 0;
  expected(std::size_t m, std::size_t n) : value(m, n), size(m, n) {}
  void add(const exact& alpha, const dense& a, const dense& b) {
    terms += a.columns;
    std::vector<long double> size_of_b;
    for (const exact& each : b.values) size_of_b.push_back(magnitude(each));
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t k = 0; k < a.columns; ++k) {
        const exact left = alpha * a(i, k);
        const long double size_of_left = magnitude(left);
        for (std::size_t j = 0; j < b.columns; ++j) {
          value(i, j) += product(left, b(k, j));
          size(i, j) += size_of_left * size_of_b[k * b.columns + j];
        }
      }
  }
};

/// Compares the contents of `found` with the previous and the expected ones: elements of the view (of one
/// triangle if `only` is set) within the bound, all others bit by bit.
template <typename T>
void expect_within_bound(const std::string& what, const operand<T>& before, const std::vector<T>& found,
                         const expected& sum, const exact& beta, char only = 'a', bool hermitian = false) {
  std::vector<bool> written(before.memory.size());
  for (std::size_t i = 0; i < before.rows; ++i)
    for (std::size_t j = 0; j < before.columns; ++j) {
      if ((only == 'l' && j > i) || (only == 'u' && i > j)) continue;
      const std::size_t at = before.index(i, j);
      written[at] = true;
      exact old = before.value(i, j);
      if (hermitian && i == j) old = old.real();
      exact want = sum.value(i, j) + (beta == exact(0) ? exact(0) : beta * old);
      if (hermitian && i == j) want = want.real();
      const long double bound =
          static_cast<long double>(sum.terms + 2) * unit<T>() * std::abs(sum.size(i, j)) +
          (beta == exact(0) ? 0 : 2 * unit<T>() * std::abs(beta * old));
      ASSERT_LE(std::abs(exactly(found[at]) - want), bound)
          << what << ": element " << i << ", " << j << " is " << found[at] << " instead of "
          << rounded<T>(want);
    }
  for (std::size_t at = 0; at < written.size(); ++at)
    if (!written[at]) {
      ASSERT_EQ(std::memcmp(&found[at], &before.memory[at], sizeof(T)), 0)
          << what << ": the number at " << at << ", which is no element, has changed";
    }
}

/// The implementation under test: the library's own kernels, or with BLAS_TEST_ANY the one that the library
/// chooses.
inline const char* implementation() { return std::getenv("BLAS_TEST_ANY") ? "" : "prism"; }

/// Makes the library's own kernels do an operation during the object's lifetime.
struct own_kernels {
  std::string operation;
  explicit own_kernels(std::string name) : operation(std::move(name)) {
    prism::blas::pin(operation, implementation());
  }
  ~own_kernels() { prism::blas::pin(operation, ""); }
  own_kernels(const own_kernels&) = delete;
};

using all_types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
struct type_names {
  template <typename T>
  static std::string GetName(int) {
    return std::string(is_complex<T> ? "complex_" : "") +
           (std::is_same_v<real<T>, float> ? "float" : "double");
  }
};

} // namespace blas_test
