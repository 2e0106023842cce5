// Linear algebra of arrays: residuals, closed forms, and results of NumPy 1.24 written next to each call.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>

namespace {

using namespace prism;
using prism_test::error_of;
using reals = std::vector<double>;
using complexes = std::vector<std::complex<double>>;

constexpr dtype floating[] = {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};
double tolerance_of(dtype type) { return type == dtype::float32 || type == dtype::complex64 ? 2e-4 : 1e-11; }
reals reals_of(const any_array& a) { return a.astype(dtype::float64).to_vector<double>(); }
void expect_near(const any_array& got, const reals& wanted, double tolerance = 1e-12) {
  const reals all = reals_of(got);
  ASSERT_EQ(all.size(), wanted.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], wanted[i], tolerance) << i;
}
void expect_near(const any_array& got, const any_array& wanted, double tolerance) {
  ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape()));
  if (got.size() > 0) {
    EXPECT_LE(max(abs(got - wanted)).item<double>(), tolerance);
  }
}
sycl::errc refusal(const std::function<void()>& call, const std::string& words) {
  std::string text;
  const sycl::errc code = error_of(call, &text);
  EXPECT_NE(text.find(words), std::string::npos) << text;
  return code;
}

/// Numbers between -1 and 1 without a pattern; complex ones where the type is.
any_array numbers(const extents& shape, dtype type, double first = 1) {
  reals values(std::size_t(shape.product()));
  complexes pairs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(first + 37.0 * double(i) * double(i) + double(i));
    pairs.emplace_back(values[i], std::cos(first * 3 + 53.0 * double(i) * double(i)));
  }
  return is_complex(type) ? asarray(pairs, shape).astype(type) : asarray(values, shape).astype(type);
}
any_array adjoint(const any_array& a) { return conj(linalg::matrix_transpose(a)); }
any_array identity(std::int64_t n, dtype type) { return eye(n, {}, 0, type); }

TEST(array_linalg, solutions_inverses_and_powers_of_stacks_leave_small_residuals) {
  for (const dtype type : floating) {
    SCOPED_TRACE(name_of(type));
    const double small = tolerance_of(type);
    for (const std::int64_t n : {1, 5, 40}) {
      const any_array a = numbers({2, 3, n, n}, type) + identity(n, type) * 8,
                      b = numbers({3, n, 2}, type, 5);
      const any_array x = linalg::solve(a, b);
      EXPECT_EQ(x.type(), type);
      EXPECT_EQ(x.shape(), (extents{2, 3, n, 2}));
      expect_near(matmul(a, x), b.broadcast_to(x.shape()), small * double(n));
      const any_array v = numbers({n}, type, 7), one = a[{1, 2}];
      expect_near(matmul(one, linalg::solve(one, v)), v, small * double(n));
      expect_near(matmul(linalg::solve(one.swapaxes(0, 1), b), identity(2, type)),
                  linalg::solve(one.swapaxes(0, 1).copy(), b), small);
      expect_near(matmul(linalg::inv(a), a), identity(n, type).broadcast_to(a.shape()), small * double(n));
      expect_near(linalg::matrix_power(one, 3), matmul(one, matmul(one, one)), small * 4000);
      expect_near(linalg::matrix_power(one, -2), linalg::inv(matmul(one, one)), small);
    }
  }
  EXPECT_EQ(reals_of(linalg::matrix_power(asarray(std::vector<int>{1, 1, 1, 0}, {2, 2}), 10)),
            (reals{89, 55, 55, 34}));
  EXPECT_EQ(reals_of(linalg::matrix_power(zeros({2, 2}, dtype::int64), 0)), (reals{1, 0, 0, 1}));
  expect_near(linalg::solve(asarray(std::vector<int>{2, 0, 0, 4}, {2, 2}), asarray(std::vector<int>{1, 1})),
              reals{0.5, 0.25});
}

TEST(array_linalg, determinants_are_numpys) {
  const any_array a = asarray(reals{4, 1, 2, 1, 3, 0, 2, 0, 5, 2, -1, 0, 1, 3, 1, 0, 2, -4}, {2, 3, 3});
  expect_near(linalg::det(a), reals{43, -32}, 1e-12);
  const auto [sign, log] = linalg::slogdet(a);
  EXPECT_EQ(reals_of(sign), (reals{1, -1}));
  expect_near(log, reals{3.7612001156935624, 3.4657359027997265});
  EXPECT_EQ(linalg::det(a[{0}]).ndim(), 0);
  const auto of_singular = linalg::slogdet(ones({2, 2}));
  EXPECT_EQ(of_singular.logabsdet.item<double>(), -INFINITY);
  EXPECT_EQ(reals_of(linalg::det(zeros({2, 0, 0}))), (reals{1, 1}));
}

