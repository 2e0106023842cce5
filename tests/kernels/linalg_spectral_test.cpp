// Eigenvalues, singular values and functions of matrices, by the residuals of LAPACK's test suite.
#include "tests/kernels/linalg_common.hpp"

#include <algorithm>

namespace {

using namespace linalg_test;
namespace la = prism::linalg;

template <typename T>
struct linalg_spectra : linalg_typed<T> {};
TYPED_TEST_SUITE(linalg_spectra, all_types, type_names);

template <typename T>
std::vector<exact> values_of(const operand<T>& from) {
  std::vector<exact> out;
  for (std::size_t i = 0; i < from.rows; ++i) out.push_back(from.value(i));
  return out;
}

/// |A - V W V^H| / (n |A| eps), |I - V^H V| / (n eps), LAPACK's dsyt21; values ascend.
template <typename T, typename Kind>
void check_hermitian(sycl::queue& queue, variety<T>& make, const operand<T>& a, bool lower) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  using InReal = typename Kind::template operands<real<T>>;
  const std::size_t n = a.rows;
  operand<T> half = a;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (lower ? j > i : i > j) half.at(i, j) = T(std::numeric_limits<real<T>>::quiet_NaN());
  const operand<T> no_vectors = make.matrix(n, n);
  const operand<real<T>> no_values(n, 1, 3);
  In in(queue, half), v(queue, no_vectors);
  InReal w(queue, no_values), alone(queue, no_values);
  typename Kind::indices info(queue, 1);
  const uplo triangle = lower ? uplo::lower : uplo::upper;
  la::eigh(queue, triangle, in.matrix(), w.vector(), v.matrix(), info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  la::eigh(queue, triangle, in.matrix(), alone.vector(), v.matrix().submatrix(0, 0, 0, 0), info.view())
      .wait();
  ASSERT_EQ(info.found()[0], 0);
  const dense whole = meant(half, meaning::hermitian, lower), vectors = meant(after(no_vectors, v));
  const std::vector<exact> values = values_of(after(no_values, w)),
                           again = values_of(after(no_values, alone));
  EXPECT_LE(ratio<T>(whole - vectors * diagonal_of(values, n, n) * adjoint(vectors), norm1(whole), n),
            of_symmetric)
      << n;
  EXPECT_LE(lost_orthogonality<T>(vectors), of_symmetric) << n;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_LE(std::abs(values[i] - again[i]),
              of_symmetric * static_cast<long double>(n) * norm1(whole) * epsilon<T>());
    if (i > 0) {
      EXPECT_LE(values[i - 1].real(), values[i].real());
    }
  }
}

/// A matrix of small whole numbers of which many eigenvalues coincide.
template <typename T>
operand<T> clustered(variety<T>& make, std::size_t n) {
  operand<T> a = make.matrix(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a.at(i, j) = T(real<T>(i / 3 == j / 3 ? 2 : 0));
  return a;
}

TYPED_TEST(linalg_spectra, hermitian_matrices_equal_their_eigenvectors_and_values) {
  for (const std::size_t n : {1u, 2u, 3u, 16u, 45u, 90u, 150u})
    for (const bool lower : {true, false}) {
      check_hermitian<TypeParam, usm>(this->queue, this->make, this->make.matrix(n, n), lower);
      check_hermitian<TypeParam, buffers>(this->queue, this->make, clustered(this->make, n), lower);
    }
}

TYPED_TEST(linalg_spectra, hermitian_matrices_near_the_limits_of_the_type_have_eigenvalues) {
  using R = real<TypeParam>;
  for (const long double scale :
       {std::numeric_limits<R>::max() / 1e6L, std::numeric_limits<R>::min() * 1e6L}) {
    operand<TypeParam> a = this->make.matrix(20, 20);
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 20; ++j) a.at(i, j) = rounded<TypeParam>(a.value(i, j) * scale);
    check_hermitian<TypeParam, usm>(this->queue, this->make, a, true);
  }
}

