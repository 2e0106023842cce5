// Factorisations and what is solved by them, by the residuals of LAPACK's test suite, in every layout and in
// both kinds of memory.
#include "tests/kernels/linalg_common.hpp"

namespace {

using namespace linalg_test;
namespace la = prism::linalg;

template <typename T>
struct linalg_factors : linalg_typed<T> {};
TYPED_TEST_SUITE(linalg_factors, all_types, type_names);

/// |P L U - A| / (n |A| eps), LAPACK's dget01.
template <typename T>
long double lu_ratio(const dense& a, const operand<T>& factors, const std::vector<std::int64_t>& pivots) {
  const std::size_t least = std::min(a.rows, a.columns);
  const dense f = meant(factors);
  dense l = identity(a.rows, least), u(least, a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) (i > j ? l(i, j) : u(i, j)) = f(i, j);
  dense product = l * u;
  for (std::size_t i = least; i-- > 0;) {
    const auto other = static_cast<std::size_t>(pivots[i]);
    if (other >= a.rows || other < i) return std::numeric_limits<long double>::infinity();
    for (std::size_t j = 0; j < a.columns; ++j) std::swap(product(i, j), product(other, j));
  }
  return ratio<T>(product - a, norm1(a), a.columns);
}

template <typename T, typename Kind>
void check_lu(sycl::queue& queue, const operand<T>& a) {
  if (!Kind::is_there(queue)) return;
  typename Kind::template operands<T> in(queue, a);
  typename Kind::indices pivots(queue, std::min(a.rows, a.columns)), info(queue, 1);
  la::lu(queue, in.matrix(), pivots.view(), info.view()).wait();
  EXPECT_EQ(info.found()[0], 0);
  EXPECT_LE(lu_ratio<T>(meant(a), after(a, in), pivots.found()), of_systems) << a.rows << " x " << a.columns;
}

TYPED_TEST(linalg_factors, lu_multiplied_gives_the_matrix) {
  for (const auto& [m, n] : shapes()) {
    check_lu<TypeParam, usm>(this->queue, this->make.matrix(m, n));
    check_lu<TypeParam, buffers>(this->queue, this->make.matrix(m, n));
  }
}

/// |B - A X| / (|A| |X| eps), LAPACK's dget02.
template <typename T>
long double solution_ratio(const dense& a, const dense& x, const dense& b) {
  return ratio<T>(b - a * x, norm1(a) * norm1(x), 1);
}

template <typename T, typename Kind>
void check_solutions(sycl::queue& queue, variety<T>& make, std::size_t n, std::size_t k) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const operand<T> a = make.matrix(n, n), b = make.matrix(n, k);
  In in(queue, a);
  typename Kind::indices pivots(queue, n), info(queue, 1);
  {
    In x(queue, b);
    la::solve(queue, in.matrix(), x.matrix(), info.view()).wait();
    EXPECT_EQ(info.found()[0], 0);
    EXPECT_LE(solution_ratio<T>(meant(a), meant(after(b, x)), meant(b)), of_systems) << n;
    EXPECT_EQ(std::memcmp(in.found().data(), a.memory.data(), a.memory.size() * sizeof(T)), 0)
        << "the matrix has changed";
  }
  la::lu(queue, in.matrix(), pivots.view(), info.view()).wait();
  for (const op form : {op::plain, op::transposed, op::adjoint}) {
    In x(queue, b);
    la::lu_solve(queue, form, in.matrix(), pivots.view(), x.matrix()).wait();
    const dense plain = meant(a), seen = form == op::plain     ? plain
                                         : form == op::adjoint ? adjoint(plain)
                                                               : transposed(plain);
    EXPECT_LE(solution_ratio<T>(seen, meant(after(b, x)), meant(b)), of_systems) << n << ", " << int(form);
  }
}

TYPED_TEST(linalg_factors, solutions_fit_their_right_sides) {
  for (const std::size_t n : {1u, 2u, 17u, 64u, 97u}) {
    check_solutions<TypeParam, usm>(this->queue, this->make, n, 3);
    check_solutions<TypeParam, buffers>(this->queue, this->make, n, n == 17 ? 40 : 1);
  }
}

