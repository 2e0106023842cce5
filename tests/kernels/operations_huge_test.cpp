// Products, sums and transforms whose extents or offsets do not fit 31 bits. Offsets are tested always where
// the device reserves memory without touching it: most of an operand is never read. Extents are tested on
// request: PRISM_SOAK=1 (./prism test --soak 1 -R operations_huge); those need up to 10 GiB. A device or a
// machine with less is skipped by name.
#include "tests/kernels/blas_operands.hpp"
#include "tests/kernels/huge.hpp"

#include <prism/blas.hpp>
#include <prism/fft.hpp>

namespace {

using prism_test::available_bytes;
using prism_test::beyond;

/// Elements of the device, or a null pointer where it has no room for them.
template <typename T>
class memory {
public:
  memory(sycl::queue& queue, std::size_t count) : m_queue(queue) {
    const sycl::device device = queue.get_device();
    if (device.get_info<sycl::info::device::max_mem_alloc_size>() >= count * sizeof(T) &&
        available_bytes() >= count * sizeof(T))
      m_data = sycl::malloc_device<T>(count, queue);
  }
  ~memory() {
    if (m_data) sycl::free(m_data, m_queue);
  }
  memory(const memory&) = delete;
  T* data() const { return m_data; }
  void write(std::size_t at, const std::vector<T>& from) const {
    m_queue.copy(from.data(), m_data + at, from.size()).wait();
  }
  std::vector<T> read(std::size_t at, std::size_t count) const {
    std::vector<T> out(count);
    m_queue.copy(m_data + at, out.data(), count).wait();
    return out;
  }

private:
  mutable sycl::queue m_queue;
  T* m_data = nullptr;
};

class operations_huge : public ::testing::Test {
protected:
  void SetUp() override {
    if (!queue.get_device().has(sycl::aspect::usm_device_allocations))
      GTEST_SKIP() << "no USM on " << prism_test::name_of(queue.get_device());
  }
  sycl::queue queue{sycl::property::queue::in_order()};
};
using operations_huge_extents = operations_huge;
#define SKIP_WITHOUT_ROOM(memory)                                                                            \
  if (memory.data() == nullptr)                                                                              \
  GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " allocates "                                   \
               << queue.get_device().get_info<sycl::info::device::max_mem_alloc_size>()                      \
               << " bytes at most, "                                                                         \
               << "the machine has " << available_bytes() << " left"
#define SKIP_UNLESS_ASKED                                                                                    \
  if (std::getenv("PRISM_SOAK") == nullptr)                                                                  \
  GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak 1 sets it"

TEST_F(operations_huge, rows_of_matrices_may_be_far_apart) {
  constexpr std::size_t n = 20;
  const memory<float> all(queue, beyond + 4 * n);
  SKIP_WITHOUT_ROOM(all);
  const std::vector<float> row(n, 2), ones(n * n, 1);
  const memory<float> b(queue, n * n);
  b.write(0, ones);
  for (const bool own : {true, false}) {
    const prism::blas::scoped_provider pinned(own ? "prism" : "");
    for (const std::size_t first : {std::size_t(0), beyond}) {
      all.write(first, row);
      all.write(first + n, std::vector<float>(n, -1));
    }
    const prism::matrix_view<float> a(all.data(), 2, n, std::ptrdiff_t(beyond), 1),
        c(all.data() + n, 2, n, std::ptrdiff_t(beyond), 1);
    prism::blas::gemm(queue, 1, a, prism::row_major(b.data(), n, n), 3, c).wait();
    for (const std::size_t first : {std::size_t(0), beyond})
      EXPECT_EQ(all.read(first + n, n), std::vector<float>(n, 2 * float(n) - 3))
          << prism::blas::last_choice();
  }
}

TEST_F(operations_huge, elements_of_vectors_may_be_far_apart) {
  const memory<float> all(queue, beyond + 2);
  SKIP_WITHOUT_ROOM(all);
  const memory<float> sum(queue, 1);
  for (const bool own : {true, false}) {
    const prism::blas::scoped_provider pinned(own ? "prism" : "");
    all.write(0, {3, 5}), all.write(beyond, {4, 6});
    const prism::vector_view<float> x(all.data(), 2, std::ptrdiff_t(beyond)),
        y(all.data() + 1, 2, std::ptrdiff_t(beyond)), to(sum.data(), 1);
    prism::blas::dot(queue, x, y, to).wait();
    EXPECT_EQ(sum.read(0, 1)[0], 3 * 5 + 4 * 6) << prism::blas::last_choice();
    prism::blas::axpy(queue, 2, x, y).wait();
    EXPECT_EQ(all.read(1, 1)[0], 5 + 2 * 3) << prism::blas::last_choice();
    EXPECT_EQ(all.read(beyond + 1, 1)[0], 6 + 2 * 4) << prism::blas::last_choice();
  }
}

TEST_F(operations_huge, transforms_of_a_batch_may_be_far_apart) {
  using value = std::complex<float>;
  constexpr std::size_t n = 240, between = beyond / 2; // in numbers of two floats
  const memory<value> all(queue, between + 2 * n);
  SKIP_WITHOUT_ROOM(all);
  std::vector<value> one(n);
  one[1] = 1;
  for (const std::size_t first : {std::size_t(0), between}) all.write(first, one);
  const auto batch = [&](std::size_t at) {
    return prism::fft::grid(all.data() + at, {n}).batched(2, std::ptrdiff_t(between));
  };
  prism::fft::forward(queue, batch(0), batch(n)).wait();
  for (const std::size_t first : {std::size_t(0), between}) {
    const std::vector<value> found = all.read(first + n, n);
    for (std::size_t k = 0; k < n; ++k)
      ASSERT_LE(std::abs(found[k] - value(std::polar(1.0, -2 * 3.141592653589793 * double(k) / double(n)))),
                1e-6f)
          << "transform at " << first << ", " << k;
  }
}

// A stride of 0 is one number for all elements.
TEST_F(operations_huge_extents, reductions_have_every_element) {
  SKIP_UNLESS_ASKED;
  if (!queue.get_device().has(sycl::aspect::fp64))
    GTEST_SKIP() << "no double precision on " << prism_test::name_of(queue.get_device());
  const memory<double> all(queue, 3);
  all.write(0, {2, 3, 0});
  const prism::vector_view<double> x(all.data(), beyond, 0), y(all.data() + 1, beyond, 0),
      to(all.data() + 2, 1);
  prism::blas::dot(queue, x, y, to).wait();
  EXPECT_EQ(all.read(2, 1)[0], 6.0 * double(beyond)) << prism::blas::last_choice();
  prism::blas::asum(queue, x, to).wait();
  EXPECT_EQ(all.read(2, 1)[0], 2.0 * double(beyond)) << prism::blas::last_choice();
  prism::blas::nrm2(queue, x, to).wait();
  EXPECT_NEAR(all.read(2, 1)[0], 2 * std::sqrt(double(beyond)), 1e-4) << prism::blas::last_choice();
}

TEST_F(operations_huge_extents, long_vectors_are_written_to_the_end) {
  SKIP_UNLESS_ASKED;
  const memory<float> y(queue, beyond);
  SKIP_WITHOUT_ROOM(y);
  const memory<float> x(queue, 2);
  x.write(0, {3, 7});
  queue.fill(y.data(), 1.0f, beyond).wait();
  const auto expect_all = [&](float wanted) {
    constexpr std::size_t part = std::size_t(1) << 24;
    for (std::size_t first = 0; first < beyond; first += part)
      for (const float each : y.read(first, std::min(part, beyond - first)))
        ASSERT_EQ(each, wanted) << "between " << first << " and " << first + part;
  };
  const prism::vector_view<float> to(y.data(), beyond);
  prism::blas::axpy(queue, 2, prism::vector_view<float>(x.data(), beyond, 0), to).wait();
  expect_all(7);
  // Each row of A is that of x.
  const prism::matrix_view<float> a(x.data(), beyond, 2, 0, 1);
  prism::blas::gemv(queue, 1, a, prism::vector_view<float>(x.data(), 2), 1, to).wait();
  expect_all(7 + 9 + 49);
}

TEST_F(operations_huge_extents, a_product_sums_every_step) {
  SKIP_UNLESS_ASKED;
  if (!queue.get_device().has(sycl::aspect::fp64))
    GTEST_SKIP() << "no double precision on " << prism_test::name_of(queue.get_device());
  const memory<double> all(queue, 7), c(queue, 12);
  all.write(0, {2, 3, 3, 3, 3, 3, 3}), c.write(0, std::vector<double>(12, -1));
  const prism::matrix_view<double> a(all.data(), 2, beyond, 0, 0), b(all.data() + 1, beyond, 6, 0, 1);
  const prism::blas::scoped_provider own("prism");
  prism::blas::gemm(queue, 1, a, b, 0, prism::row_major(c.data(), 2, 6)).wait();
  EXPECT_EQ(c.read(0, 12), std::vector<double>(12, 6.0 * double(beyond)));
}

} // namespace
