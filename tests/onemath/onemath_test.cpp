// Programs written for <oneapi/math.hpp>: oneMath's argument order, layouts, increments, batches and
// exceptions.
#include "tests/onemath/shared_memory.hpp"

#include <oneapi/mkl.hpp>

#include <cmath>
#include <string>

namespace {

namespace math = oneapi::math;
using math::transpose;

/// Shared memory with these elements.
template <typename T>
struct shared {
  sycl::queue queue;
  T* data;
  shared(sycl::queue& q, const std::vector<T>& values)
      : queue(q), data(sycl::malloc_shared<T>(values.size() + 1, q)) {
    std::copy(values.begin(), values.end(), data);
  }
  shared(const shared&) = delete;
  ~shared() { sycl::free(data, queue); }
};

TEST(onemath, a_column_major_product_of_transposed_matrices) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  // A^T (2 x 3) times B^T (3 x 2), stored column by column with leading dimensions above the rows.
  shared<float> a(queue, {1, 2, 3, 99, 4, 5, 6, 99}), b(queue, {1, 4, 99, 2, 5, 99, 3, 6, 99});
  shared<float> c(queue, {10, 20, 99, 30, 40, 99});
  math::blas::column_major::gemm(queue, transpose::trans, transpose::T, 2, 2, 3, 2, a.data, 4, b.data, 3, 1,
                                 c.data, 3)
      .wait();
  EXPECT_EQ(c.data[0], 2 * (1 * 1 + 2 * 2 + 3 * 3) + 10);
  EXPECT_EQ(c.data[1], 2 * (4 * 1 + 5 * 2 + 6 * 3) + 20);
  EXPECT_EQ(c.data[3], 2 * (1 * 4 + 2 * 5 + 3 * 6) + 30);
  EXPECT_EQ(c.data[4], 2 * (4 * 4 + 5 * 5 + 6 * 6) + 40);
  EXPECT_EQ(c.data[2], 99) << "between columns nothing is written";
}

TEST(onemath, a_row_major_product_over_buffers) {
  sycl::queue queue;
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 2, 3, 4, 5, 6}, c(4);
  {
    sycl::buffer<float, 1> left(a), right(b), out(c);
    oneapi::mkl::blas::row_major::gemm(queue, transpose::nontrans, transpose::nontrans, 2, 2, 3, 1.0f, left,
                                       3, right, 2, 0.0f, out, 2);
  }
  EXPECT_EQ(c, (std::vector<float>{22, 28, 49, 64}));
}

TEST(onemath, the_adjoint_of_a_complex_matrix) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  using complex = std::complex<float>;
  shared<complex> a(queue, {{1, 2}, {3, -1}}), x(queue, {{1, 0}, {0, 1}}), y(queue, {{0, 0}});
  math::blas::column_major::gemv(queue, transpose::conjtrans, 2, 1, 1, a.data, 2, x.data, 1, 0, y.data, 1)
      .wait();
  EXPECT_EQ(y.data[0], complex(1, -2) * complex(1, 0) + complex(3, 1) * complex(0, 1));
}

TEST(onemath, a_transposed_triangle_is_the_other_one) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  // Lower triangle of A, column-major: [[2, .], [3, 4]]. Solves A^T x = (8, 4).
  shared<float> a(queue, {2, 3, 99, 4}), x(queue, {8, 4});
  math::blas::column_major::trsv(queue, math::uplo::lower, transpose::trans, math::diag::nonunit, 2, a.data,
                                 2, x.data, 1)
      .wait();
  EXPECT_EQ(x.data[0], 2.5f);
  EXPECT_EQ(x.data[1], 1.0f);
}

TEST(onemath, a_negative_increment_begins_at_the_end) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  shared<float> x(queue, {1, 2, 3}), y(queue, {0, 9, 0, 9, 0});
  math::blas::row_major::copy(queue, 3, x.data, -1, y.data, 2).wait();
  EXPECT_EQ(y.data[0], 3);
  EXPECT_EQ(y.data[2], 2);
  EXPECT_EQ(y.data[4], 1);
  EXPECT_EQ(y.data[1], 9);
}

TEST(onemath, the_largest_element_of_a_vector_without_a_positive_increment_is_the_first) {
  sycl::queue queue{sycl::property::queue::in_order()};
  sycl::buffer<float, 1> x{sycl::range<1>(6)};
  sycl::buffer<std::int64_t, 1> found{sycl::range<1>(1)};
  {
    const sycl::host_accessor all(x, sycl::write_only);
    for (int i = 0; i < 6; ++i) all[i] = float(i == 4 ? -9 : i);
  }
  for (const auto& [increment, place] : {std::pair<int, int>{1, 4}, {2, 2}, {-2, 0}, {0, 0}}) {
    math::blas::column_major::iamax(queue, increment == 1 ? 6 : 3, x, increment, found);
    EXPECT_EQ(sycl::host_accessor(found, sycl::read_only)[0], place) << "increment " << increment;
  }
}