template <typename T, typename Kind>
void check_cholesky(sycl::queue& queue, variety<T>& make, std::size_t n, bool lower) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  operand<T> a = make.matrix(n, n);
  make_positive(a);
  operand<T> half = a; // the other triangle is never read
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (lower ? j > i : i > j) half.at(i, j) = T(std::numeric_limits<real<T>>::quiet_NaN());
  const operand<T> b = make.matrix(n, 4);
  In in(queue, half), x(queue, b), y(queue, b);
  typename Kind::indices info(queue, 1), second(queue, 1);
  const uplo triangle = lower ? uplo::lower : uplo::upper;
  la::solve_positive(queue, triangle, in.matrix(), y.matrix(), second.view()).wait();
  la::cholesky(queue, triangle, in.matrix(), info.view()).wait();
  la::cholesky_solve(queue, triangle, in.matrix(), x.matrix()).wait();
  EXPECT_EQ(info.found()[0], 0);
  EXPECT_EQ(second.found()[0], 0);
  const operand<T> found = after(half, in);
  const dense l =
      lower ? meant(found, meaning::triangular, true) : adjoint(meant(found, meaning::triangular, false));
  const dense whole = meant(a);
  EXPECT_LE(ratio<T>(l * adjoint(l) - whole, norm1(whole), n), of_systems)
      << n << (lower ? " lower" : " upper");
  EXPECT_LE(solution_ratio<T>(whole, meant(after(b, x)), meant(b)), of_systems) << n;
  EXPECT_LE(solution_ratio<T>(whole, meant(after(b, y)), meant(b)), of_systems) << n;
}

TYPED_TEST(linalg_factors, cholesky_multiplied_gives_the_matrix) {
  for (const std::size_t n : {1u, 2u, 16u, 33u, 97u, 130u})
    for (const bool lower : {true, false}) {
      check_cholesky<TypeParam, usm>(this->queue, this->make, n, lower);
      check_cholesky<TypeParam, buffers>(this->queue, this->make, n, lower);
    }
}

// Smaller matrices are one panel, which the host factors.
TYPED_TEST(linalg_factors, matrices_of_many_panels_are_factored) {
  constexpr std::size_t n = 530;
  check_lu<TypeParam, buffers>(this->queue, this->make.matrix(n, n));
  check_lu<TypeParam, buffers>(this->queue, this->make.matrix(90, n));
  check_cholesky<TypeParam, buffers>(this->queue, this->make, n, true);
}

/// R of a factorisation, and its Q by form_q.
template <typename T, typename In>
std::pair<dense, dense> parts_of_qr(sycl::queue& queue, variety<T>& make, const operand<T>& a, const In& in,
                                    const In& tau) {
  const std::size_t least = std::min(a.rows, a.columns);
  const operand<T> whole = make.matrix(a.rows, a.rows);
  In q(queue, whole);
  la::form_q(queue, in.matrix(), tau.vector(), q.matrix()).wait();
  dense r = meant(after(a, in));
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < std::min(i, a.columns); ++j) r(i, j) = 0;
  (void)least;
  return {meant(after(whole, q)), r};
}

template <typename T, typename Kind>
void check_qr(sycl::queue& queue, variety<T>& make, std::size_t m, std::size_t n) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const operand<T> a = make.matrix(m, n), none = make.vector(std::min(m, n));
  In in(queue, a), tau(queue, none);
  la::qr(queue, in.matrix(), tau.vector()).wait();
  const auto [q, r] = parts_of_qr<T>(queue, make, a, in, tau);
  const dense whole = meant(a);
  EXPECT_LE(ratio<T>(r - adjoint(q) * whole, norm1(whole), m), of_systems) << m << " x " << n;
  EXPECT_LE(lost_orthogonality<T>(q), of_systems) << m << " x " << n;
  for (const bool right : {false, true})
    for (const bool adjoints : {false, true}) {
      const operand<T> c = right ? make.matrix(5, m) : make.matrix(m, 5);
      In to(queue, c);
      la::multiply_q(queue, right ? la::side::right : la::side::left, adjoints, in.matrix(), tau.vector(),
                     to.matrix())
          .wait();
      const dense by = adjoints ? adjoint(q) : q, old = meant(c);
      EXPECT_LE(ratio<T>(meant(after(c, to)) - (right ? old * by : by * old), norm1(old), m), of_systems)
          << m << " x " << n << (right ? " right" : " left") << (adjoints ? " adjoint" : "");
    }
}

