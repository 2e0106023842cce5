// Matrix products on CPUs from packed panels, compared with products in long double. Small blocks make every
// border case occur. Error bound of each element: (k + 2) u (|alpha| |A| |B|) + 2 u |beta C|, and four times
// that for complex numbers.
#include "kernels/blas/packed_gemm.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace prism::blas;
using exact = std::complex<long double>;

struct matrix_kind {
  form kind = form::general;
  bool lower = false, unit = false, conjugate = false, transposed = false;
};

template <typename T>
exact exactly(T value) {
  if constexpr (parts_of<T> == 2) return {value.real(), value.imag()};
  else return {value, 0};
}

/// Element (i, j) of a stored matrix of `width` columns, transposed or conjugated as the kind requires.
template <typename T>
exact element(const std::vector<T>& stored, std::size_t width, matrix_kind what, std::size_t i,
              std::size_t j) {
  if (what.transposed && what.kind == form::general) std::swap(i, j);
  const bool outside = what.lower ? j > i : i > j;
  bool mirrored = false;
  if (what.kind == form::triangular && outside) return 0;
  if (what.kind != form::general && outside) std::swap(i, j), mirrored = true;
  if (what.unit && i == j) return 1;
  exact value = exactly(stored[i * width + j]);
  if (what.kind == form::hermitian && i == j) value = value.real();
  return what.conjugate != (mirrored && what.kind == form::hermitian) ? std::conj(value) : value;
}

/// C = alpha A B + beta C.
template <typename T, int Lanes, int Rows, int Vectors>
class product {
  static constexpr int parts = parts_of<T>;
  using real = real_of<T>;
  using tile = gemm_tile<real, Lanes, Rows, Vectors, parts>;

public:
  explicit product(const std::string& name, gemm_blocks blocks = {2, 16, 3, 3, 1, 4, 4})
      : m_name(name), m_blocks(blocks) {}

  void check(std::size_t m, std::size_t n, std::size_t k, matrix_kind left, matrix_kind right, T alpha,
             T beta, gemm_target<real> how = {}) {
    const std::size_t wide_a = left.transposed ? m : k, wide_b = right.transposed ? k : n;
    const std::vector<T> a = numbers(m * k), b = numbers(k * n), c = numbers(m * n);
    T *da = device(a), *db = device(b), *dc = device(c);
    prism::blas::product<T> what{factor<real>(alpha),
                                 read(da, m, k, wide_a, left),
                                 read(db, k, n, wide_b, right),
                                 factor<real>(beta),
                                 read(dc, m, n, n, {}),
                                 how.all,
                                 how.lower,
                                 how.real_diagonal};
    packed_gemm<tile>(m_queue, what, m_blocks).wait_and_throw();
    how.reads = !what.beta.is(0);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expect_element(a, b, c, dc[i * n + j], {i, j, n, k, wide_a, wide_b}, left, right, alpha, beta, how);
    for (T* memory : {da, db, dc}) sycl::free(memory, m_queue);
  }

private:
  struct position {
    std::size_t i, j, n, k, wide_a, wide_b;
  };

  void expect_element(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, T found,
                      position at, matrix_kind left, matrix_kind right, T alpha, T beta,
                      const gemm_target<real>& how) {
    const exact before = exactly(c[at.i * at.n + at.j]);
    exact sum = 0;
    long double size = 0;
    for (std::size_t l = 0; l < at.k; ++l) {
      const exact x = element(a, at.wide_a, left, at.i, l), y = element(b, at.wide_b, right, l, at.j);
      sum += x * y, size += std::abs(x) * std::abs(y);
    }
    exact expected = exactly(alpha) * sum + (how.reads ? exactly(beta) * before : exact(0));
    if (!how.has(at.i, at.j)) expected = before;
    const long double u = std::numeric_limits<real>::epsilon() / 2, slack = parts == 2 ? 4 : 1;
    const long double bound =
        slack * (static_cast<long double>(at.k + 2) * u * std::abs(exactly(alpha)) * size +
                 2 * u * std::abs(exactly(beta) * before));
    EXPECT_LE(std::abs(exactly(found) - expected), bound) << m_name << ", element " << at.i << ", " << at.j;
  }

  std::vector<T> numbers(std::size_t count) {
    std::uniform_real_distribution<real> any(-1, 1);
    std::vector<T> made(count);
    for (T& value : made) {
      if constexpr (parts == 2) value = T(any(m_random), any(m_random));
      else value = any(m_random);
    }
    return made;
  }
  T* device(const std::vector<T>& values) {
    T* memory = sycl::malloc_shared<T>(values.size() + 1, m_queue);
    std::copy(values.begin(), values.end(), memory);
    return memory;
  }
  /// The stored matrix is transposed if the kind requires it.
  matrix<T> read(T* data, std::size_t rows, std::size_t columns, std::size_t width, matrix_kind what) const {
    place<real> first;
    first.pointer = reinterpret_cast<real*>(data);
    const auto between = static_cast<std::ptrdiff_t>(width * parts);
    matrix<T> made(first, what.transposed ? columns : rows, what.transposed ? rows : columns, between, parts);
    made.kind = what.kind, made.lower = what.lower, made.unit = what.unit, made.conjugate = what.conjugate;
    return what.transposed ? made.transposed() : made;
  }

  std::string m_name;
  gemm_blocks m_blocks;
  sycl::queue m_queue;
  std::mt19937 m_random{1};
};

