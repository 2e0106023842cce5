// clFFT through SYCL interoperability, compared with FFTW in double precision.
#include "tests/sycl/common.hpp"

#include <prism/kernels/fft.hpp>

#include <fftw3.h>

#include <random>

namespace {

using value = std::complex<float>;
using prism_test::error_of;

std::vector<value> noise(std::size_t n) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<value> v(n);
  for (value& x : v) x = {between(engine), between(engine)};
  return v;
}

std::vector<std::complex<double>> fftw(const std::vector<value>& in) {
  std::vector<std::complex<double>> data(in.begin(), in.end());
  auto* raw = reinterpret_cast<fftw_complex*>(data.data());
  fftw_plan plan = fftw_plan_dft_1d(int(in.size()), raw, raw, FFTW_FORWARD,
                                    FFTW_ESTIMATE); // ESTIMATE does not overwrite the data
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return data;
}

bool on_opencl(sycl::queue& queue) { return queue.get_backend() == sycl::backend::opencl; }

TEST(fft, forward_equals_fftw) {
  sycl::queue queue;
  if (!on_opencl(queue)) GTEST_SKIP() << "clFFT works on OpenCL queues";
  for (const std::size_t n : {8, 1024, 3 * 5 * 7 * 4, 4096}) {
    std::vector<value> data = noise(n);
    const auto expected = fftw(data);
    {
      sycl::buffer<value> buffer(data.data(), sycl::range<1>(n));
      prism::kernels::fft(queue, buffer, prism::kernels::fft_direction::forward);
      queue.wait_and_throw();
    }
    double norm = 0, error = 0;
    for (std::size_t i = 0; i < n; ++i)
      norm += std::norm(expected[i]), error += std::norm(std::complex<double>(data[i]) - expected[i]);
    EXPECT_LE(std::sqrt(error / norm), 1e-6) << n;
  }
}

TEST(fft, backward_undoes_forward) {
  sycl::queue queue;
  if (!on_opencl(queue)) GTEST_SKIP() << "clFFT works on OpenCL queues";
  const std::vector<value> before = noise(512);
  std::vector<value> data = before;
  {
    sycl::buffer<value> buffer(data.data(), sycl::range<1>(data.size()));
    prism::kernels::fft(queue, buffer, prism::kernels::fft_direction::forward);
    prism::kernels::fft(queue, buffer, prism::kernels::fft_direction::backward);
    queue.wait_and_throw();
  }
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_NEAR(std::abs(data[i] - before[i]), 0, 1e-5) << i;
}

TEST(fft, unsupported_transforms_are_rejected_by_name) {
  sycl::queue queue;
  sycl::buffer<value> odd(sycl::range<1>(17)), even(sycl::range<1>(16));
  EXPECT_EQ(error_of([&] { prism::kernels::fft(queue, odd, prism::kernels::fft_direction::forward); }),
            sycl::errc::invalid);
  if (!on_opencl(queue)) {
    EXPECT_EQ(error_of([&] { prism::kernels::fft(queue, even, prism::kernels::fft_direction::forward); }),
              sycl::errc::feature_not_supported);
  }
}

} // namespace