TEST(array_linalg, factors_are_triangular_or_unitary_and_their_products_are_the_matrices) {
  for (const dtype type : floating) {
    SCOPED_TRACE(name_of(type));
    const double small = tolerance_of(type);
    for (const extents& shape : {extents{2, 6, 4}, extents{4, 6}, extents{5, 5}, extents{40, 35}}) {
      const any_array a = numbers(shape, type);
      const std::int64_t m = shape[shape.size() - 2], n = shape[shape.size() - 1], k = std::min(m, n);
      for (const bool complete : {false, true}) {
        const auto [q, r] = linalg::qr(a, complete);
        expect_near(matmul(q, r), a, small * 10);
        expect_near(matmul(adjoint(q), q),
                    identity(complete ? m : k, type).broadcast_to(matmul(adjoint(q), q).shape()), small);
        expect_near(tril(r, -1), zeros(r.shape(), type), 0);
        const auto [u, s, vh] = linalg::svd(a, complete);
        EXPECT_EQ(u.shape()[u.ndim() - 1], complete ? m : k);
        EXPECT_EQ(vh.shape()[vh.ndim() - 2], complete ? n : k);
        const any_array kept = u[{ellipsis, slice{0, k}}] * s.expand_dims(-2).astype(type);
        expect_near(matmul(kept, vh[{ellipsis, slice{0, k}, every}]), a, small * 10);
        expect_near(s, linalg::svdvals(a), small);
        expect_near(sort(s, -1, true), s, 0);
      }
    }
    const any_array b = numbers({3, 6, 6}, type), hermitian = matmul(b, adjoint(b)) + identity(6, type);
    const any_array lower = linalg::cholesky(hermitian);
    expect_near(matmul(lower, adjoint(lower)), hermitian, small * 10);
    expect_near(triu(lower, 1), zeros(lower.shape(), type), 0);
    expect_near(linalg::cholesky(hermitian, true), adjoint(lower), 0);
    const auto [w, v] = linalg::eigh(hermitian);
    expect_near(matmul(hermitian, v), v * w.expand_dims(-2).astype(type), small * 20);
    expect_near(linalg::eigvalsh(hermitian), w, small * 20);
    const auto of_any = linalg::eig(b);
    const dtype pairs = of_any.eigenvalues.type();
    EXPECT_TRUE(is_complex(pairs));
    expect_near(matmul(b.astype(pairs), of_any.eigenvectors),
                of_any.eigenvectors * of_any.eigenvalues.expand_dims(-2), small * 10);
    expect_near(sum(linalg::eigvals(b), {{-1}}), linalg::trace(b).astype(pairs), small * 10);
  }
}

TEST(array_linalg, eigenvalues_and_singular_values_are_numpys) {
  const any_array a = asarray(reals{4, 1, 2, 1, 3, 0, 2, 0, 5}, {3, 3}),
                  g = asarray(std::vector<int>{2, -1, 0, 1, 3, 1, 0, 2, -4}, {3, 3});
  expect_near(linalg::eigvalsh(a), reals{1.854897308799576, 3.4760236029181333, 6.669079088282287});
  const any_array w = sort(linalg::eigvals(g));
  expect_near(w.real(), reals{-4.269224869306941, 2.6346124346534694, 2.6346124346534694});
  expect_near(w.imag(), reals{0, -0.7445288262956061, 0.7445288262956061});
  const any_array t = arange(1, 7).reshape({3, 2});
  expect_near(linalg::svdvals(t), reals{9.52551809156511, 0.5143005806586441});
  expect_near(linalg::pinv(t), reals{-4.0 / 3, -1.0 / 3, 2.0 / 3, 13.0 / 12, 1.0 / 3, -5.0 / 12});
  expect_near(linalg::cholesky(asarray(complexes{2, {0, 1}, {0, -1}, 3}, {2, 2})).imag(),
              reals{0, 0, -std::sqrt(0.5), 0});
}