/// |A V - B V W| / (|A| |V| n eps), LAPACK's dsgt01; V^H B V is the identity.
template <typename T, typename Kind>
void check_generalised(sycl::queue& queue, variety<T>& make, std::size_t n, bool lower) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  operand<T> a = make.matrix(n, n), b = make.matrix(n, n);
  make_positive(b);
  const operand<T> no_vectors = make.matrix(n, n);
  const operand<real<T>> no_values(n, 1, 3);
  In in(queue, a), of_b(queue, b), v(queue, no_vectors);
  typename Kind::template operands<real<T>> w(queue, no_values);
  typename Kind::indices info(queue, 1);
  la::eigh(queue, lower ? uplo::lower : uplo::upper, in.matrix(), of_b.matrix(), w.vector(), v.matrix(),
           info.view())
      .wait();
  ASSERT_EQ(info.found()[0], 0);
  const dense whole = meant(a, meaning::hermitian, lower), other = meant(b, meaning::hermitian, lower),
              vectors = meant(after(no_vectors, v));
  const dense values = diagonal_of(values_of(after(no_values, w)), n, n);
  const long double size = norm1(whole) * norm1(vectors) * std::max(1.0L, norm1(other));
  EXPECT_LE(ratio<T>(whole * vectors - other * vectors * values, size, n), of_symmetric) << n;
  EXPECT_LE(ratio<T>(adjoint(vectors) * other * vectors - identity(n, n), norm1(other), n), of_symmetric)
      << n;
}

TYPED_TEST(linalg_spectra, generalised_eigenvectors_are_orthonormal_in_the_second_matrix) {
  for (const std::size_t n : {1u, 7u, 40u}) {
    check_generalised<TypeParam, usm>(this->queue, this->make, n, true);
    check_generalised<TypeParam, buffers>(this->queue, this->make, n, false);
  }
}