TYPED_TEST(linalg_factors, qr_has_an_orthogonal_factor_and_gives_the_matrix) {
  for (const auto& [m, n] : shapes()) {
    check_qr<TypeParam, usm>(this->queue, this->make, m, n);
    check_qr<TypeParam, buffers>(this->queue, this->make, m, n);
  }
}

template <typename T, typename Kind>
void check_pivoted_qr(sycl::queue& queue, variety<T>& make, const operand<T>& a) {
  if (!Kind::is_there(queue)) return;
  const std::size_t m = a.rows, n = a.columns;
  using In = typename Kind::template operands<T>;
  const operand<T> none = make.vector(std::min(m, n));
  In in(queue, a), tau(queue, none);
  typename Kind::indices order(queue, n);
  la::qr_pivoted(queue, in.matrix(), order.view(), tau.vector()).wait();
  const auto [q, r] = parts_of_qr<T>(queue, make, a, in, tau);
  const std::vector<std::int64_t> columns = order.found();
  dense exchanged(m, n);
  std::vector<bool> met(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto from = static_cast<std::size_t>(columns[j]);
    ASSERT_LT(from, n);
    ASSERT_FALSE(met[from]) << "column " << from << " twice";
    met[from] = true;
    for (std::size_t i = 0; i < m; ++i) exchanged(i, j) = a.value(i, from);
  }
  EXPECT_LE(ratio<T>(q * r - exchanged, norm1(exchanged), std::max(m, n)), of_systems) << m << " x " << n;
  for (std::size_t i = 1; i < std::min(m, n); ++i)
    EXPECT_LE(std::abs(r(i, i)), std::abs(r(i - 1, i - 1)) * (1 + 100 * epsilon<T>())) << i;
}

TYPED_TEST(linalg_factors, pivoted_qr_gives_the_columns_by_falling_size) {
  for (const auto& [m, n] : shapes()) {
    check_pivoted_qr<TypeParam, usm>(this->queue, this->make, this->make.matrix(m, n));
    check_pivoted_qr<TypeParam, buffers>(this->queue, this->make, this->make.matrix(m, n));
  }
}

TYPED_TEST(linalg_factors, pivoted_qr_orders_columns_that_are_nearly_parallel) {
  // What is left of the norms after the first column is below the rounding of the norms' squares.
  const long double little = std::sqrt(epsilon<TypeParam>()) / 10;
  operand<TypeParam> a = this->make.matrix(40, 30);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j)
      a.at(i, j) = rounded<TypeParam>(1.0L + little * static_cast<long double>(j + 1) * a.value(i, j));
  check_pivoted_qr<TypeParam, usm>(this->queue, this->make, a);
}