TEST(array_linalg, least_squares_have_numpys_results_and_the_smallest_solution_without_full_rank) {
  const any_array t = arange(1, 7).reshape({3, 2});
  const auto found = linalg::lstsq(t, asarray(reals{1, 0, 2}));
  expect_near(found.x, reals{0, 0.25});
  expect_near(found.residuals, reals{1.5});
  EXPECT_EQ(found.rank.item<int>(), 2);
  expect_near(found.s, reals{9.525518091565107, 0.5143005806586441});
  const auto of_rank_one = linalg::lstsq(ones({3, 2}), asarray(reals{1, 2, 2, 4, 3, 6}, {3, 2}));
  expect_near(of_rank_one.x, reals{1, 2, 1, 2}); // any with the sums 2 and 4; these are the smallest
  EXPECT_EQ(of_rank_one.rank.item<int>(), 1);
  EXPECT_EQ(of_rank_one.residuals.size(), 0);
  const any_array wide = numbers({4, 7}, dtype::complex128), b = numbers({4}, dtype::complex128);
  expect_near(matmul(wide, linalg::lstsq(wide, b).x), b, 1e-12);
}

TEST(array_linalg, ranks_and_pseudo_inverses_follow_the_tolerance) {
  const any_array a = asarray(reals{1, 0, 0, 0.1, 3, 3, 3, 3, 0, 0, 0, 0}, {3, 2, 2});
  EXPECT_EQ(reals_of(linalg::matrix_rank(a)), (reals{2, 1, 0}));
  EXPECT_EQ(reals_of(linalg::matrix_rank(a, 0.2)), (reals{1, 1, 0}));
  expect_near(linalg::pinv(a[{0}], 0.2), reals{1, 0, 0, 0});
  const any_array twice = concat({a, a}), each = asarray(reals{0.2, 0.2, 0.2, 0.05, 1, 0.2});
  EXPECT_EQ(reals_of(linalg::matrix_rank(twice, each)), (reals{1, 1, 0, 2, 0, 0}));
  EXPECT_EQ(reals_of(linalg::matrix_rank(a, asarray(reals{0.2}, extents{}))), (reals{1, 1, 0}));
  EXPECT_EQ(refusal([&] { linalg::matrix_rank(a, each); }, "(6,)"), sycl::errc::invalid);
  EXPECT_EQ(refusal([&] { linalg::pinv(a, ones({1}, dtype::complex64)); }, "real"), sycl::errc::invalid);
  const any_array inverses = linalg::pinv(twice, each);
  expect_near(inverses[{0}], reals{1, 0, 0, 0});
  expect_near(inverses[{3}], reals{1, 0, 0, 10});
  expect_near(inverses[{4}], reals{0, 0, 0, 0});
  for (const dtype type : floating) {
    const any_array b = numbers({2, 5, 3}, type), p = linalg::pinv(b);
    expect_near(matmul(b, matmul(p, b)), b, tolerance_of(type) * 10);
    expect_near(matmul(p, b), adjoint(matmul(p, b)), tolerance_of(type) * 10);
  }
}

TEST(array_linalg, norms_are_numpys) {
  using linalg::norm;
  const any_array g = asarray(std::vector<int>{2, -1, 0, 1, 3, 1, 0, 2, -4}, {3, 3});
  const auto of = [](const any_array& norm) { return norm.item<double>(); };
  EXPECT_NEAR(of(norm(g)), 6, 1e-12);
  EXPECT_NEAR(of(norm(g, linalg::frobenius)), 6, 1e-12);
  EXPECT_NEAR(of(norm(g, linalg::nuclear)), 9.968523489374045, 1e-12);
  const reals orders{1, -1, 2, -2, INFINITY, -INFINITY},
      wanted{6, 3, 4.552237685015235, 2.156302299342963, 6, 3};
  for (std::size_t i = 0; i < orders.size(); ++i) EXPECT_NEAR(of(norm(g, orders[i])), wanted[i], 1e-12);
  const any_array v = asarray(reals{3, -4, 0, 1});
  const reals vectors{0, 1, 2, 3, INFINITY, -INFINITY},
      lengths{3, 8, 5.0990195135927845, 4.514357435474001, 4, 0};
  for (std::size_t i = 0; i < vectors.size(); ++i) EXPECT_NEAR(of(norm(v, vectors[i])), lengths[i], 1e-12);
  const any_array m = (arange(0, 24) % 7).reshape({2, 3, 4});
  EXPECT_EQ(reals_of(norm(m, 1, {{2, 0}})), (reals{12, 15, 10}));
  EXPECT_EQ(norm(m, 1, {{2, 0}}, true).shape(), (extents{1, 3, 1}));
  EXPECT_EQ(reals_of(linalg::matrix_norm(m, 1)), (reals{11, 13}));
  EXPECT_EQ(linalg::matrix_norm(m, 2, true).shape(), (extents{2, 1, 1}));
  EXPECT_EQ(reals_of(linalg::vector_norm(asarray(complexes{{3, 4}, {0, 0}}), {}, true)), (reals{5}));
}

