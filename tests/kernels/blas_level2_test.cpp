// The library's own kernels for a matrix and vectors, on every device, in every layout, for USM and buffers,
// compared with long double.
#include "tests/kernels/blas_operands.hpp"

namespace {

using namespace blas_test;
using prism::blas::conjugated, prism::blas::diag, prism::blas::uplo;

template <typename T>
class blas_level2 : public ::testing::Test {
protected:
  static constexpr std::array names{"gemv", "ger",  "symv", "hemv", "syr",
                                    "her",  "syr2", "her2", "trmv", "trsv"};
  void SetUp() override {
    if (!has_type<T>(queue)) GTEST_SKIP() << "the device has no double precision";
    for (const char* name : names) prism::blas::pin(name, implementation());
  }
  void TearDown() override {
    for (const char* name : names) prism::blas::pin(name, "");
  }
  sycl::queue queue;
  static T number(double re, double im) { return rounded<T>(exact(re, is_complex<T> ? im : 0)); }
  const T alpha = number(0.75, 0.5), beta = number(-1.5, 2);

  /// Calls `what` with the operands in USM, then in buffers, and compares the last operand.
  template <typename Call, typename... Inputs>
  void check(const char* name, const expected& sum, const exact& factor, const operand<T>& out, char only,
             bool hermitian, const Call& what, const Inputs&... in) {
    if (queue.get_device().has(sycl::aspect::usm_device_allocations)) {
      const in_usm<T> to(queue, out);
      what(in_usm<T>(queue, in)..., to);
      queue.wait_and_throw();
      expect_within_bound(std::string(name) + ", USM", out, to.found(), sum, factor, only, hermitian);
    }
    const in_buffer<T> to(queue, out);
    what(in_buffer<T>(queue, in)..., to);
    queue.wait_and_throw();
    expect_within_bound(std::string(name) + ", buffers", out, to.found(), sum, factor, only, hermitian);
  }
};
TYPED_TEST_SUITE(blas_level2, all_types, type_names);

TYPED_TEST(blas_level2, gemv_is_within_the_bound_in_all_layouts_and_shapes) {
  using T = TypeParam;
  variety<T> any;
  for (const auto& [m, n] : {std::array<std::size_t, 2>{1, 1}, {33, 20}, {3, 900}, {700, 5}, {130, 260}})
    for (const layout how : all_layouts) {
      const auto a = any.matrix(m, n, how);
      const auto x = any.vector(n, 1 + any.made % 2), y = any.vector(m, any.made % 2 ? 1 : -2);
      expected sum(m, 1);
      sum.add(exactly(this->alpha), meant(a), meant(x));
      this->check("gemv", sum, exactly(this->beta), y, 'a', false,
                  [&](const auto& left, const auto& right, const auto& to) {
        prism::blas::gemv(this->queue, this->alpha, left.matrix(), right.vector(), this->beta, to.vector());
      }, a, x);
    }
}

TYPED_TEST(blas_level2, gemv_of_many_rows_and_adjacent_numbers_is_within_the_bound) {
  using T = TypeParam;
  variety<T> any;
  for (const auto& [m, n] : {std::array<std::size_t, 2>{259, 130}, {256, 64}, {603, 75}, {5, 900}, {1030, 7}})
    for (const layout how : {layout::row_major, layout::column_major, layout::padded_rows}) {
      const auto a = any.matrix(m, n, how);
      const auto x = any.vector(n), y = any.vector(m);
      expected sum(m, 1);
      sum.add(exactly(this->alpha), meant(a), meant(x));
      this->check("gemv", sum, exactly(this->beta), y, 'a', false,
                  [&](const auto& left, const auto& right, const auto& to) {
        prism::blas::gemv(this->queue, this->alpha, left.matrix(), right.vector(), this->beta, to.vector());
      }, a, x);
    }
}

TYPED_TEST(blas_level2, gemv_of_an_adjoint_is_that_of_what_it_means) {
  using T = TypeParam;
  variety<T> any;
  for (const layout how : all_layouts) {
    const auto a = any.matrix(40, 90, how);
    const auto x = any.vector(40), y = any.vector(90);
    expected sum(90, 1);
    sum.add(exactly(this->alpha), adjoint(meant(a)), adjoint(transposed(meant(x))));
    this->check("gemv of an adjoint", sum, 0, y, 'a', false,
                [&](const auto& left, const auto& right, const auto& to) {
      prism::blas::gemv(this->queue, this->alpha, conjugated(left.matrix().transposed()),
                        conjugated(right.vector()), 0, to.vector());
    }, a, x);
  }
}

TYPED_TEST(blas_level2, ger_and_gerc_add_an_outer_product) {
  using T = TypeParam;
  variety<T> any;
  for (const bool adjoint_y : {false, true})
    for (const layout how : all_layouts) {
      const auto x = any.vector(33, 2), y = any.vector(41, -1), a = any.matrix(33, 41, how);
      expected sum(33, 41);
      sum.add(exactly(this->alpha), meant(x), adjoint_y ? adjoint(meant(y)) : transposed(meant(y)));
      this->check(adjoint_y ? "gerc" : "ger", sum, 1, a, 'a', false,
                  [&](const auto& left, const auto& right, const auto& to) {
        if (adjoint_y)
          prism::blas::gerc(this->queue, this->alpha, left.vector(), right.vector(), to.matrix());
        else prism::blas::geru(this->queue, this->alpha, left.vector(), right.vector(), to.matrix());
      }, x, y);
    }
}

TYPED_TEST(blas_level2, symv_and_hemv_mirror_the_triangle_that_is_stored) {
  using T = TypeParam;
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const bool lower : {false, true})
      for (const layout how : all_layouts) {
        const auto a = any.matrix(75, 75, how);
        const auto x = any.vector(75, 2), y = any.vector(75);
        expected sum(75, 1);
        sum.add(exactly(this->alpha), meant(a, hermitian ? meaning::hermitian : meaning::symmetric, lower),
                meant(x));
        this->check(hermitian ? "hemv" : "symv", sum, exactly(this->beta), y, 'a', false,
                    [&](const auto& left, const auto& right, const auto& to) {
          const uplo triangle = lower ? uplo::lower : uplo::upper;
          if (hermitian)
            prism::blas::hemv(this->queue, triangle, this->alpha, left.matrix(), right.vector(), this->beta,
                              to.vector());
          else
            prism::blas::symv(this->queue, triangle, this->alpha, left.matrix(), right.vector(), this->beta,
                              to.vector());
        }, a, x);
      }
}

