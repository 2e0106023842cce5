// The library's own kernels for products of matrices and triangular systems, on every device, in every
// layout, for USM and buffers, compared with long double.
#include "tests/kernels/blas_operands.hpp"

namespace {

using namespace blas_test;
using prism::blas::conjugated, prism::blas::diag, prism::blas::side, prism::blas::uplo;

std::string text(const char* name, std::size_t m, std::size_t n, std::size_t k) {
  return std::string(name) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

template <typename T>
class blas_level3 : public ::testing::Test {
protected:
  void SetUp() override {
    if (!has_type<T>(queue)) GTEST_SKIP() << "the device has no double precision";
  }
  sycl::queue queue;
  static T number(double re, double im) { return rounded<T>(exact(re, is_complex<T> ? im : 0)); }
  const T alpha = number(0.75, 0.5), beta = number(-1.5, 2);

  /// Calls `what` with matrices in USM, then in buffers, and compares the last one.
  template <typename Call, typename... Inputs>
  void check(const std::string& name, const expected& sum, const exact& factor, const operand<T>& out,
             char only, bool hermitian, const Call& what, const Inputs&... in) {
    if (queue.get_device().has(sycl::aspect::usm_device_allocations)) {
      const in_usm<T> to(queue, out);
      run(what, to, in_usm<T>(queue, in)...);
      expect_within_bound(name + ", USM", out, to.found(), sum, factor, only, hermitian);
    }
    const in_buffer<T> to(queue, out);
    run(what, to, in_buffer<T>(queue, in)...);
    expect_within_bound(name + ", buffers", out, to.found(), sum, factor, only, hermitian);
  }

  void check_gemm(const operand<T>& a, const operand<T>& b, const operand<T>& c) {
    const std::size_t m = c.rows, n = c.columns;
    expected sum(m, n);
    sum.add(exactly(alpha), meant(a), meant(b));
    check(text("gemm", m, n, a.columns), sum, exactly(beta), c, 'a', false,
          [&](auto x, auto y, auto z) { prism::blas::gemm(queue, alpha, x, y, beta, z); }, a, b);
  }

private:
  template <typename Call, typename Out, typename... Inputs>
  void run(const Call& what, const Out& to, const Inputs&... in) {
    what(in.matrix()..., to.matrix());
    queue.wait_and_throw();
  }
};
TYPED_TEST_SUITE(blas_level3, all_types, type_names);

TYPED_TEST(blas_level3, gemm_is_within_the_bound_of_each_element_in_all_layouts) {
  using T = TypeParam;
  const own_kernels own("gemm");
  variety<T> any;
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{1, 1, 1}, {17, 35, 9}, {40, 70, 33}, {5, 6, 0}, {3, 1, 20}, {1, 7, 20}})
    for (const layout how : all_layouts)
      this->check_gemm(any.matrix(m, k, how), any.matrix(k, n), any.matrix(m, n));
}

TYPED_TEST(blas_level3, gemm_with_a_narrow_side_is_within_the_bound_in_all_layouts) {
  using T = TypeParam;
  const own_kernels own("gemm");
  variety<T> any;
  // More than a strip of columns or a group of rows, and steps that fill no whole vectors or blocks.
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{7, 300, 21}, {300, 7, 21}, {16, 10, 530}, {40, 12, 259}, {2, 33, 64}})
    for (const layout how : all_layouts)
      this->check_gemm(any.matrix(m, k, how), any.matrix(k, n, how), any.matrix(m, n));
}

TYPED_TEST(blas_level3, gemm_of_transposed_and_conjugated_operands_is_that_of_what_they_mean) {
  using T = TypeParam;
  const own_kernels own("gemm");
  const operand<T> a(20, 13, layout::padded_rows, 1), b(37, 20, layout::column_major, 2),
      c(13, 37, layout::row_major, 3);
  expected sum(13, 37);
  sum.add(exactly(this->alpha), adjoint(meant(a)), adjoint(meant(b)));
  this->check("adjoint times adjoint", sum, 0, c, 'a', false, [&](auto x, auto y, auto z) {
    prism::blas::gemm(this->queue, this->alpha, conjugated(x.transposed()), conjugated(y).transposed(), 0, z);
  }, a, b);
}