TEST(array_linalg, products_of_vectors_and_tensors_are_numpys) {
  const any_array x = arange(0, 24).reshape({2, 3, 4}), y = arange(0, 12).reshape({4, 3});
  EXPECT_EQ(reals_of(linalg::cross(asarray(reals{1, 2, 3}), asarray(reals{4, 5, 6, 0, 0, 1}, {2, 3}))),
            (reals{-3, 6, -3, 2, -1, 0}));
  EXPECT_EQ(reals_of(linalg::cross(x[{0}], x[{1}], 0)),
            (reals{-48, -48, -48, -48, 96, 96, 96, 96, -48, -48, -48, -48}));
  EXPECT_EQ(reals_of(linalg::outer(arange(1, 3), arange(3, 6))), (reals{3, 4, 5, 6, 8, 10}));
  EXPECT_EQ(reals_of(linalg::tensordot(x, y, {2, 1}, {0, 1})), reals_of(sum(x * y.transpose(), {{1, 2}})));
  EXPECT_EQ(linalg::tensordot(x, y, 1).shape(), (extents{2, 3, 3}));
  EXPECT_EQ(reals_of(linalg::tensordot(x, y, 1)), reals_of(matmul(x, y)));
  EXPECT_EQ(linalg::tensordot(arange(0, 2), arange(0, 3), 0).shape(), (extents{2, 3}));
  const any_array z = asarray(complexes{{0, 1}, {2, 0}});
  EXPECT_EQ(reals_of(linalg::vecdot(z, z).real()), (reals{5}));
  EXPECT_EQ(reals_of(linalg::vecdot(x, arange(0, 3).reshape({3, 1}), 1)),
            reals_of(sum(x * arange(0, 3).reshape({3, 1}), {{1}})));
  EXPECT_EQ(reals_of(linalg::diagonal(x, 1)), (reals{1, 6, 11, 13, 18, 23}));
  EXPECT_EQ(reals_of(linalg::trace(x, -1)), (reals{4 + 9, 16 + 21}));
  EXPECT_EQ(reals_of(tril(x)[{1}]), (reals{12, 0, 0, 0, 16, 17, 0, 0, 20, 21, 22, 0}));
}

TEST(array_linalg, sums_of_products_in_einsteins_notation) {
  using einsum::einsum;
  for (const dtype type : {dtype::int32, dtype::int64, dtype::uint8, dtype::float32, dtype::float64,
                           dtype::complex64, dtype::complex128}) {
    SCOPED_TRACE(name_of(type));
    const any_array a = arange(0, 6).reshape({2, 3}).astype(type),
                    b = arange(1, 13).reshape({3, 4}).astype(type),
                    s = arange(0, 9).reshape({3, 3}).astype(type),
                    t = arange(0, 24).reshape({2, 3, 4}).astype(type);
    const auto expect = [&](const any_array& got, const any_array& wanted) {
      EXPECT_EQ(got.type(), type);
      ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape()));
      EXPECT_TRUE(all(got == wanted.astype(type)).item<int>()) << got.str() << wanted.str();
    };
    expect(einsum("ij,jk->ik", {a, b}), matmul(a, b));
    expect(einsum("ij,jk", {a, b}), matmul(a, b));
    expect(einsum("ii->i", {s}), s.diagonal());
    expect(einsum("ii", {s}), sum(s.diagonal()));
    expect(einsum("ij->ji", {a}), a.transpose());
    expect(einsum("i,j->ij", {a[{0}], b[{0}]}), linalg::outer(a[{0}], b[{0}]));
    expect(einsum("aij,ij->a", {t, b}), sum(t * b, {{1, 2}}));
    expect(einsum("...j,j->...", {t, b[{0}]}), matmul(t, b[{0}]));
    expect(einsum("ij,jk,kl->il", {a, s, b}), matmul(matmul(a, s), b));
    expect(einsum("iij->j", {stack({s, s, s})[{every, every, slice{0, 2}}]}),
           s[{every, slice{0, 2}}].diagonal() * 0 + sum(s[{every, slice{0, 2}}], {{0}}));
  }
  const std::vector<std::int64_t> nine(9, 2); // of integers: 17 names, more than an array has dimensions
  const any_array left = arange(0, 512), right = arange(7, 519);
  const any_array got = einsum("abcdefghi,ijklmnopq->aq", {left.reshape(nine), right.reshape(nine)}),
                  wanted = einsum("abi,ijq->aq", {left.reshape({2, 128, 2}), right.reshape({2, 128, 2})});
  EXPECT_EQ(reals_of(got), reals_of(wanted));
  EXPECT_EQ(reals_of(got[{0, 0}])[0],
            reals_of(sum(sum(left.reshape({2, 128, 2})[{0}], {{0}}) *
                         sum(right.reshape({2, 128, 2})[{every, every, 0}], {{1}})))[0]);
  EXPECT_EQ(einsum("i,i", {arange(0, 3), ones({3}, dtype::float32)}).type(), dtype::float64);
  const any_array truth = asarray(std::vector<unsigned char>{1, 0, 0, 1}, {2, 2}).astype(dtype::boolean);
  EXPECT_EQ(reals_of(einsum("ij,jk->ik", {truth, truth})), (reals{1, 0, 0, 1}));
  EXPECT_EQ(reals_of(einsum("ij->i", {zeros({2, 0})})), (reals{0, 0}));
  EXPECT_EQ(refusal([] { einsum("ij,k3->i", {ones({2, 2}), ones({2, 2})}); }, "column"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { einsum("ij,jk->ik", {ones({2, 3}), ones({2, 3})}); }, "3"), sycl::errc::invalid);
}

