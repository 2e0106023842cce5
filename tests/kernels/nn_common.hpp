// What the tests of <prism/nn.hpp> share: random tensors in memory of the host and in a buffer, and the
// comparison with a definition in double.
#pragma once

#include "tests/kernels/blas_operands.hpp"

#include <prism/nn.hpp>

namespace nn_test {

using namespace blas_test;
namespace nn = prism::nn;
using prism::tensor;

template <typename T>
std::vector<T> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<T> out(count);
  for (T& x : out) x = T(any(random));
  return out;
}
/// A tensor of four dimensions in memory of the host and in a buffer.
template <typename T>
struct image {
  std::array<std::size_t, 4> n;
  std::vector<T> data;
  sycl::buffer<T, 1> memory;
  image(std::array<std::size_t, 4> extent, unsigned seed)
      : n(extent), data(noise<T>(extent[0] * extent[1] * extent[2] * extent[3], seed)),
        memory(sycl::range<1>(data.size() + 1)) {
    write();
  }
  /// Copies `data` to the buffer.
  void write() {
    const sycl::host_accessor to(memory, sycl::write_only);
    std::copy(data.begin(), data.end(), to.begin());
  }
  double at(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
    return double(data[((a * n[1] + b) * n[2] + c) * n[3] + d]);
  }
  auto view() const { return tensor(memory, {n[0], n[1], n[2], n[3]}); }
  std::vector<T> found() {
    const sycl::host_accessor all(memory, sycl::read_only);
    return {all.begin(), all.begin() + std::ptrdiff_t(data.size())};
  }
};
template <typename T>
void expect_near(const std::vector<T>& found, const std::vector<double>& expected, double scale,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(double(found[i]), expected[i], scale * std::numeric_limits<T>::epsilon())
        << what << ", " << i;
}

template <typename T>
class networks : public testing::Test {
protected:
  void SetUp() override {
    const sycl::queue queue;
    if (!has_type<T>(queue))
      GTEST_SKIP() << queue.get_device().get_info<sycl::info::device::name>() << " has no double precision";
  }
};

} // namespace nn_test