TYPED_TEST(blas_level3, gemm_of_large_matrices_with_the_default_choice_is_within_the_bound) {
  using T = TypeParam;
  const operand<T> a(70, 300, layout::row_major, 1), b(300, 90, layout::row_major, 2),
      c(70, 90, layout::row_major, 3);
  expected sum(70, 90);
  sum.add(1, meant(a), meant(b));
  this->check("gemm", sum, 0, c, 'a', false,
              [&](auto x, auto y, auto z) { prism::blas::gemm(this->queue, 1, x, y, 0, z); }, a, b);
}

TYPED_TEST(blas_level3, symm_and_hemm_mirror_the_triangle_that_is_stored) {
  using T = TypeParam;
  const own_kernels symm("symm"), hemm("hemm");
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const bool lower : {false, true})
      for (const bool right : {false, true}) {
        const std::size_t m = 21, n = 34, order = right ? n : m;
        const operand<T> a = any.matrix(order, order), b = any.matrix(m, n), c = any.matrix(m, n);
        const dense whole = meant(a, hermitian ? meaning::hermitian : meaning::symmetric, lower);
        expected sum(m, n);
        if (right) sum.add(exactly(this->alpha), meant(b), whole);
        else sum.add(exactly(this->alpha), whole, meant(b));
        this->check(hermitian ? "hemm" : "symm", sum, exactly(this->beta), c, 'a', false,
                    [&](auto x, auto y, auto z) {
          const side from = right ? side::right : side::left;
          const uplo triangle = lower ? uplo::lower : uplo::upper;
          if (hermitian) prism::blas::hemm(this->queue, from, triangle, this->alpha, x, y, this->beta, z);
          else prism::blas::symm(this->queue, from, triangle, this->alpha, x, y, this->beta, z);
        }, a, b);
      }
}

TYPED_TEST(blas_level3, syrk_and_herk_write_one_triangle) {
  using T = TypeParam;
  const own_kernels syrk("syrk"), herk("herk");
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const bool lower : {false, true})
      for (const layout how : all_layouts) {
        const operand<T> a = any.matrix(41, 15, how), c = any.matrix(41, 41);
        const dense plain = meant(a);
        expected sum(41, 41);
        sum.add(hermitian ? exact(0.75) : exactly(this->alpha), plain,
                hermitian ? adjoint(plain) : transposed(plain));
        this->check(hermitian ? "herk" : "syrk", sum, hermitian ? exact(-1.5) : exactly(this->beta), c,
                    lower ? 'l' : 'u', hermitian, [&](auto x, auto z) {
          const uplo triangle = lower ? uplo::lower : uplo::upper;
          if (hermitian) prism::blas::herk(this->queue, triangle, real<T>(0.75), x, real<T>(-1.5), z);
          else prism::blas::syrk(this->queue, triangle, this->alpha, x, this->beta, z);
        }, a);
      }
}

TYPED_TEST(blas_level3, syr2k_and_her2k_write_one_triangle) {
  using T = TypeParam;
  const own_kernels syr2k("syr2k"), her2k("her2k");
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const bool lower : {false, true}) {
      const operand<T> a = any.matrix(37, 11), b = any.matrix(37, 11), c = any.matrix(37, 37);
      const auto turned = hermitian ? adjoint : transposed;
      const exact alpha = exactly(this->alpha);
      expected sum(37, 37);
      sum.add(alpha, meant(a), turned(meant(b)));
      sum.add(hermitian ? std::conj(alpha) : alpha, meant(b), turned(meant(a)));
      this->check(hermitian ? "her2k" : "syr2k", sum, hermitian ? exact(-1.5) : exactly(this->beta), c,
                  lower ? 'l' : 'u', hermitian, [&](auto x, auto y, auto z) {
        const uplo triangle = lower ? uplo::lower : uplo::upper;
        if (hermitian) prism::blas::her2k(this->queue, triangle, this->alpha, x, y, real<T>(-1.5), z);
        else prism::blas::syr2k(this->queue, triangle, this->alpha, x, y, this->beta, z);
      }, a, b);
    }
}

/// A triangular matrix whose inverse is of moderate size.
template <typename T>
operand<T> well_conditioned(operand<T> a) {
  const std::size_t n = a.rows;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      a.at(i, j) = i == j ? rounded<T>(a.value(i, j) * 0.25L + exact(2, 0))
                          : rounded<T>(a.value(i, j) * (2.0L / static_cast<long double>(n)));
  return a;
}

