// The guarantees of <prism/blas.hpp> other than results: order, errors, aliases, extents of zero, NaN, and
// the choice of an implementation.
#include "tests/kernels/blas_operands.hpp"

#include <cstdlib>

namespace {

using namespace blas_test;
using prism_test::error_of;

struct blas_rules : ::testing::Test {
  sycl::queue queue;
  std::string text;
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  static sycl::buffer<float> filled(std::vector<float> values) {
    sycl::buffer<float> out{sycl::range<1>(values.size())};
    const sycl::host_accessor all(out, sycl::write_only);
    std::copy(values.begin(), values.end(), all.begin());
    return out;
  }
  static std::vector<float> values_of(sycl::buffer<float>& from) {
    const sycl::host_accessor all(from, sycl::read_only);
    return {all.begin(), all.end()};
  }
};

TEST_F(blas_rules, extents_that_disagree_are_refused_with_the_numbers) {
  sycl::buffer<float> a(sycl::range<1>(100)), b(sycl::range<1>(100)), c(sycl::range<1>(100));
  const auto left = prism::row_major(a, 2, 3), right = prism::row_major(b, 4, 2),
             to = prism::row_major(c, 2, 2);
  EXPECT_EQ(error_of([&] { prism::blas::gemm(queue, 1, left, right, 0, to); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("extents disagree in gemm float 2x3, 4x2, 2x2: 3 and 4"), std::string::npos) << text;
  EXPECT_EQ(error_of(
                [&] {
    prism::blas::trsm(queue, prism::blas::side::left, prism::blas::uplo::upper, prism::blas::diag::unit, 1,
                      left, to);
  }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("is not square: 2x3"), std::string::npos) << text;
  const prism::buffer_vector_view<float> three({a}, 3), four({b}, 4);
  EXPECT_EQ(error_of([&] { prism::blas::axpy(queue, 1, three, four); }, &text), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::blas::dot(queue, three, three, four); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("is a result and has 4 elements"), std::string::npos) << text;
}

TEST_F(blas_rules, views_beyond_their_buffer_and_null_pointers_are_refused) {
  sycl::buffer<float> small(sycl::range<1>(5)), large(sycl::range<1>(100));
  EXPECT_EQ(error_of(
                [&] {
    prism::blas::gemm(queue, 1, prism::row_major(small, 2, 3), prism::row_major(large, 3, 2), 0,
                      prism::row_major(large, 2, 2));
  }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("its buffer has 5"), std::string::npos) << text;
  const prism::vector_view<float> nowhere(nullptr, 3);
  EXPECT_EQ(error_of([&] { prism::blas::scal(queue, 2, nowhere); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("null pointer"), std::string::npos) << text;
}

TEST_F(blas_rules, a_result_that_begins_where_a_factor_does_is_refused) {
  sycl::buffer<float> a(sycl::range<1>(9)), b(sycl::range<1>(9));
  const auto left = prism::row_major(a, 3, 3), right = prism::row_major(b, 3, 3);
  EXPECT_EQ(error_of([&] { prism::blas::gemm(queue, 1, left, right, 0, left); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("operand 2 is written and begins where operand 0 does"), std::string::npos) << text;
}

TEST_F(blas_rules, a_reinterpreted_buffer_is_the_memory_of_its_buffer) {
  using value = std::complex<float>;
  sycl::buffer<float> a(sycl::range<1>(32)), again = a.reinterpret<float, 1>(sycl::range<1>(32));
  sycl::buffer<value> of_values = a.reinterpret<value, 1>(sycl::range<1>(16));
  sycl::buffer<sycl::half> narrow = a.reinterpret<sycl::half, 1>(sycl::range<1>(64));
  const auto left = prism::row_major(a, 3, 3);
  EXPECT_EQ(
      error_of([&] { prism::blas::gemm(queue, 1, left, left, 0, prism::row_major(again, 3, 3)); }, &text),
      sycl::errc::invalid);
  EXPECT_NE(text.find("operand 2 is written and begins where operand 0 does"), std::string::npos) << text;
  const auto values = prism::row_major(of_values, 2, 2);
  sycl::buffer<value> second = again.reinterpret<value, 1>(sycl::range<1>(16));
  EXPECT_EQ(error_of([&] {
    prism::blas::gemm(queue, value(1), values, values, value(0), prism::row_major(second, 2, 2));
  }),
            sycl::errc::invalid);
  // The offsets of elements of different sizes are compared as bytes.
  const prism::buffer_matrix_view<sycl::half> halves({narrow, 32}, 2, 2, 2, 1);
  const prism::buffer_matrix_view<float> at_them({a, 16}, 2, 2, 2, 1), behind({a, 20}, 2, 2, 2, 1);
  EXPECT_EQ(error_of([&] { prism::blas::gemm(queue, 1, halves, halves, 0, at_them); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::blas::gemm(queue, 1, halves, halves, 0, behind); }), sycl::errc::success);
}

TEST_F(blas_rules, a_result_whose_elements_overlap_is_refused) {
  sycl::buffer<float> a(sycl::range<1>(9)), c(sycl::range<1>(9));
  const prism::buffer_matrix_view<float> repeated({c}, 3, 3, 0, 1);
  EXPECT_EQ(error_of(
                [&] {
    prism::blas::gemm(queue, 1, prism::row_major(a, 3, 3), prism::row_major(a, 3, 3), 0, repeated);
  }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("is written and its elements overlap"), std::string::npos) << text;
}

TEST_F(blas_rules, a_factor_of_stride_zero_is_one_row_for_all) {
  const own_kernels own("gemm");
  auto a = filled({1, 2, 3}), b = filled({1, 1, 1}), c = filled({0, 0, 0, 0});
  const prism::buffer_matrix_view<float> repeated({a}, 2, 3, 0, 1), column({b}, 3, 2, 1, 0);
  prism::blas::gemm(queue, 1, repeated, column, 0, prism::row_major(c, 2, 2));
  EXPECT_EQ(values_of(c), (std::vector<float>{6, 6, 6, 6}));
}

TEST_F(blas_rules, a_wide_factor_of_stride_zero_is_one_row_for_all) {
  const own_kernels own("gemm");
  constexpr std::size_t wide = 40; // not whole tiles
  std::vector<float> row(wide), expected;
  for (std::size_t i = 0; i < wide; ++i) row[i] = float(i + 1);
  for (const float sum : {6.0f, 15.0f})
    for (const float each : row) expected.push_back(sum * each);
  auto a = filled({1, 2, 3, 4, 5, 6});
  sycl::buffer<float> b(row), c(sycl::range<1>(2 * wide));
  const prism::buffer_matrix_view<float> repeated({b}, 3, wide, 0, 1);
  prism::blas::gemm(queue, 1, prism::row_major(a, 2, 3), repeated, 0, prism::row_major(c, 2, wide));
  EXPECT_EQ(values_of(c), expected);
}

TEST_F(blas_rules, a_device_without_double_precision_is_refused_by_name) {
  if (queue.get_device().has(sycl::aspect::fp64)) GTEST_SKIP() << "the device has double precision";
  sycl::buffer<double> x(sycl::range<1>(4));
  EXPECT_EQ(error_of([&] { prism::blas::scal(queue, 2, prism::view_of(x)); }, &text),
            sycl::errc::feature_not_supported);
  EXPECT_NE(text.find("has no double precision"), std::string::npos) << text;
}

TEST_F(blas_rules, with_beta_zero_what_is_written_is_not_read) {
  auto a = filled({1, 2, 3, 4}), x = filled({1, 1}), c = filled({nan, nan, nan, nan}), y = filled({nan, nan});
  const auto matrix = prism::row_major(a, 2, 2);
  for (const char* who : {"prism", ""}) {
    prism::blas::pin("gemm", who), prism::blas::pin("gemv", who);
    prism::blas::gemm(queue, 1, matrix, matrix, 0, prism::row_major(c, 2, 2));
    prism::blas::gemv(queue, 1, matrix, prism::view_of(x), 0, prism::view_of(y));
    EXPECT_EQ(values_of(c), (std::vector<float>{7, 10, 15, 22}));
    EXPECT_EQ(values_of(y), (std::vector<float>{3, 7}));
    prism::blas::gemm(queue, 0, matrix, matrix, 0, prism::row_major(c, 2, 2));
    EXPECT_EQ(values_of(c), (std::vector<float>(4)));
    c = filled({nan, nan, nan, nan}), y = filled({nan, nan});
  }
  prism::blas::pin("gemm", ""), prism::blas::pin("gemv", "");
}

TEST_F(blas_rules, with_alpha_zero_the_factors_are_not_read) {
  const own_kernels gemm("gemm"), trsm("trsm");
  auto a = filled({nan, nan, nan, nan}), c = filled({1, 2, 3, 4});
  prism::blas::gemm(queue, 0, prism::row_major(a, 2, 2), prism::row_major(a, 2, 2), 2,
                    prism::row_major(c, 2, 2));
  EXPECT_EQ(values_of(c), (std::vector<float>{2, 4, 6, 8}));
  prism::blas::trsm(queue, prism::blas::side::left, prism::blas::uplo::lower, prism::blas::diag::non_unit, 0,
                    prism::row_major(a, 2, 2), prism::row_major(c, 2, 2));
  EXPECT_EQ(values_of(c), (std::vector<float>(4)));
}

TEST_F(blas_rules, nan_and_infinity_go_where_arithmetic_takes_them) {
  const own_kernels own("gemm");
  auto a = filled({1, nan, 1, infinity, 1, 1}), b = filled({1, 1, 1, 0}), c = filled({0, 0, 0, 0, 0, 0});
  prism::blas::gemm(queue, 1, prism::row_major(a, 3, 2), prism::row_major(b, 2, 2), 0,
                    prism::row_major(c, 3, 2));
  const auto found = values_of(c);
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1]));
  EXPECT_EQ(found[2], infinity);
  EXPECT_TRUE(std::isnan(found[3])) << "infinity times zero";
  EXPECT_EQ(found[4], 2);
  EXPECT_EQ(found[5], 1);
}

TEST_F(blas_rules, the_triangle_that_is_not_stored_and_a_unit_diagonal_are_never_read) {
  const own_kernels of_products("trmm"), of_systems("trsm"), of_vectors("trsv");
  constexpr std::size_t n = 130;
  std::vector<float> lower(n * n, nan);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) lower[i * n + j] = 0;
  auto a = filled(lower), x = filled(std::vector<float>(n, 7));
  using namespace prism::blas;
  const auto matrix = prism::row_major(a, n, n), column = prism::row_major(x, n, 1);
  trmm(queue, side::left, uplo::upper, diag::unit, 1, matrix.transposed(), column);
  trsm(queue, side::left, uplo::lower, diag::unit, 1, matrix, column);
  trsv(queue, uplo::lower, diag::unit, matrix, prism::view_of(x));
  EXPECT_EQ(values_of(x), std::vector<float>(n, 7));
}

TEST_F(blas_rules, infinity_stays_in_its_row_of_a_triangular_product) {
  const own_kernels own("trmm");
  auto a = filled({1, 5, 5, 2, 1, 5, 2, 2, 1}), b = filled({1, 1, infinity});
  using namespace prism::blas;
  prism::blas::trmm(queue, side::left, uplo::lower, diag::non_unit, 1, prism::row_major(a, 3, 3),
                    prism::row_major(b, 3, 1));
  EXPECT_EQ(values_of(b), (std::vector<float>{1, 3, infinity}));
}

TEST_F(blas_rules, calls_without_elements_do_nothing) {
  sycl::buffer<float> a(sycl::range<1>(9));
  auto c = filled({1, 2, 3, 4});
  prism::blas::gemm(queue, 1, prism::row_major(a, 0, 3), prism::row_major(a, 3, 2), 0,
                    prism::row_major(c, 0, 2))
      .wait();
  prism::blas::gemm(queue, 1, prism::row_major(a, 2, 0), prism::row_major(a, 0, 2), 3,
                    prism::row_major(c, 2, 2))
      .wait();
  EXPECT_EQ(values_of(c), (std::vector<float>{3, 6, 9, 12}));
  const prism::vector_view<float> nothing(nullptr, 0);
  prism::blas::axpy(queue, 1, nothing, nothing).wait();
  prism::blas::scal(queue, 1, nothing).wait();
}

TEST_F(blas_rules, calls_wait_for_the_events_that_they_are_given) {
  if (!queue.get_device().has(sycl::aspect::usm_shared_allocations))
    GTEST_SKIP() << "the device has no shared USM";
  constexpr std::size_t n = 200'000;
  for (const bool in_order : {false, true}) {
    sycl::queue own = in_order ? sycl::queue{sycl::property::queue::in_order()} : sycl::queue{};
    float* const x = sycl::malloc_shared<float>(n, own);
    float* const y = sycl::malloc_shared<float>(n, own);
    float* const sum = sycl::malloc_shared<float>(1, own);
    const prism::vector_view from(x, n), to(y, n);
    for (int round = 0; round < 5; ++round) {
      const auto after = [&](sycl::event before) {
        return in_order ? prism::blas::events{} : prism::blas::events{before};
      };
      sycl::event last = own.fill(x, 1.0f, n);
      last = own.fill(y, 1.0f, n, after(last));
      last = prism::blas::axpy(own, 2, from, to, after(last));
      last = prism::blas::scal(own, 3, to, after(last));
      last = prism::blas::swap(own, prism::vector_view(x, n), to, after(last));
      last = prism::blas::dot(own, from, to, prism::vector_view(sum, 1), after(last));
      last.wait();
      ASSERT_EQ(sum[0], 9.0f * n) << (in_order ? "in order" : "out of order");
      ASSERT_EQ(x[n - 1], 9);
    }
    for (float* memory : {x, y, sum}) sycl::free(memory, own);
  }
}

TEST_F(blas_rules, buffers_order_calls_of_several_queues) {
  sycl::queue other;
  auto x = filled(std::vector<float>(5000, 1)), y = filled(std::vector<float>(5000, 0));
  for (int round = 0; round < 4; ++round) {
    prism::blas::axpy(queue, 1, prism::view_of(x), prism::view_of(y));
    prism::blas::scal(other, 2, prism::view_of(x));
  }
  EXPECT_EQ(values_of(y)[4999], 1 + 2 + 4 + 8);
}

TEST_F(blas_rules, sub_buffers_are_operands) {
  const own_kernels own("scal");
  auto all = filled(std::vector<float>(4096, 1));
  sycl::buffer<float> half(all, sycl::id<1>(1024), sycl::range<1>(1024));
  prism::blas::scal(queue, 3, prism::buffer_vector_view<float>({half, 10}, 5));
  queue.wait_and_throw();
  const auto found = values_of(all);
  EXPECT_EQ((std::vector<float>(found.begin() + 1033, found.begin() + 1040)),
            (std::vector<float>{1, 3, 3, 3, 3, 3, 1}));
}

TEST_F(blas_rules, the_choice_is_reported_and_can_be_pinned) {
  auto a = filled(std::vector<float>(64)), c = filled(std::vector<float>(64));
  const auto call = [&] {
    prism::blas::gemm(queue, 1, prism::row_major(a, 8, 8), prism::row_major(a, 8, 8), 0,
                      prism::row_major(c, 8, 8))
        .wait();
    return prism::blas::last_choice();
  };
  const std::string free = call();
  EXPECT_EQ(free.rfind("gemm float 8x8, 8x8, 8x8: ", 0), 0u) << free;
  {
    const own_kernels own("gemm");
    EXPECT_EQ(call(), "gemm float 8x8, 8x8, 8x8: prism");
    const std::string explained = prism::blas::explain(queue.get_device(), "gemm", "float", 64);
    EXPECT_NE(explained.find("prism: "), std::string::npos) << explained;
  }
  EXPECT_EQ(call(), free);
  prism::blas::pin("gemm", "missing");
  EXPECT_EQ(error_of(call, &text), sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("missing: "), std::string::npos) << text;
  prism::blas::pin("gemm", "");
  setenv("PRISM_PROVIDER", "gemm=prism", 1);
  EXPECT_EQ(call(), "gemm float 8x8, 8x8, 8x8: prism");
  unsetenv("PRISM_PROVIDER");
  EXPECT_EQ(error_of([] { prism::blas::pin("gem", "prism"); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::blas::explain(queue.get_device(), "gemm", "quadruple", 4); }),
            sycl::errc::invalid);
}

TEST_F(blas_rules, elements_of_types_that_do_not_fit_are_refused_by_name) {
  float memory[4] = {};
  const auto refused = [&](std::int32_t operation, std::initializer_list<std::int32_t> types) {
    prism::blas::detail::request r(operation);
    const prism::vector_view<float> any(memory, 1);
    for (const std::int32_t type : types) {
      r.add("x", any);
      r.what.operand[r.what.operand_count - 1].type = type;
    }
    return error_of([&] { prism::blas::detail::run(queue, r, {}); }, &text) == sycl::errc::invalid;
  };
  EXPECT_TRUE(refused(PRISM_AXPY, {PRISM_F32, PRISM_F64}));
  EXPECT_NE(text.find("operand 1 has elements of double instead of float"), std::string::npos) << text;
  EXPECT_TRUE(refused(PRISM_AXPY, {PRISM_S32, PRISM_S32}));
  EXPECT_NE(text.find("not for elements of int32"), std::string::npos) << text;
  EXPECT_TRUE(refused(PRISM_NRM2, {PRISM_C32, PRISM_C32}));
  EXPECT_TRUE(refused(PRISM_IAMAX, {PRISM_F32, PRISM_F32}));
  EXPECT_TRUE(refused(PRISM_SCAL, {PRISM_F16}));
  EXPECT_NE(text.find("of half there is only gemm"), std::string::npos) << text;
}

} // namespace
