// What <prism/linalg.hpp> promises in addition to residuals: info of singular and indefinite matrices,
// numbers that are not finite, extents of 0, errors, aliases, order, and who computes.
#include "tests/kernels/linalg_common.hpp"
#include "tests/wait.hpp"

namespace {

using namespace linalg_test;
using prism_test::error_of;
namespace la = prism::linalg;

struct linalg_rules : ::testing::Test {
  sycl::queue queue;
  own_decompositions own;
  std::string text;
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  template <typename T>
  static sycl::buffer<T> filled(const std::vector<T>& values) {
    sycl::buffer<T> out{sycl::range<1>(std::max<std::size_t>(1, values.size()))};
    const sycl::host_accessor all(out, sycl::write_only);
    std::copy(values.begin(), values.end(), all.begin());
    return out;
  }
  template <typename T>
  static std::vector<T> values_of(sycl::buffer<T> from) {
    const sycl::host_accessor all(from, sycl::read_only);
    return {all.begin(), all.end()};
  }
  sycl::buffer<std::int64_t> info{sycl::range<1>(1)}, pivots{sycl::range<1>(200)}, rank{sycl::range<1>(1)};
  prism::buffer_vector_view<std::int64_t> of_info{{info}, 1};
  prism::buffer_vector_view<std::int64_t> first_pivots(std::size_t n) const { return {{pivots}, n}; }
  std::int64_t state() const { return values_of(info)[0]; }
};

TEST_F(linalg_rules, a_singular_matrix_is_reported_by_the_number_of_its_first_zero_pivot) {
  for (const std::size_t n : {3u, 40u, 130u})
    for (const std::size_t zero : {std::size_t(0), n / 2, n - 1}) {
      std::vector<float> values(n * n);
      for (std::size_t i = 0; i < n; ++i) values[i * n + i] = i == zero ? 0.0f : 2.0f;
      auto a = filled(values), b = filled(std::vector<float>(n, 1)), c = filled(values);
      la::solve(queue, prism::row_major(a, n, n), prism::row_major(b, n, 1), of_info);
      EXPECT_EQ(state(), std::int64_t(zero + 1)) << n;
      la::inverse(queue, prism::row_major(a, n, n), prism::row_major(c, n, n), of_info);
      EXPECT_EQ(state(), std::int64_t(zero + 1)) << n;
      la::lu(queue, prism::row_major(a, n, n), first_pivots(n), of_info);
      EXPECT_EQ(state(), std::int64_t(zero + 1)) << n;
      EXPECT_EQ(values_of(a)[0], zero == 0 ? 0.0f : 2.0f) << "the factorisation is complete";
    }
}

TEST_F(linalg_rules, a_matrix_that_is_not_positive_definite_is_reported_by_its_first_such_minor) {
  for (const std::size_t n : {3u, 40u, 130u})
    for (const std::size_t wrong : {std::size_t(0), n / 2, n - 1})
      for (const float value : {-1.0f, 0.0f, nan}) {
        std::vector<float> values(n * n), one(n * n);
        for (std::size_t i = 0; i < n; ++i) values[i * n + i] = i == wrong ? value : 2.0f, one[i * n + i] = 1;
        auto a = filled(values), b = filled(std::vector<float>(n, 1)), w = b, v = filled(values),
             id = filled(one);
        la::solve_positive(queue, uplo::upper, prism::row_major(a, n, n), prism::row_major(b, n, 1), of_info);
        EXPECT_EQ(state(), std::int64_t(wrong + 1)) << n << ", " << value;
        la::eigh(queue, uplo::lower, prism::row_major(id, n, n), prism::row_major(a, n, n),
                 prism::view_of(filled(std::vector<float>(n))), prism::row_major(v, n, n), of_info);
        EXPECT_EQ(state(), std::int64_t(n + wrong + 1)) << n << ", " << value;
        la::cholesky(queue, uplo::lower, prism::column_major(a, n, n), of_info);
        EXPECT_EQ(state(), std::int64_t(wrong + 1)) << n << ", " << value;
      }
}

TEST_F(linalg_rules, least_squares_report_a_matrix_that_is_not_of_full_rank) {
  auto a = filled<float>({1, 0, 2, 0, 3, 0}), b = filled<float>({1, 2, 3}), x = filled<float>({7, 7});
  const auto matrix = prism::row_major(a, 3, 2), right = prism::row_major(b, 3, 1),
             to = prism::row_major(x, 2, 1);
  la::least_squares(queue, matrix, right, to, of_info);
  EXPECT_EQ(state(), 2);
  la::least_squares(queue, matrix, right, to, 1e-5, prism::view_of(rank), of_info);
  EXPECT_EQ(state(), 0);
  EXPECT_EQ(values_of(rank)[0], 1);
  EXPECT_NEAR(values_of(x)[0], 1, 1e-5);
  EXPECT_NEAR(values_of(x)[1], 0, 1e-6) << "the smallest solution";
}

TEST_F(linalg_rules, matrices_that_are_not_finite_have_no_spectrum_and_say_so) {
  for (const float wrong : {nan, infinity}) {
    std::vector<float> values(25, 1);
    values[5 * 2 + 1] = wrong;
    auto a = filled(values), v = filled(values), u = filled(values), w = filled(std::vector<float>(5));
    auto cw = filled(std::vector<std::complex<float>>(5)), cv = filled(std::vector<std::complex<float>>(25));
    const auto matrix = prism::row_major(a, 5, 5), vectors = prism::row_major(v, 5, 5);
    const auto all_nan = [](const auto& found) {
      return std::all_of(found.begin(), found.end(), [](const auto& x) { return x != x; });
    };
    la::eigh(queue, uplo::lower, matrix, prism::view_of(w), vectors, of_info);
    EXPECT_EQ(state(), -1);
    EXPECT_TRUE(all_nan(values_of(w)) && all_nan(values_of(v)));
    la::eig(queue, matrix, prism::view_of(cw), prism::row_major(cv, 5, 5), of_info);
    EXPECT_EQ(state(), -1);
    EXPECT_TRUE(all_nan(values_of(cw)) && all_nan(values_of(cv)));
    auto cu = filled(std::vector<std::complex<float>>(25));
    la::eig(queue, matrix, prism::view_of(cw), prism::row_major(cu, 5, 5), prism::row_major(cv, 5, 5),
            of_info);
    EXPECT_EQ(state(), -1);
    EXPECT_TRUE(all_nan(values_of(cu)) && all_nan(values_of(cv)));
    la::svd(queue, matrix, prism::view_of(w), vectors, prism::row_major(u, 5, 5), of_info);
    EXPECT_EQ(state(), -1);
    EXPECT_TRUE(all_nan(values_of(w)) && all_nan(values_of(u)));
    la::exp(queue, matrix, vectors, of_info);
    EXPECT_EQ(state(), -1);
    la::sqrt(queue, matrix, vectors, of_info);
    EXPECT_EQ(state(), -1);
    EXPECT_TRUE(all_nan(values_of(v)));
  }
}

TEST_F(linalg_rules, a_nan_reaches_the_solution_and_ends_no_factorisation) {
  for (const std::size_t n : {5u, 70u}) {
    std::vector<float> values(n * n);
    for (std::size_t i = 0; i < n * n; ++i) values[i] = float(i % 7) - 3;
    for (std::size_t i = 0; i < n; ++i) values[i * n + i] += 20;
    values[n + 2] = nan;
    auto a = filled(values), b = filled(std::vector<float>(n, 1)), tau = filled(std::vector<float>(n)),
         one = filled<float>({1});
    la::solve(queue, prism::row_major(a, n, n), prism::row_major(b, n, 1), of_info);
    const auto found = values_of(b);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](float x) { return x != x; }));
    la::determinant(queue, prism::row_major(a, n, n), prism::view_of(one));
    EXPECT_TRUE(std::isnan(values_of(one)[0]));
    for (const la::norm_of kind :
         {la::norm_of::one, la::norm_of::infinity, la::norm_of::frobenius, la::norm_of::largest}) {
      la::norm(queue, kind, prism::row_major(a, n, n), prism::view_of(one));
      EXPECT_TRUE(std::isnan(values_of(one)[0])) << int(kind);
    }
    la::qr(queue, prism::row_major(a, n, n), prism::view_of(tau)).wait();
    la::qr_pivoted(queue, prism::row_major(a, n, n), first_pivots(n), prism::view_of(tau)).wait();
  }
}