TYPED_TEST(blas_level3, trmm_multiplies_by_the_triangle_alone) {
  using T = TypeParam;
  const own_kernels own("trmm");
  variety<T> any;
  for (const std::size_t order : {std::size_t(5), std::size_t(150)})
    for (const bool lower : {false, true})
      for (const bool right : {false, true})
        for (const bool is_unit : {false, true}) {
          const std::size_t other = 19;
          const operand<T> a = any.matrix(order, order),
                           b = any.matrix(right ? other : order, right ? order : other);
          const dense triangle = meant(a, meaning::triangular, lower, is_unit, right);
          expected sum(b.rows, b.columns);
          if (right) sum.add(exactly(this->alpha), meant(b), triangle);
          else sum.add(exactly(this->alpha), triangle, meant(b));
          this->check("trmm", sum, 0, b, 'a', false, [&](auto x, auto y) {
            const uplo which = lower ? uplo::lower : uplo::upper;
            const diag diagonal = is_unit ? diag::unit : diag::non_unit;
            if (right)
              prism::blas::trmm(this->queue, side::right, which, diagonal, this->alpha, conjugated(x), y);
            else prism::blas::trmm(this->queue, side::left, which, diagonal, this->alpha, x, y);
          }, a);
        }
}

/// Checks |alpha B - A X| <= (n + 3) u (|A| |X| + |alpha B|) for each element.
template <typename T>
void expect_solution(const std::string& what, const dense& a, const operand<T>& b,
                     const std::vector<T>& found, const exact& alpha, bool right) {
  dense x(b.rows, b.columns);
  for (std::size_t i = 0; i < b.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j) x(i, j) = exactly(found[b.index(i, j)]);
  expected product(b.rows, b.columns);
  if (right) product.add(1, x, a);
  else product.add(1, a, x);
  for (std::size_t i = 0; i < b.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j) {
      const exact want = alpha * b.value(i, j);
      const long double bound =
          static_cast<long double>(a.rows + 3) * unit<T>() * (std::abs(product.size(i, j)) + std::abs(want));
      ASSERT_LE(std::abs(product.value(i, j) - want), bound) << what << ": element " << i << ", " << j;
    }
}

TYPED_TEST(blas_level3, trsm_solves_so_that_the_product_is_the_right_hand_side) {
  using T = TypeParam;
  const own_kernels own("trsm");
  variety<T> any;
  for (const std::size_t order : {std::size_t(6), std::size_t(150)})
    for (const bool lower : {false, true})
      for (const bool right : {false, true})
        for (const bool is_unit : {false, true}) {
          const std::size_t other = 17;
          const operand<T> a = well_conditioned<T>(any.matrix(order, order)),
                           b = any.matrix(right ? other : order, right ? order : other);
          const in_buffer<T> matrix(this->queue, a), to(this->queue, b);
          prism::blas::trsm(this->queue, right ? side::right : side::left, lower ? uplo::lower : uplo::upper,
                            is_unit ? diag::unit : diag::non_unit, this->alpha, matrix.matrix(), to.matrix());
          this->queue.wait_and_throw();
          expect_solution("trsm", meant(a, meaning::triangular, lower, is_unit), b, to.found(),
                          exactly(this->alpha), right);
        }
}

TEST(blas_product, has_the_same_bits_on_one_thread_and_on_all) {
  const own_kernels own("gemm");
  const sycl::device all = sycl::queue().get_device();
  if (all.get_backend() != sycl::backend::ext_prism_host ||
      all.get_info<sycl::info::device::max_compute_units>() < 2)
    GTEST_SKIP() << all.get_info<sycl::info::device::name>() << " cannot be divided into threads";
  using sycl::info::partition_property;
  const sycl::device one = all.create_sub_devices<partition_property::partition_by_counts>({1}).front();
  for (const std::size_t n : {96, 300, 512, 600}) {
    std::vector<float> a(n * n), found[2] = {std::vector<float>(n * n), std::vector<float>(n * n)};
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1 / float(1 + i * 7919 % 10007);
    for (const int i : {0, 1}) {
      sycl::queue queue(i == 0 ? one : all);
      sycl::buffer<float> from(a), to(found[i]);
      const auto in = prism::row_major(from, n, n);
      prism::blas::gemm(queue, 1.0f, in, in, 0.0f, prism::row_major(to, n, n));
    }
    EXPECT_TRUE(found[0] == found[1]) << n;
  }
}