template <typename Product, typename T>
void check_all(Product&& what, T alpha, T beta) {
  const matrix_kind plain, transposed{form::general, false, false, false, true},
      conjugate{form::general, false, false, true, true};
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                {14, 32, 7},
                                {15, 33, 20},
                                {37, 70, 3},
                                {6, 64, 129},
                                {5, 5, 0}}) {
    what.check(m, n, k, plain, plain, alpha, beta);
    what.check(m, n, k, transposed, plain, alpha, T(0));
    what.check(m, n, k, plain, transposed, T(1), beta);
  }
  what.check(9, 21, 17, plain, conjugate, alpha, beta);
  for (const bool lower : {false, true}) {
    for (const form kind : {form::symmetric, form::hermitian, form::triangular}) {
      what.check(23, 40, 23, {kind, lower}, plain, alpha, beta);
      what.check(19, 35, 35, plain, {kind, lower}, alpha, T(0));
    }
    what.check(18, 40, 18, {form::triangular, lower, true}, plain, alpha, beta);
    gemm_target<real_of<T>> triangle{};
    triangle.all = false, triangle.lower = lower;
    what.check(39, 39, 11, plain, transposed, alpha, beta, triangle);
  }
}

TEST(packed_gemm, products_of_floats_are_within_the_bound_of_each_element) {
  check_all(product<float, 16, 14, 2>("float"), 0.75f, -1.5f);
}
TEST(packed_gemm, products_of_floats_in_vectors_of_32_bytes_are_within_the_bound_of_each_element) {
  check_all(product<float, 8, 6, 2>("float, 32 bytes"), 0.75f, -1.5f);
}
TEST(packed_gemm, products_of_complex_floats_in_vectors_of_32_bytes_are_within_the_bound_of_each_element) {
  check_all(product<std::complex<float>, 8, 5, 1>("complex float, 32 bytes"),
            std::complex<float>(0.75f, 0.5f), std::complex<float>(-1.5f, 2));
}
TEST(packed_gemm, products_of_large_matrices_with_the_usual_blocks_are_within_the_bound) {
  product<float, 16, 14, 2>("float", gemm_blocks{}).check(130, 200, 530, {}, {}, 1.0f, 0.0f);
}
TEST(packed_gemm, groups_with_all_panels_for_their_rows_give_products_within_the_bound) {
  gemm_blocks by_rows = {3, 16, 3, 3, 1, 4, 1};
  by_rows.groups_of_rows = 1, by_rows.cache = 0;
  const auto tiles = sycl::queue().get_device().get_info<sycl::info::device::max_compute_units>() * 3;
  ASSERT_EQ(tiles_of_rows(by_rows, tiles, 1, tiles / 3), 3u);
  product<float, 16, 14, 2>("float, B packed", by_rows).check(tiles * 14, 200, 50, {}, {}, 1.0f, 2.0f);
  by_rows.cache = 1 << 20;
  product<float, 16, 14, 2>("float, B in place", by_rows).check(tiles * 14 + 5, 96, 50, {}, {}, 1.0f, 0.0f);
  check_all(product<double, 8, 6, 2>("double", by_rows), 0.75, -1.5);
}
TEST(packed_gemm, groups_of_rows_are_made_where_they_are_enough_for_the_threads_and_not_too_small) {
  gemm_blocks by_rows;
  by_rows.groups_of_rows = 6, by_rows.cache = 1000;
  EXPECT_EQ(tiles_of_rows(by_rows, 37, 3000, 1), 6u) << "six groups of six tiles";
  EXPECT_EQ(tiles_of_rows(by_rows, 37, 3000, 2), 3u);
  EXPECT_EQ(tiles_of_rows(by_rows, 37, 3000, 3), 0u) << "two tiles would read B too often";
  EXPECT_EQ(tiles_of_rows(by_rows, 37, 2000, 3), 2u) << "not if it stays in the cache";
  EXPECT_EQ(tiles_of_rows(by_rows, 37, 1000, 4), 0u);
  EXPECT_EQ(tiles_of_rows(by_rows, 1000, 3000, 2), by_rows.row_tiles) << "a block stays in the cache";
  EXPECT_EQ(tiles_of_rows(gemm_blocks{}, 37, 1, 1), 0u) << "not asked for";
}
TEST(packed_gemm, rows_that_are_read_in_place_give_products_within_the_bound) {
  product<float, 16, 14, 2>("float", gemm_blocks{}).check(75, 256, 260, {}, {}, 1.0f, 2.0f);
  // 2,048 bytes apart: in place for one panel only.
  product<float, 16, 12, 1>("float, one panel", gemm_blocks{}).check(101, 16, 512, {}, {}, 0.5f, 0.0f);
  product<float, 16, 12, 1>("float, two panels", gemm_blocks{}).check(101, 30, 512, {}, {}, 0.5f, 1.0f);
}
TEST(packed_gemm, products_of_doubles_are_within_the_bound_of_each_element) {
  check_all(product<double, 8, 6, 2>("double"), 0.75, -1.5);
}
TEST(packed_gemm, products_of_complex_floats_are_within_the_bound_of_each_element) {
  check_all(product<std::complex<float>, 16, 6, 2>("complex float"), std::complex<float>(0.75f, 0.5f),
            std::complex<float>(-1.5f, 2));
}
TEST(packed_gemm, products_of_complex_doubles_are_within_the_bound_of_each_element) {
  check_all(product<std::complex<double>, 8, 3, 2>("complex double"), std::complex<double>(0.75, 0.5),
            std::complex<double>(-1.5, 2));
}

} // namespace