template <typename T, typename Kind>
void check_least_squares(sycl::queue& queue, variety<T>& make, std::size_t m, std::size_t n, std::size_t k) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const operand<T> a = make.matrix(m, n), b = make.matrix(m, k), none = make.matrix(n, k);
  In in(queue, a), right(queue, b), by_qr(queue, none), by_svd(queue, none);
  typename Kind::indices info(queue, 1), rank(queue, 1), second(queue, 1);
  la::least_squares(queue, in.matrix(), right.matrix(), by_qr.matrix(), info.view()).wait();
  la::least_squares(queue, in.matrix(), right.matrix(), by_svd.matrix(), 1e-6, rank.view(), second.view())
      .wait();
  EXPECT_EQ(info.found()[0], 0);
  EXPECT_EQ(second.found()[0], 0);
  EXPECT_EQ(rank.found()[0], std::int64_t(std::min(m, n)));
  const dense whole = meant(a), x = meant(after(none, by_qr)), z = meant(after(none, by_svd));
  const std::size_t most = std::max(m, n);
  for (const dense& each : {x, z}) {
    const dense left = whole * each - meant(b);
    if (m > n) // LAPACK's dqrt17
      EXPECT_LE(ratio<T>(adjoint(whole) * left,
                         norm1(whole) * std::max(norm1(meant(b)), norm1(whole) * norm1(each)), most),
                of_systems)
          << m << " x " << n;
    else EXPECT_LE(ratio<T>(left, norm1(whole) * norm1(each), most), of_systems) << m << " x " << n;
  }
  // Of the smallest solution, which is unique, both ways find the same.
  EXPECT_LE(norm1(x - z), norm1(x) * 1e5 * epsilon<T>()) << m << " x " << n;
}

TYPED_TEST(linalg_factors, least_squares_solutions_leave_an_orthogonal_remainder) {
  for (const auto& [m, n] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {20, 5}, {5, 20}, {90, 40}, {40, 90}}) {
    check_least_squares<TypeParam, usm>(this->queue, this->make, m, n, 1);
    check_least_squares<TypeParam, buffers>(this->queue, this->make, m, n, 7);
  }
}

template <typename T, typename Kind>
void check_inverse(sycl::queue& queue, variety<T>& make, std::size_t n) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const operand<T> a = make.matrix(n, n), none = make.matrix(n, n);
  In in(queue, a), to(queue, none);
  typename Kind::indices info(queue, 1);
  la::inverse(queue, in.matrix(), to.matrix(), info.view()).wait();
  EXPECT_EQ(info.found()[0], 0);
  const dense whole = meant(a), inverse = meant(after(none, to));
  EXPECT_LE(ratio<T>(whole * inverse - identity(n, n), norm1(whole) * norm1(inverse), n), of_systems) << n;
}

TYPED_TEST(linalg_factors, a_matrix_times_its_inverse_is_the_identity) {
  for (const std::size_t n : {1u, 5u, 40u, 97u}) {
    check_inverse<TypeParam, usm>(this->queue, this->make, n);
    check_inverse<TypeParam, buffers>(this->queue, this->make, n);
  }
}

/// By elimination with the largest pivot, in long double.
exact determinant_of(dense a) {
  exact out = 1;
  for (std::size_t k = 0; k < a.rows; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    if (best != k) {
      out = -out;
      for (std::size_t j = 0; j < a.rows; ++j) std::swap(a(k, j), a(best, j));
    }
    out *= a(k, k);
    for (std::size_t i = k + 1; i < a.rows; ++i) {
      const exact by = a(i, k) / a(k, k);
      for (std::size_t j = k; j < a.rows; ++j) a(i, j) -= by * a(k, j);
    }
  }
  return out;
}

template <typename T, typename Kind>
void check_determinant(sycl::queue& queue, variety<T>& make, std::size_t n) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  using InReal = typename Kind::template operands<real<T>>;
  const operand<T> a = make.matrix(n, n), none = make.vector(1);
  const operand<real<T>> no_log(1, 1, 5);
  In in(queue, a), to(queue, none), sign(queue, none);
  InReal log(queue, no_log);
  la::determinant(queue, in.matrix(), to.vector()).wait();
  la::log_determinant(queue, in.matrix(), sign.vector(), log.vector()).wait();
  const exact want = determinant_of(meant(a)), found = after(none, to).value(0);
  const exact by_log = after(none, sign).value(0) * std::exp(after(no_log, log).value(0));
  const long double bound = std::abs(want) * 1000 * static_cast<long double>(n) * epsilon<T>() * 10;
  EXPECT_LE(std::abs(found - want), bound) << n << ": " << found << " instead of " << want;
  EXPECT_LE(std::abs(by_log - want), bound) << n << ": " << by_log << " instead of " << want;
}