TEST(blas_hermitian, a_matrix_of_one_element_is_real_on_either_side) {
  using T = std::complex<float>;
  const own_kernels own("hemm");
  sycl::queue queue;
  for (const side where : {side::left, side::right})
    for (const std::size_t other : {1, 5}) {
      sycl::buffer<T> a{sycl::range<1>(1)}, b{sycl::range<1>(other)}, c{sycl::range<1>(other)};
      {
        const sycl::host_accessor one(a, sycl::write_only), factor(b, sycl::write_only);
        one[0] = T(2, 1e9f); // the imaginary part is not read
        for (std::size_t i = 0; i < other; ++i) factor[i] = T(float(i), 1);
      }
      const std::size_t rows = where == side::left ? 1 : other, columns = where == side::left ? other : 1;
      prism::blas::hemm(queue, where, uplo::upper, 1, prism::row_major(a, 1, 1),
                        prism::row_major(b, rows, columns), 0, prism::row_major(c, rows, columns));
      const sycl::host_accessor found(c, sycl::read_only);
      for (std::size_t i = 0; i < other; ++i) EXPECT_EQ(found[i], T(2 * float(i), 2)) << other;
    }
}

TYPED_TEST(blas_level3, a_strided_batch_is_every_product_of_it) {
  using T = TypeParam;
  const own_kernels own("gemm");
  variety<T> any;
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{4, 4, 4}, {13, 9, 21}, {31, 40, 30}, {70, 66, 65}, {3, 5, 0}})
    for (const layout how : {layout::row_major, layout::column_major, layout::padded_rows}) {
      // One operand holds the batch: the rows of one matrix follow those of the previous one.
      const std::size_t count = m < 20 ? 40 : 3; // many: several products for each work-item
      const operand<T> a = any.matrix(count * m, k, layout::padded_rows), b = any.matrix(k, n, how),
                       c = any.matrix(count * m, n, layout::padded_rows);
      const in_buffer<T> left(this->queue, a), right(this->queue, b), to(this->queue, c);
      const auto batch_of = [&](const auto& all) {
        const auto whole = all.matrix();
        return prism::buffer_batch_view<T>(whole.submatrix(0, 0, m, whole.columns), count,
                                           static_cast<std::ptrdiff_t>(m) * whole.row_stride);
      };
      const prism::buffer_batch_view<T> shared(right.matrix(), count, 0);
      prism::blas::gemm(this->queue, this->alpha, batch_of(left), shared, this->beta, batch_of(to));
      this->queue.wait_and_throw();
      expected sum(count * m, n);
      sum.add(exactly(this->alpha), meant(a), meant(b));
      expect_within_bound(text("batch", m, n, k), c, to.found(), sum, exactly(this->beta));
    }
}

TYPED_TEST(blas_level3, a_group_of_products_of_several_shapes_is_each_of_them) {
  using T = TypeParam;
  variety<T> any;
  const operand<T> a = any.matrix(12, 7), b = any.matrix(7, 20), c = any.matrix(12, 20),
                   d = any.matrix(20, 12);
  const in_buffer<T> first(this->queue, a), second(this->queue, b), to(this->queue, c),
      turned(this->queue, d);
  using product = prism::blas::gemm_product<T, prism::buffer_place<T>>;
  prism::blas::gemm(this->queue,
                    std::vector<product>{{T(1), first.matrix(), second.matrix(), T(0), to.matrix()},
                                         {T(2), second.matrix().transposed(), first.matrix().transposed(),
                                          T(0), turned.matrix()}});
  this->queue.wait_and_throw();
  expected plain(12, 20), twice(20, 12);
  plain.add(1, meant(a), meant(b));
  twice.add(2, transposed(meant(b)), transposed(meant(a)));
  expect_within_bound("the first", c, to.found(), plain, 0);
  expect_within_bound("the second", d, turned.found(), twice, 0);
}

} // namespace