TYPED_TEST(blas_level2, syr_her_syr2_and_her2_write_one_triangle) {
  using T = TypeParam;
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const bool lower : {false, true}) {
      const auto x = any.vector(37, 2), y = any.vector(37), a = any.matrix(37, 37);
      const auto turned = hermitian ? adjoint : transposed;
      const exact alpha = exactly(this->alpha);
      const uplo triangle = lower ? uplo::lower : uplo::upper;
      const char only = lower ? 'l' : 'u';
      expected once(37, 37), twice(37, 37);
      once.add(hermitian ? exact(0.75) : alpha, meant(x), turned(meant(x)));
      twice.add(alpha, meant(x), turned(meant(y)));
      twice.add(hermitian ? std::conj(alpha) : alpha, meant(y), turned(meant(x)));
      this->check("syr, her", once, 1, a, only, hermitian, [&](const auto& left, const auto& to) {
        if (hermitian) prism::blas::her(this->queue, triangle, real<T>(0.75), left.vector(), to.matrix());
        else prism::blas::syr(this->queue, triangle, this->alpha, left.vector(), to.matrix());
      }, x);
      this->check("syr2, her2", twice, 1, a, only, hermitian,
                  [&](const auto& left, const auto& right, const auto& to) {
        if (hermitian)
          prism::blas::her2(this->queue, triangle, this->alpha, left.vector(), right.vector(), to.matrix());
        else
          prism::blas::syr2(this->queue, triangle, this->alpha, left.vector(), right.vector(), to.matrix());
      }, x, y);
    }
}

TYPED_TEST(blas_level2, trmv_multiplies_and_trsv_brings_the_vector_back) {
  using T = TypeParam;
  variety<T> any;
  for (const bool lower : {false, true})
    for (const bool is_unit : {false, true})
      for (const std::size_t n : {std::size_t(9), std::size_t(150)}) {
        auto a = any.matrix(n, n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            a.at(i, j) = i == j ? this->number(2, 1)
                                : rounded<T>(a.value(i, j) * (2.0L / static_cast<long double>(n)));
        const auto x = any.vector(n, -2);
        const uplo triangle = lower ? uplo::lower : uplo::upper;
        const diag diagonal = is_unit ? diag::unit : diag::non_unit;
        expected sum(n, 1);
        sum.add(1, meant(a, meaning::triangular, lower, is_unit), meant(x));
        this->check("trmv", sum, 0, x, 'a', false, [&](const auto& left, const auto& to) {
          prism::blas::trmv(this->queue, triangle, diagonal, left.matrix(), to.vector());
        }, a);
        // The inverse of such a matrix is small: both computations lose a few roundings per term.
        expected same(n, 1);
        same.terms = 8 * n;
        for (std::size_t i = 0; i < n; ++i) same.value(i, 0) = x.value(i), same.size(i, 0) = 2;
        this->check("trmv and trsv", same, 0, x, 'a', false, [&](const auto& left, const auto& to) {
          prism::blas::trmv(this->queue, triangle, diagonal, left.matrix(), to.vector()).wait();
          prism::blas::trsv(this->queue, triangle, diagonal, left.matrix(), to.vector());
        }, a);
      }
}

} // namespace
