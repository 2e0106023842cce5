// Banded and packed matrices as full ones: copies of what is stored, with zeros elsewhere.
#pragma once

#include "call.hpp"

namespace prism::netlib {

template <typename T>
struct full {
  std::vector<T> all;
  int rows, columns;
  full(int m, int n) : all(std::size_t(std::max(m, 1)) * std::size_t(std::max(n, 1))), rows(m), columns(n) {}
  T& operator()(int i, int j) { return all[std::size_t(i) + std::size_t(j) * std::size_t(rows)]; }
  matrix<T> view() { return {all.data(), rows, columns, 1, std::max(rows, 1)}; }
};

/// LAPACK's band storage: element (i, j) in row upper + i - j of column j.
template <typename T>
full<T> from_band(const T* a, int m, int n, int lower, int upper, int leading) {
  full<T> out(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = std::max(0, j - upper); i <= std::min(m - 1, j + lower); ++i)
      out(i, j) = a[std::int64_t(j) * leading + upper + i - j];
  return out;
}
/// A triangle of a band with k diagonals next to the main one.
template <typename T>
full<T> from_band(const char* uplo, const T* a, int n, int k, int leading) {
  const bool is_upper = is_letter(uplo, 'U');
  return from_band(a, n, n, is_upper ? 0 : k, is_upper ? k : 0, leading);
}

/// Calls `each(i, j, element)` for the columns of a packed triangle.
template <typename T, typename Each>
void for_packed(const char* uplo, T* packed, int n, const Each& each) {
  const bool is_upper = is_letter(uplo, 'U');
  for (int j = 0; j < n; ++j)
    for (int i = is_upper ? 0 : j; i < (is_upper ? j + 1 : n); ++i) each(i, j, *packed++);
}
template <typename T>
full<T> from_packed(const char* uplo, const T* packed, int n) {
  full<T> out(n, n);
  for_packed(uplo, packed, n, [&](int i, int j, const T& value) { out(i, j) = value; });
  return out;
}
template <typename T>
void to_packed(const char* uplo, full<T>& from, T* packed) {
  for_packed(uplo, packed, from.rows, [&](int i, int j, T& value) { value = from(i, j); });
}

} // namespace prism::netlib