TEST(onemath, a_matrix_is_copied_transposed_and_scaled) {
  sycl::queue queue;
  using complex = std::complex<float>;
  const std::vector<complex> from{{1, 1}, {2, 2}, {9, 9}, {3, 3}, {4, 4}, {9, 9}}; // 2 x 2, rows of 3
  const auto copied = [&](transpose how, complex alpha) {
    sycl::buffer<complex, 1> a(from), b{sycl::range<1>(4)};
    math::blas::row_major::omatcopy(queue, how, 2, 2, alpha, a, 3, b, 2);
    const sycl::host_accessor found(b, sycl::read_only);
    return std::vector<complex>(found.begin(), found.end());
  };
  EXPECT_EQ(copied(transpose::nontrans, 1), (std::vector<complex>{{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
  EXPECT_EQ(copied(transpose::trans, 2), (std::vector<complex>{{2, 2}, {6, 6}, {4, 4}, {8, 8}}));
  EXPECT_EQ(copied(transpose::conjtrans, {0, 1}), (std::vector<complex>{{1, 1}, {3, 3}, {2, 2}, {4, 4}}));
}

TEST(onemath, events_order_the_routines_of_an_unordered_queue) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  shared<float> x(queue, {1, 2, 3, 4}), y(queue, {0, 0, 0, 0}), sum(queue, {0});
  const sycl::event doubled = math::blas::column_major::scal(queue, 4, 2.0f, x.data, 1);
  const sycl::event copied = math::blas::column_major::axpby(queue, 4, 1, x.data, 1, 0, y.data, 1, {doubled});
  math::blas::column_major::asum(queue, 4, y.data, 1, sum.data, {copied}).wait();
  EXPECT_EQ(sum.data[0], 20);
}

TEST(onemath, a_strided_batch_and_a_group_are_the_products_one_by_one) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  shared<float> a(queue, {1, 2, 3, 4, 5, 6, 7, 8}), b(queue, {1, 0, 0, 1, 2, 0, 0, 2}),
      c(queue, std::vector<float>(8)), d(queue, std::vector<float>(8));
  math::blas::column_major::gemm_batch(queue, transpose::N, transpose::N, 2, 2, 2, 1, a.data, 2, 4, b.data, 2,
                                       4, 0, c.data, 2, 4, 2)
      .wait();
  transpose none = transpose::nontrans;
  std::int64_t two = 2, members = 2;
  float one = 1, zero = 0;
  const float *left[] = {a.data, a.data + 4}, *right[] = {b.data, b.data + 4};
  float* out[] = {d.data, d.data + 4};
  math::blas::column_major::gemm_batch(queue, &none, &none, &two, &two, &two, &one, left, &two, right, &two,
                                       &zero, out, &two, 1, &members)
      .wait();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(c.data[i], a.data[i] * (i < 4 ? 1 : 2)) << i;
    EXPECT_EQ(d.data[i], c.data[i]) << i;
  }
}

TEST(onemath, impossible_arguments_and_missing_routines_are_refused_by_name) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  shared<float> a(queue, {1, 2, 3, 4});
  try {
    math::blas::column_major::gemm(queue, transpose::N, transpose::N, 2, 2, 2, 1, a.data, 1, a.data, 2, 0,
                                   a.data, 2);
    FAIL() << "a leading dimension of 1 for two rows";
  } catch (const math::invalid_argument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("blas/gemm"), text.npos) << text;
    EXPECT_NE(text.find("leading dimension 1 is below 2"), text.npos) << text;
  }
  EXPECT_THROW(math::blas::row_major::scal(queue, -1, 2, a.data, 1), math::invalid_argument);
  try {
    math::blas::row_major::gemmt(queue, math::uplo::upper, transpose::N, transpose::N, 2, 2, 1, a.data, 2,
                                 a.data, 2, 0, a.data, 2);
    FAIL() << "gemmt";
  } catch (const math::unimplemented& error) {
    EXPECT_EQ(std::string(error.what()), "oneMath: blas/gemmt: function is not implemented");
  }
  shared<sycl::half> h(queue, {sycl::half(1)});
  EXPECT_THROW(math::blas::row_major::axpy(queue, 1, sycl::half(1), h.data, 1, h.data, 1),
               math::unimplemented);
  shared<std::int8_t> i(queue, {1});
  shared<std::int32_t> sum(queue, {0});
  EXPECT_THROW(math::blas::row_major::gemm(queue, transpose::N, transpose::N, 1, 1, 1, 0.5f, i.data, 1,
                                           i.data, 1, 0.0f, sum.data, 1),
               math::unimplemented);
}

