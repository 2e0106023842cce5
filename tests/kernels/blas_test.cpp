// axpy, dot and both GEMMs, compared with OpenBLAS.
#include "tests/sycl/common.hpp"

#include <prism/kernels/blas.hpp>

#include <cblas-openblas.h>

#include <random>

namespace {

using prism_test::error_of;

std::vector<float> noise(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> v(n);
  for (float& x : v) x = between(engine);
  return v;
}

using gemm_function = sycl::event (*)(sycl::queue&, float, sycl::buffer<float, 2>&, sycl::buffer<float, 2>&,
                                      float, sycl::buffer<float, 2>&);

void expect_openblas(gemm_function gemm, std::size_t m, std::size_t n, std::size_t k, float alpha,
                     float beta) {
  std::vector<float> a = noise(m * k, 1), b = noise(k * n, 2), c = noise(m * n, 3), expected = c;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), alpha, a.data(), int(k),
              b.data(), int(n), beta, expected.data(), int(n));
  prism_test::error_log errors;
  {
    sycl::queue queue{errors.handler()};
    sycl::buffer<float, 2> left(a.data(), {m, k}), right(b.data(), {k, n}), out(c.data(), {m, n});
    gemm(queue, alpha, left, right, beta, out);
    queue.wait_and_throw();
  }
  ASSERT_TRUE(errors.texts.empty()) << errors.texts.front();
  for (std::size_t i = 0; i < c.size(); ++i)
    ASSERT_NEAR(c[i], expected[i], 1e-6 * double(k + 8))
        << m << " x " << n << " x " << k << ", element " << i;
}

TEST(blas, axpy_adds_a_multiple) {
  const std::vector<float> x = noise(1000, 1);
  std::vector<float> y = noise(1000, 2), expected = y;
  cblas_saxpy(1000, 2.5f, x.data(), 1, expected.data(), 1);
  {
    sycl::queue queue;
    sycl::buffer<float> in(x), out(y.data(), sycl::range<1>(y.size()));
    prism::kernels::axpy(queue, 2.5f, in, out);
  }
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-6) << i;
}

TEST(blas, dot_is_openblas_dot) {
  for (const std::size_t n : {std::size_t(1), std::size_t(257), std::size_t(100000)}) {
    const std::vector<float> x = noise(n, 1), y = noise(n, 2);
    sycl::queue queue;
    sycl::buffer<float> left(x), right(y), sum(sycl::range<1>(1));
    prism::kernels::dot(queue, left, right, sum);
    EXPECT_NEAR(sycl::host_accessor(sum)[0], cblas_dsdot(int(n), x.data(), 1, y.data(), 1),
                1e-6 * double(n) + 1e-5)
        << n;
  }
}

TEST(blas, gemm_is_openblas_gemm_at_any_size) {
  expect_openblas(prism::kernels::gemm, 64, 64, 64, 1, 0);
  expect_openblas(prism::kernels::gemm, 1, 1, 1, 2, 3);
  expect_openblas(prism::kernels::gemm, 17, 33, 5, 0.5f, -1);
  expect_openblas(prism::kernels::gemm, 100, 3, 70, 1, 1);
}

TEST(blas, gemm_does_not_read_c_when_beta_is_zero) {
  std::vector<float> a{2}, b{3}, c{std::nanf("")};
  {
    sycl::queue queue;
    sycl::buffer<float, 2> left(a.data(), {1, 1}), right(b.data(), {1, 1}), out(c.data(), {1, 1});
    prism::kernels::gemm(queue, 1, left, right, 0, out);
  }
  EXPECT_EQ(c[0], 6);
}

TEST(blas, clblast_gemm_is_openblas_gemm) {
  if (sycl::queue().get_backend() != sycl::backend::opencl) {
    sycl::queue queue;
    sycl::buffer<float, 2> one(sycl::range<2>(1, 1)), other(sycl::range<2>(1, 1)), out(sycl::range<2>(1, 1));
    EXPECT_EQ(error_of([&] { prism::kernels::gemm_clblast(queue, 1, one, other, 0, out); }),
              sycl::errc::feature_not_supported);
    return;
  }
  expect_openblas(prism::kernels::gemm_clblast, 64, 64, 64, 1, 0);
  expect_openblas(prism::kernels::gemm_clblast, 33, 65, 17, 0.5f, -1);
}

TEST(blas, sizes_that_disagree_are_refused_by_name) {
  sycl::queue queue;
  sycl::buffer<float> small(sycl::range<1>(3)), large(sycl::range<1>(4));
  sycl::buffer<float, 2> a(sycl::range<2>(2, 3)), b(sycl::range<2>(4, 2)), c(sycl::range<2>(2, 2));
  std::string text;
  EXPECT_EQ(error_of([&] { prism::kernels::axpy(queue, 1, small, large); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("x has 3 elements, y has 4"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { prism::kernels::gemm(queue, 1, a, b, 0, c); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("a is 2 x 3, b is 4 x 2"), std::string::npos) << text;
}

} // namespace