/// |A V - V W| / (|A| |V| 2 eps), LAPACK's dget22, which divides by dlamch('Precision'); columns of norm 1.
template <typename T, typename Kind>
void check_general(sycl::queue& queue, const operand<T>& a) {
  if (!Kind::is_there(queue)) return;
  using C = std::complex<real<T>>;
  using In = typename Kind::template operands<T>;
  using InComplex = typename Kind::template operands<C>;
  const std::size_t n = a.rows;
  variety<C> make;
  const operand<C> no_vectors = make.matrix(n, n), no_values = make.vector(n);
  In in(queue, a);
  InComplex w(queue, no_values), v(queue, no_vectors), alone(queue, no_values);
  typename Kind::indices info(queue, 1);
  la::eig(queue, in.matrix(), w.vector(), v.matrix(), info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  la::eig(queue, in.matrix(), alone.vector(), v.matrix().submatrix(0, 0, 0, 0), info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  const dense whole = meant(a), vectors = meant(after(no_vectors, v));
  const dense values = diagonal_of(values_of(after(no_values, w)), n, n);
  EXPECT_LE(ratio<T>(whole * vectors - vectors * values, norm1(whole) * norm1(vectors), 2), of_general) << n;
  for (std::size_t j = 0; j < n; ++j) {
    long double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += std::norm(vectors(i, j));
    EXPECT_LE(std::abs(std::sqrt(squares) - 1), of_general * epsilon<T>() * static_cast<long double>(n)) << j;
  }
  exact trace = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) trace += whole(i, i), sum += after(no_values, alone).value(i);
  EXPECT_LE(std::abs(trace - sum), of_general * static_cast<long double>(n) * norm1(whole) * epsilon<T>());
}

/// Conjugate pairs, exactly, of eigenvalues and of vectors; real vectors of real eigenvalues.
template <typename T>
void expect_pairs(const std::vector<exact>& values, const dense& vectors) {
  const std::size_t n = values.size();
  for (std::size_t j = 0; j < n; ++j) {
    if (values[j].imag() == 0) {
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(vectors(i, j).imag(), 0) << j << " of " << n;
      continue;
    }
    ASSERT_GT(values[j].imag(), 0) << "the positive imaginary part is first: " << j << " of " << n;
    ASSERT_LT(j + 1, n);
    EXPECT_EQ(values[j + 1], std::conj(values[j])) << j << " of " << n;
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(vectors(i, j + 1), std::conj(vectors(i, j))) << j;
    ++j;
  }
}

/// Left vectors: |U^H A - W U^H|, and what else holds for them as for right ones.
template <typename T, typename Kind>
void check_both_sides(sycl::queue& queue, const operand<T>& a) {
  if (!Kind::is_there(queue)) return;
  using C = std::complex<real<T>>;
  using In = typename Kind::template operands<T>;
  using InComplex = typename Kind::template operands<C>;
  const std::size_t n = a.rows;
  variety<C> make;
  const operand<C> no_vectors = make.matrix(n, n), no_values = make.vector(n);
  In in(queue, a);
  InComplex w(queue, no_values), u(queue, no_vectors), v(queue, no_vectors), alone(queue, no_vectors),
      again(queue, no_values);
  typename Kind::indices info(queue, 1);
  const auto nothing = v.matrix().submatrix(0, 0, 0, 0);
  la::eig(queue, in.matrix(), w.vector(), u.matrix(), v.matrix(), info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  la::eig(queue, in.matrix(), again.vector(), alone.matrix(), nothing, info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  const dense whole = meant(a), left = meant(after(no_vectors, u)), right = meant(after(no_vectors, v));
  const std::vector<exact> values = values_of(after(no_values, w));
  const dense diagonal = diagonal_of(values, n, n);
  EXPECT_LE(ratio<T>(whole * right - right * diagonal, norm1(whole) * norm1(right), 2), of_general) << n;
  EXPECT_LE(ratio<T>(adjoint(left) * whole - diagonal * adjoint(left), norm1(whole) * norm1(left), 2),
            of_general)
      << n;
  EXPECT_EQ(values_of(after(no_values, again)), values); // with any choice of vectors
  for (std::size_t j = 0; j < n; ++j) {
    long double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += std::norm(left(i, j));
    EXPECT_LE(std::abs(std::sqrt(squares) - 1), of_general * epsilon<T>() * static_cast<long double>(n)) << j;
  }
  if constexpr (std::is_same_v<T, real<T>>) expect_pairs<T>(values, left), expect_pairs<T>(values, right);
}

TYPED_TEST(linalg_spectra, left_eigenvectors_belong_to_the_same_eigenvalues) {
  for (const std::size_t n : {1u, 2u, 3u, 16u, 45u}) {
    check_both_sides<TypeParam, usm>(this->queue, this->make.matrix(n, n));
    check_both_sides<TypeParam, buffers>(this->queue, this->make.matrix(n, n));
  }
}

TYPED_TEST(linalg_spectra, general_matrices_near_the_limits_of_the_type_have_eigenvalues) {
  using R = real<TypeParam>;
  using limits = std::numeric_limits<R>;
  for (const R size : {limits::max() / 64, limits::min() / limits::epsilon() * 64}) {
    operand<TypeParam> a = this->make.matrix(8, 8);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) a.at(i, j) = TypeParam(size * R((i * 5 + j * 3) % 7) / 7);
    check_both_sides<TypeParam, usm>(this->queue, a);
  }
}

TYPED_TEST(linalg_spectra, general_matrices_turn_their_eigenvectors_into_multiples) {
  for (const std::size_t n : {1u, 2u, 3u, 16u, 45u, 80u}) {
    check_general<TypeParam, usm>(this->queue, this->make.matrix(n, n));
    check_general<TypeParam, buffers>(this->queue, this->make.matrix(n, n));
  }
}

TYPED_TEST(linalg_spectra, eigenvalues_of_defective_and_rotating_matrices_converge) {
  for (const std::size_t n : {2u, 6u, 12u}) {
    operand<TypeParam> shift = this->make.matrix(n, n), ring = shift, jordan = shift;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        shift.at(i, j) = TypeParam(real<TypeParam>(j == i + 1)); // nilpotent
        ring.at(i, j) =
            TypeParam(real<TypeParam>(j == (i + 1) % n)); // a permutation: no shift helps at first
        jordan.at(i, j) = TypeParam(real<TypeParam>(j == i ? 2 : j == i + 1));
      }
    for (const operand<TypeParam>& each : {shift, ring, jordan})
      check_general<TypeParam, usm>(this->queue, each);
  }
}

/// |A - U S W| / (max(m, n) |A| eps), lost orthogonality of both, LAPACK's dbdt01 and dort01; values descend.
template <typename T, typename Kind>
void check_singular(sycl::queue& queue, variety<T>& make, const operand<T>& a, bool full) {
  if (!Kind::is_there(queue)) return;
  using In = typename Kind::template operands<T>;
  const std::size_t m = a.rows, n = a.columns, least = std::min(m, n), most = std::max(m, n);
  const operand<T> no_u = make.matrix(m, full ? m : least), no_w = make.matrix(full ? n : least, n);
  const operand<real<T>> no_values(least, 1, 3);
  In in(queue, a), u(queue, no_u), w(queue, no_w);
  typename Kind::template operands<real<T>> s(queue, no_values), alone(queue, no_values);
  typename Kind::indices info(queue, 1);
  la::svd(queue, in.matrix(), s.vector(), u.matrix(), w.matrix(), info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  const auto none = u.matrix().submatrix(0, 0, 0, 0);
  la::svd(queue, in.matrix(), alone.vector(), none, none, info.view()).wait();
  ASSERT_EQ(info.found()[0], 0);
  const dense whole = meant(a), left = meant(after(no_u, u)), right = meant(after(no_w, w));
  const std::vector<exact> values = values_of(after(no_values, s)),
                           again = values_of(after(no_values, alone));
  EXPECT_LE(
      ratio<T>(whole - left * diagonal_of(values, left.columns, right.rows) * right, norm1(whole), most),
      of_symmetric)
      << m << " x " << n;
  EXPECT_LE(lost_orthogonality<T>(left), of_symmetric) << m << " x " << n;
  EXPECT_LE(lost_orthogonality<T>(adjoint(right)), of_symmetric) << m << " x " << n;
  for (std::size_t i = 0; i < least; ++i) {
    EXPECT_GE(values[i].real(), 0);
    EXPECT_LE(std::abs(values[i] - again[i]),
              of_symmetric * static_cast<long double>(most) * norm1(whole) * epsilon<T>());
    if (i > 0) {
      EXPECT_GE(values[i - 1].real(), values[i].real());
    }
  }
}

TYPED_TEST(linalg_spectra, matrices_equal_their_singular_vectors_and_values) {
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1},
                             {2, 2},
                             {1, 5},
                             {5, 1},
                             {30, 30},
                             {60, 25},
                             {25, 60},
                             {70, 69},
                             {150, 131},
                             {66, 140}})
    for (const bool full : {false, true}) {
      check_singular<TypeParam, usm>(this->queue, this->make, this->make.matrix(m, n), full);
      check_singular<TypeParam, buffers>(this->queue, this->make, this->make.matrix(m, n), full);
    }
}