/// Whether a provider on this device has banded and packed matrices.
bool has_band_provider(const sycl::queue& queue) {
  for (const prism::blas::implementation& one : prism::blas::implementations())
    if (one.name == "openblas" || one.name == "blis")
      return queue.get_device().get_backend() == sycl::backend::ext_prism_host;
  return false;
}

TEST(onemath, banded_matrices_in_both_layouts) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  // A = [[1, 2, 0], [3, 4, 5]]: one diagonal below, one above; columns and rows of 3 places, some unused.
  shared<float> columns(queue, {99, 1, 3, 2, 4, 99, 5, 99, 99}), rows(queue, {99, 1, 2, 3, 4, 5});
  shared<float> x(queue, {1, 10, 100}), y(queue, {7, 7}), z(queue, {0, 0, 0});
  const auto times = [&] {
    math::blas::column_major::gbmv(queue, transpose::N, 2, 3, 1, 1, 2, columns.data, 3, x.data, 1, 1, y.data,
                                   1)
        .wait();
  };
  if (!has_band_provider(queue)) {
    EXPECT_THROW(times(), math::unsupported_device);
    return;
  }
  times();
  EXPECT_EQ(y.data[0], 2 * (1 + 20) + 7);
  EXPECT_EQ(y.data[1], 2 * (3 + 40 + 500) + 7);
  for (const transpose how : {transpose::T, transpose::C}) {
    math::blas::row_major::gbmv(queue, how, 2, 3, 1, 1, 1, rows.data, 3, x.data, 1, 0, z.data, 1).wait();
    EXPECT_EQ(z.data[0], 1 + 30);
    EXPECT_EQ(z.data[1], 2 + 40);
    EXPECT_EQ(z.data[2], 50);
  }
  // Upper bands, by columns: S = [[1, 2], [2, 3]], T = [[1, 2], [0, 3]].
  shared<float> band(queue, {99, 1, 2, 3}), v(queue, {0, 0}), t(queue, {5, 6});
  math::blas::column_major::sbmv(queue, math::uplo::upper, 2, 1, 1, band.data, 2, x.data, 1, 0, v.data, 1)
      .wait();
  EXPECT_EQ(v.data[0], 21);
  EXPECT_EQ(v.data[1], 32);
  math::blas::column_major::tbmv(queue, math::uplo::upper, transpose::T, math::diag::nonunit, 2, 1, band.data,
                                 2, t.data, 1)
      .wait();
  EXPECT_EQ(t.data[0], 5);
  EXPECT_EQ(t.data[1], 2 * 5 + 3 * 6);
  math::blas::column_major::tbsv(queue, math::uplo::upper, transpose::T, math::diag::nonunit, 2, 1, band.data,
                                 2, t.data, 1)
      .wait();
  EXPECT_EQ(t.data[1], 6);
  EXPECT_THROW(
      math::blas::row_major::sbmv(queue, math::uplo::upper, 2, 1, 1, band.data, 1, x.data, 1, 0, v.data, 1),
      math::invalid_argument);
}