TYPED_TEST(linalg_factors, determinants_equal_those_of_elimination) {
  for (const std::size_t n : {1u, 2u, 9u, 40u}) {
    check_determinant<TypeParam, usm>(this->queue, this->make, n);
    check_determinant<TypeParam, buffers>(this->queue, this->make, n);
  }
}

template <typename T, typename Kind>
void check_transposes(sycl::queue& queue, variety<T>& make, std::size_t m, std::size_t n) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const operand<T> a = make.matrix(m, n), none = make.matrix(n, m);
  In in(queue, a), to(queue, none), adjoints(queue, none);
  la::transpose(queue, in.matrix(), to.matrix()).wait();
  la::transpose(queue, la::conjugated(in.matrix()), adjoints.matrix()).wait();
  EXPECT_EQ(meant(after(none, to)).values, transposed(meant(a)).values);
  EXPECT_EQ(meant(after(none, adjoints)).values, adjoint(meant(a)).values);
  for (const layout how : {layout::row_major, layout::column_major}) {
    const operand<T> before = make.matrix(m, n, how);
    In there(queue, before);
    la::transpose(queue, there.matrix()).wait();
    operand<T> found(n, m, how, 1);
    found.memory = there.found(), found.first = before.first;
    EXPECT_EQ(meant(found).values, transposed(meant(before)).values) << m << " x " << n;
  }
  if (m != n) return;
  In itself(queue, a);
  la::transpose(queue, itself.matrix()).wait();
  EXPECT_EQ(meant(after(a, itself)).values, transposed(meant(a)).values);
}

TYPED_TEST(linalg_factors, transposes_have_rows_for_columns_in_place_too) {
  for (const auto& [m, n] : shapes()) {
    check_transposes<TypeParam, usm>(this->queue, this->make, m, n);
    check_transposes<TypeParam, buffers>(this->queue, this->make, m, n);
  }
}

template <typename T, typename Kind>
void check_norms(sycl::queue& queue, variety<T>& make, std::size_t m, std::size_t n, long double scale) {
  if (!Kind::is_there(queue)) return;
  using R = real<T>;
  operand<T> a = make.matrix(m, n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) a.at(i, j) = rounded<T>(a.value(i, j) * scale);
  typename Kind::template operands<T> in(queue, a);
  const dense whole = meant(a);
  long double squares = 0, largest = 0;
  for (const exact& value : whole.values)
    squares += std::norm(value), largest = std::max(largest, std::abs(value));
  const std::pair<la::norm_of, long double> all[] = {{la::norm_of::one, norm1(whole)},
                                                     {la::norm_of::infinity, norm1(transposed(whole))},
                                                     {la::norm_of::frobenius, std::sqrt(squares)},
                                                     {la::norm_of::largest, largest}};
  for (const auto& [kind, want] : all) {
    const operand<R> none(1, 1, 3);
    typename Kind::template operands<R> to(queue, none);
    la::norm(queue, kind, in.matrix(), to.vector()).wait();
    const long double found = after(none, to).at(0);
    EXPECT_LE(std::abs(found - want), want * static_cast<long double>(m + n + 8) * 4 * epsilon<T>())
        << m << " x " << n << ", norm " << int(kind) << ": " << found << " instead of " << want;
  }
}

TYPED_TEST(linalg_factors, norms_equal_their_definitions_near_the_limits_too) {
  using R = real<TypeParam>;
  const long double large = std::numeric_limits<R>::max() / 1e5L,
                    small = std::numeric_limits<R>::min() * 1e3L;
  for (const auto& [m, n] : shapes())
    for (const long double scale : {1.0L, large, small}) {
      if (scale == small && this->queue.get_device().get_backend() == sycl::backend::ext_prism_vulkan)
        continue;
      check_norms<TypeParam, usm>(this->queue, this->make, m, n, scale);
      check_norms<TypeParam, buffers>(this->queue, this->make, m, n, scale);
    }
}

} // namespace