TEST(array_linalg, recorded_expressions_views_and_typed_arrays_are_operands) {
  const any_array base = numbers({6, 6}, dtype::float64) + identity(6, dtype::float64) * 5;
  const any_array view = base[{slice{{}, {}, 2}, slice{{}, {}, -2}}], lazy = view * 2 + 1;
  expect_near(linalg::inv(view), linalg::inv(view.copy()), 1e-12);
  expect_near(matmul(lazy, linalg::inv(lazy)), identity(3, dtype::float64), 1e-11);
  expect_near(linalg::solve(ones({}).broadcast_to({3, 3}) + identity(3, dtype::float64), ones({3})),
              reals{0.25, 0.25, 0.25});
  const array<float> a(std::vector<float>{2, 1, 1, 3}, {2, 2});
  expect_near(linalg::det(a), reals{5}, 1e-5);
  expect_near(array<float>(linalg::solve(a, array<float>(std::vector<float>{3, 4}))), reals{1, 1}, 1e-6);
}

TEST(array_linalg, matrices_without_a_result_and_unfit_shapes_are_refused_with_the_reason) {
  const any_array stack_of = stack({identity(2, dtype::float64), zeros({2, 2})});
  EXPECT_EQ(refusal([&] { linalg::inv(stack_of); }, "inv: matrix 1 is singular"), sycl::errc::runtime);
  EXPECT_EQ(refusal([&] { linalg::solve(zeros({2, 2}), ones({2})); }, "solve: the matrix is singular"),
            sycl::errc::runtime);
  EXPECT_EQ(refusal([&] { linalg::cholesky(stack_of - 1); }, "not positive definite"), sycl::errc::runtime);
  EXPECT_EQ(refusal([&] { linalg::svd(full({2, 2}, NAN)); }, "not finite"), sycl::errc::runtime);
  EXPECT_EQ(refusal([] { linalg::inv(ones({2, 3})); }, "2 x 3"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::det(ones({3})); }, "(3,)"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::solve(ones({2, 2}), ones({3})); }, "2 and 3 rows"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::tensordot(ones({2, 3}), ones({2, 3}), 1); }, "3 elements"),
            sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::cross(ones({2}), ones({2})); }, "3 elements"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::norm(ones({2, 2}), 3); }, "not 3"), sycl::errc::invalid);
  EXPECT_EQ(refusal([] { linalg::lstsq(ones({2, 2}), ones({3})); }, "(m, n)"), sycl::errc::invalid);
  EXPECT_EQ(linalg::inv(zeros({0, 2, 2})).shape(), (extents{0, 2, 2}));
  EXPECT_EQ(linalg::svdvals(zeros({2, 0, 3})).shape(), (extents{2, 0}));
  EXPECT_EQ(linalg::pinv(zeros({0, 3})).shape(), (extents{3, 0}));
}

} // namespace