TEST(onemath, packed_triangles_in_both_layouts) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  using complex = std::complex<float>;
  if (!has_band_provider(queue))
    GTEST_SKIP() << queue.get_device().get_info<sycl::info::device::name>()
                 << ": no provider (OpenBLAS, BLIS) has packed matrices";
  // The upper triangle of [[1, 2, 4], [., 3, 5], [., ., 6]], by columns and by rows.
  shared<float> columns(queue, {1, 2, 3, 4, 5, 6}), rows(queue, {1, 2, 4, 3, 5, 6});
  shared<float> x(queue, {1, 10, 100}), y(queue, {0, 0, 0});
  for (const bool by_rows : {false, true}) {
    using namespace math::blas;
    float* const a = by_rows ? rows.data : columns.data;
    if (by_rows) row_major::spmv(queue, math::uplo::upper, 3, 1, a, x.data, 1, 0, y.data, 1).wait();
    else column_major::spmv(queue, math::uplo::upper, 3, 1, a, x.data, 1, 0, y.data, 1).wait();
    EXPECT_EQ(y.data[0], 421);
    EXPECT_EQ(y.data[2], 654);
    const auto multiply = [&](auto... last) {
      if (by_rows) return row_major::tpmv(queue, last...);
      return column_major::tpmv(queue, last...);
    };
    multiply(math::uplo::upper, transpose::T, math::diag::nonunit, std::int64_t(3), a, y.data,
             std::int64_t(1))
        .wait();
    EXPECT_EQ(y.data[1], 2 * 421 + 3 * 532);
    const auto solve = [&](auto... last) {
      if (by_rows) return row_major::tpsv(queue, last...);
      return column_major::tpsv(queue, last...);
    };
    solve(math::uplo::upper, transpose::T, math::diag::nonunit, std::int64_t(3), a, y.data, std::int64_t(1))
        .wait();
    EXPECT_EQ(y.data[1], 532);
    if (by_rows) row_major::spr(queue, math::uplo::upper, 3, 2, x.data, 1, a).wait();
    else column_major::spr(queue, math::uplo::upper, 3, 2, x.data, 1, a).wait();
    EXPECT_EQ(a[by_rows ? 2 : 3], 4 + 2 * 100);
    if (by_rows) row_major::spr2(queue, math::uplo::upper, 3, 1, x.data, 1, x.data, 1, a).wait();
    else column_major::spr2(queue, math::uplo::upper, 3, 1, x.data, 1, x.data, 1, a).wait();
    EXPECT_EQ(a[4], 5 + 2 * 1000 + 2 * 1000);
  }
  // The lower triangle of a Hermitian matrix [[1, .], [2 + i, 3]], over buffers.
  std::vector<complex> h{{1, 0}, {2, 1}, {3, 0}}, v{{1, 0}, {0, 1}}, w(2);
  {
    sycl::buffer<complex, 1> a(h), from(v), to(w);
    math::blas::column_major::hpmv(queue, math::uplo::lower, 2, 1, a, from, 1, 0, to, 1);
    math::blas::column_major::hpr(queue, math::uplo::lower, 2, 2, from, 1, a);
    math::blas::column_major::hpr2(queue, math::uplo::lower, 2, 1, from, 1, from, 1, a);
  }
  EXPECT_EQ(w[0], complex(1) + complex(2, -1) * complex(0, 1));
  EXPECT_EQ(w[1], complex(2, 1) + complex(0, 3));
  EXPECT_EQ(h[1], complex(2, 1) + 4.0f * complex(0, 1));
  shared<complex> z(queue, {1, 2, 3, 4});
  EXPECT_THROW(
      math::blas::column_major::spmv(queue, math::uplo::upper, 2, 1, z.data, z.data, 1, 0, z.data, 1),
      math::unimplemented);
}

TEST(onemath, products_of_half_bfloat16_and_int8) {
  sycl::queue queue;
  REQUIRE_SHARED_MEMORY(queue);
  using math::bfloat16;
  shared<sycl::half> h(queue, {1.5f, 2, 3, 4}), hc(queue, {1, 1, 1, 1});
  math::blas::row_major::gemm(queue, transpose::N, transpose::N, 2, 2, 2, sycl::half(2), h.data, 2, h.data, 2,
                              sycl::half(1), hc.data, 2)
      .wait();
  EXPECT_EQ(float(hc.data[0]), 2 * (1.5f * 1.5f + 2 * 3) + 1);
  EXPECT_EQ(float(hc.data[3]), 2 * (3 * 2 + 4 * 4) + 1);
  shared<bfloat16> b(queue, {bfloat16(1), bfloat16(2), bfloat16(3), bfloat16(4)});
  shared<float> bc(queue, {0, 0, 0, 0});
  math::blas::column_major::gemm(queue, transpose::T, transpose::N, 2, 2, 2, 1, b.data, 2, b.data, 2, 0,
                                 bc.data, 2)
      .wait();
  EXPECT_EQ(bc.data[0], 1 * 1 + 2 * 2);
  EXPECT_EQ(bc.data[1], 3 * 1 + 4 * 2);
  shared<std::int8_t> i(queue, {-128, 127, 5, -7});
  shared<std::int32_t> ic(queue, {10, 20, 30, 40});
  math::blas::row_major::gemm_batch(queue, transpose::N, transpose::T, 1, 1, 2, 1, i.data, 2, 2, i.data, 2, 0,
                                    2, ic.data, 1, 1, 2)
      .wait();
  EXPECT_EQ(ic.data[0], 128 * 128 + 127 * 127 + 2 * 10);
  EXPECT_EQ(ic.data[1], -5 * 128 - 7 * 127 + 2 * 20);
}

} // namespace