TEST_F(linalg_rules, the_negative_identity_has_a_complex_square_root_and_no_real_one) {
  auto a = filled<float>({-1, 0, 0, -1}), to = a;
  sycl::buffer<float> result(sycl::range<1>(4));
  la::sqrt(queue, prism::row_major(a, 2, 2), prism::row_major(result, 2, 2), of_info);
  EXPECT_EQ(state(), 1);
  EXPECT_TRUE(std::isnan(values_of(result)[0]));
  auto c = filled<std::complex<float>>({-1, 0, 0, -1});
  sycl::buffer<std::complex<float>> root(sycl::range<1>(4));
  la::sqrt(queue, prism::row_major(c, 2, 2), prism::row_major(root, 2, 2), of_info);
  EXPECT_EQ(state(), 0);
  EXPECT_LT(std::abs(std::abs(values_of(root)[0].imag()) - 1), 1e-6f);
  auto nilpotent = filled<float>({0, 1, 0, 0});
  la::sqrt(queue, prism::row_major(nilpotent, 2, 2), prism::row_major(result, 2, 2), of_info);
  EXPECT_GT(state(), 0) << "it has no square root at all";
}

TEST_F(linalg_rules, operands_without_elements_have_results) {
  auto a = filled<float>({5, 5, 5, 5}), one = filled<float>({9}), two = one;
  const auto none = prism::row_major(a, 0, 0);
  const prism::buffer_vector_view<float> no_values({a}, 0), of_one({one}, 1), of_two({two}, 1);
  const auto fresh = [&] {
    const sycl::host_accessor all(info, sycl::write_only);
    all[0] = 77;
  };
  const auto expect_zero = [&](const char* what) {
    EXPECT_EQ(state(), 0) << what;
    fresh();
  };
  fresh();
  la::solve(queue, none, prism::row_major(a, 0, 3), of_info), expect_zero("solve");
  la::lu(queue, prism::row_major(a, 0, 3), first_pivots(0), of_info), expect_zero("lu");
  la::cholesky(queue, uplo::lower, none, of_info), expect_zero("cholesky");
  la::eigh(queue, uplo::lower, none, no_values, none, of_info), expect_zero("eigh");
  sycl::buffer<std::complex<float>> c(sycl::range<1>(4));
  const auto no_complex = prism::row_major(c, 0, 0);
  la::eig(queue, none, prism::buffer_vector_view<std::complex<float>>({c}, 0), no_complex, no_complex,
          of_info),
      expect_zero("eig of both sides");
  la::exp(queue, none, none, of_info), expect_zero("exp");
  la::inverse(queue, none, none, of_info), expect_zero("inverse");
  la::determinant(queue, none, of_one);
  EXPECT_EQ(values_of(one)[0], 1);
  la::norm(queue, la::norm_of::one, none, of_one);
  EXPECT_EQ(values_of(one)[0], 0);
  sycl::buffer<float> u(sycl::range<1>(9)), x = filled<float>({3, 3});
  la::svd(queue, prism::row_major(a, 3, 0), no_values, prism::row_major(u, 3, 3), prism::row_major(a, 0, 0),
          of_info);
  expect_zero("svd");
  EXPECT_EQ(values_of(u), (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  la::least_squares(queue, prism::row_major(a, 0, 2), prism::row_major(a, 0, 1), prism::row_major(x, 2, 1),
                    of_info);
  expect_zero("least_squares");
  EXPECT_EQ(values_of(x), (std::vector<float>{0, 0}));
  auto full = filled<float>({2, 0, 0, 2});
  la::solve(queue, prism::row_major(full, 2, 2), prism::row_major(a, 2, 0), of_info),
      expect_zero("no right sides");
  EXPECT_EQ(values_of(a), (std::vector<float>{5, 5, 5, 5}));
}

TEST_F(linalg_rules, extents_that_disagree_are_refused_with_the_numbers) {
  sycl::buffer<float> a(sycl::range<1>(100)), b(sycl::range<1>(100)), s(sycl::range<1>(100));
  const auto wide = prism::row_major(a, 3, 4), square = prism::row_major(a, 4, 4);
  const prism::buffer_vector_view<float> three({s}, 3), four({s}, 4);
  const auto refused = [&](auto&& call) {
    text.clear();
    EXPECT_EQ(error_of(call, &text), sycl::errc::invalid);
    return text;
  };
  EXPECT_NE(refused([&] {
    la::solve(queue, wide, prism::row_major(b, 3, 1), of_info);
  }).find("solve float 3x4, 3x1, 1: operand 0 is not square"),
            std::string::npos)
      << text;
  EXPECT_NE(refused([&] {
    la::solve(queue, square, prism::row_major(b, 3, 1), of_info);
  }).find("operand 1 needs to be 4x1"),
            std::string::npos)
      << text;
  EXPECT_NE(refused([&] { la::qr(queue, wide, four); }).find("operand 1 needs 3 elements"), std::string::npos)
      << text;
  EXPECT_NE(refused([&] { la::lu(queue, wide, first_pivots(4), of_info); }).find("needs 3 elements"),
            std::string::npos)
      << text;
  EXPECT_NE(refused([&] {
    la::eigh(queue, uplo::lower, square, three, prism::row_major(b, 4, 4), of_info);
  }).find("needs 4 elements"),
            std::string::npos)
      << text;
  refused(
      [&] { la::svd(queue, wide, three, prism::row_major(b, 3, 4), prism::row_major(b, 4, 4), of_info); });
  sycl::buffer<std::complex<float>> c(sycl::range<1>(64));
  const prism::buffer_vector_view<std::complex<float>> four_values({c}, 4);
  EXPECT_NE(refused([&] {
    la::eig(queue, square, four_values, prism::row_major(c, 4, 3), prism::row_major(c, 0, 0), of_info);
  }).find("operand 2 needs to be 4x4"),
            std::string::npos)
      << text;
  refused([&] { la::transpose(queue, wide, prism::row_major(b, 3, 4)); });
  refused([&] { la::norm(queue, la::norm_of::one, wide, three); });
  refused([&] { la::form_q(queue, wide, three, prism::row_major(b, 3, 4)); });
  refused([&] { la::cholesky(queue, uplo::lower, wide, of_info); });
  EXPECT_NE(refused([&] { la::transpose(queue, prism::row_major(a, 3, 4, 7)); }).find("contiguous"),
            std::string::npos)
      << text;
}

TEST_F(linalg_rules, the_end_of_a_buffer_waits_for_its_factors_and_writes_them_back) {
  constexpr std::size_t n = 40;
  std::vector<float> values(n * n);
  for (std::size_t i = 0; i < n; ++i) values[i * (n + 1)] = 4;
  {
    sycl::buffer<float> all(values);
    la::cholesky(queue, uplo::lower, prism::column_major(all, n, n), of_info);
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(values[i * (n + 1)], 2) << i;
}

TEST_F(linalg_rules, written_operands_that_begin_where_others_do_are_refused) {
  sycl::buffer<float> a(sycl::range<1>(100)), w(sycl::range<1>(100));
  const auto square = prism::row_major(a, 4, 4);
  EXPECT_EQ(error_of([&] { la::inverse(queue, square, square, of_info); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("is written and begins where operand 0 does"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { la::solve(queue, square, prism::row_major(a, 4, 2), of_info); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] {
    la::eigh(queue, uplo::lower, square, prism::buffer_vector_view<float>({w}, 4), square, of_info);
  }),
            sycl::errc::invalid);
  sycl::buffer<float> again = a.reinterpret<float, 1>(a.get_range());
  EXPECT_EQ(error_of([&] { la::inverse(queue, square, prism::row_major(again, 4, 4), of_info); }),
            sycl::errc::invalid)
      << "the memory is the same";
  const prism::buffer_matrix_view<float> repeated({a}, 4, 4, 0, 1);
  EXPECT_EQ(error_of([&] { la::cholesky(queue, uplo::lower, repeated, of_info); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("its elements overlap"), std::string::npos) << text;
}

TEST_F(linalg_rules, pivots_that_are_no_rows_are_not_followed) {
  auto a = filled<float>({1, 0, 0, 1}), b = filled<float>({3, 4});
  auto wrong = filled<std::int64_t>({1000000000, -5});
  la::lu_solve(queue, op::plain, prism::row_major(a, 2, 2), prism::view_of(wrong), prism::row_major(b, 2, 1));
  EXPECT_EQ(values_of(b), (std::vector<float>{3, 4}));
}

TEST_F(linalg_rules, a_device_without_double_precision_is_refused_by_name) {
  if (queue.get_device().has(sycl::aspect::fp64)) GTEST_SKIP() << "the device has double precision";
  sycl::buffer<double> a(sycl::range<1>(4));
  EXPECT_EQ(
      error_of([&] { la::exp(queue, prism::row_major(a, 1, 1), prism::row_major(a, 1, 1, 1, 2), of_info); },
               &text),
      sycl::errc::feature_not_supported);
  EXPECT_NE(text.find("has no double precision"), std::string::npos) << text;
}

TEST_F(linalg_rules, calls_return_while_what_they_wait_for_is_under_way) {
  constexpr std::size_t n = 48;
  std::vector<float> values(n * n, 1);
  for (std::size_t i = 0; i < n; ++i) values[i * n + i] = 100;
  auto a = filled(values), b = filled(std::vector<float>(n, 1)), tau = b, w = b, v = filled(values);
  prism_test::gate closed;
  const sycl::event gate = queue.submit([&](sycl::handler& h) { h.host_task([&] { closed.wait(); }); });
  const auto matrix = prism::row_major(a, n, n);
  la::solve(queue, matrix, prism::row_major(b, n, 1), of_info, {gate});
  la::eigh(queue, uplo::lower, matrix, prism::view_of(filled(std::vector<float>(n))),
           prism::row_major(v, n, n), of_info, {gate});
  const sycl::event last = la::qr(queue, matrix, prism::view_of(filled(std::vector<float>(n))), {gate});
  EXPECT_NE(last.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  closed.open(); // a call that waits would never have come here
  queue.wait_and_throw();
  EXPECT_EQ(state(), 0);
}

TEST_F(linalg_rules, commands_in_order_and_by_events_give_the_same) {
  if (!usm::is_there(queue)) GTEST_SKIP() << "the device has no USM";
  constexpr std::size_t n = 70;
  std::vector<float> values(n * n);
  for (std::size_t i = 0; i < n * n; ++i) values[i] = float(i * 7919 % 101) / 50 - 1;
  for (std::size_t i = 0; i < n; ++i) values[i * n + i] += 10;
  std::vector<std::vector<float>> found;
  for (const bool in_order : {false, true}) {
    sycl::queue own_queue = in_order ? sycl::queue{sycl::property::queue::in_order()} : sycl::queue{};
    float* const a = sycl::malloc_device<float>(n * n, own_queue);
    float* const b = sycl::malloc_device<float>(n, own_queue);
    std::int64_t* const p = sycl::malloc_device<std::int64_t>(n + 1, own_queue);
    sycl::event last = own_queue.copy(values.data(), a, n * n);
    last = own_queue.fill(b, 1.0f, n, {last});
    const auto matrix = prism::row_major(a, n, n), right = prism::row_major(b, n, 1);
    const prism::vector_view<std::int64_t> order(p, n), state_of(p + n, 1);
    last = la::lu(own_queue, matrix, order, state_of, {last});
    last = la::lu_solve(own_queue, op::plain, matrix, order, right, {last});
    found.emplace_back(n);
    own_queue.copy(b, found.back().data(), n, {last}).wait();
    for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(p)})
      sycl::free(memory, own_queue);
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(linalg_rules, the_choice_is_told_and_a_pinned_provider_that_cannot_is_refused) {
  if (std::getenv("BLAS_TEST_ANY")) GTEST_SKIP() << "nothing is pinned here";
  auto a = filled(std::vector<float>(64, 1));
  const auto call = [&] {
    la::lu(queue, prism::row_major(a, 8, 8), first_pivots(8), of_info).wait();
    return prism::blas::last_choice();
  };
  EXPECT_EQ(call(), "getrf float 8x8, 8, 1: prism");
  prism::blas::pin("getrf", "no_such");
  EXPECT_EQ(error_of(call, &text), sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("no_such: "), std::string::npos) << text;
  prism::blas::pin("getrf", "");
  const std::string explained = prism::blas::explain(queue.get_device(), "gesvd", "complex float", 64);
  EXPECT_NE(explained.find("prism: "), std::string::npos) << explained;
}

} // namespace