TYPED_TEST(linalg_spectra, singular_vectors_of_matrices_without_full_rank_are_orthonormal) {
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{12, 12}, {30, 12}, {12, 30}, {90, 70}}) {
    operand<TypeParam> zero = this->make.matrix(m, n), low = zero;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        zero.at(i, j) = TypeParam(0);
        low.at(i, j) = TypeParam(real<TypeParam>((i + 1) * (j + 2))); // of rank 1
      }
    check_singular<TypeParam, usm>(this->queue, this->make, zero, true);
    check_singular<TypeParam, buffers>(this->queue, this->make, low, true);
    check_singular<TypeParam, usm>(this->queue, this->make, low, false);
  }
}

/// The sum of A^k / k! for a small A, squared until it is that of A.
dense exponential_of(dense a) {
  int squarings = 0;
  for (long double size = norm1(a); size > 0.01L; size /= 2) ++squarings;
  for (exact& value : a.values) value *= std::ldexp(1.0L, -squarings);
  dense sum = identity(a.rows, a.rows), term = sum;
  for (int k = 1; k < 20; ++k) {
    term = term * a;
    for (exact& value : term.values) value /= static_cast<long double>(k);
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += term.values[i];
  }
  for (int k = 0; k < squarings; ++k) sum = sum * sum;
  return sum;
}

TYPED_TEST(linalg_spectra, exponentials_equal_the_series_for_every_size_of_norm) {
  for (const std::size_t n : {1u, 3u, 20u})
    for (const long double scale : {0.0L, 1e-3L, 0.05L, 0.3L, 1.0L, 4.0L}) {
      operand<TypeParam> a = this->make.matrix(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a.at(i, j) = rounded<TypeParam>(a.value(i, j) * scale);
      const operand<TypeParam> none = this->make.matrix(n, n);
      in_buffer<TypeParam> in(this->queue, a), to(this->queue, none);
      indices_in_buffer info(this->queue, 1);
      la::exp(this->queue, in.matrix(), to.matrix(), info.view()).wait();
      EXPECT_EQ(info.found()[0], 0);
      const dense want = exponential_of(meant(a)), found = meant(after(none, to));
      EXPECT_LE(norm1(found - want),
                norm1(want) * 30 * static_cast<long double>(n) * (1 + norm1(meant(a))) * epsilon<TypeParam>())
          << n << ", " << scale;
    }
}

TYPED_TEST(linalg_spectra, square_roots_multiplied_give_the_matrix) {
  for (const std::size_t n : {1u, 2u, 9u, 40u}) {
    operand<TypeParam> a = this->make.matrix(n, n);
    for (std::size_t i = 0; i < n; ++i)
      a.at(i, i) += TypeParam(real<TypeParam>(2 * n)); // no eigenvalue is negative
    const operand<TypeParam> none = this->make.matrix(n, n);
    in_buffer<TypeParam> in(this->queue, a), to(this->queue, none);
    indices_in_buffer info(this->queue, 1);
    la::sqrt(this->queue, in.matrix(), to.matrix(), info.view()).wait();
    EXPECT_EQ(info.found()[0], 0);
    const dense root = meant(after(none, to)), whole = meant(a);
    EXPECT_LE(ratio<TypeParam>(root * root - whole, norm1(root) * norm1(root), n), of_systems) << n;
  }
}

} // namespace
