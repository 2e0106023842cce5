// Convolutions and correlations on one device against their definition in long double.
#include "tests/kernels/fourier_common.hpp"

#include <prism/convolve.hpp>

#include <thread>

namespace {

using namespace fourier_test;
using prism::convolve::method;
using prism::convolve::mode;
using prism::fft::grid;
using prism::fft::grid_view;

using extents = std::array<std::size_t, 3>;
std::size_t size_of(const extents& n) { return n[0] * n[1] * n[2]; }

extents result_of(mode which, const extents& n, const extents& m) {
  extents out;
  for (int d = 0; d < 3; ++d)
    out[d] = which == mode::full ? n[d] + m[d] - 1 : which == mode::same ? n[d] : n[d] - m[d] + 1;
  return out;
}

/// out[k] = sum of a[k - j] b[j]; of a correlation a[k + j] conj(b[j]), from k = -(m - 1) on.
std::vector<wide> by_definition(const std::vector<wide>& a, const std::vector<wide>& b, const extents& n,
                                const extents& m, mode which, bool correlates) {
  const extents size = result_of(which, n, m);
  std::vector<wide> out(size_of(size));
  long first[3];
  for (int d = 0; d < 3; ++d)
    first[d] = which == mode::full ? 0 : which == mode::same ? long(m[d] - 1) / 2 : long(m[d] - 1);
  const auto of = [&](const std::vector<wide>& all, const extents& shape, long i, long j, long k) {
    const bool inside =
        i >= 0 && j >= 0 && k >= 0 && i < long(shape[0]) && j < long(shape[1]) && k < long(shape[2]);
    return inside ? all[(std::size_t(i) * shape[1] + std::size_t(j)) * shape[2] + std::size_t(k)] : wide(0);
  };
  for (std::size_t x = 0; x < out.size(); ++x) {
    long at[3] = {long(x / size[2] / size[1]), long(x / size[2] % size[1]), long(x % size[2])};
    for (int d = 0; d < 3; ++d) at[d] += first[d];
    for (std::size_t y = 0; y < b.size(); ++y) {
      const long p = long(y / m[2] / m[1]), q = long(y / m[2] % m[1]), r = long(y % m[2]);
      if (correlates)
        out[x] +=
            of(a, n, at[0] - long(m[0] - 1) + p, at[1] - long(m[1] - 1) + q, at[2] - long(m[2] - 1) + r) *
            std::conj(b[y]);
      else out[x] += of(a, n, at[0] - p, at[1] - q, at[2] - r) * b[y];
    }
  }
  return out;
}

template <typename T>
class convolutions : public testing::Test {
protected:
  void SetUp() override {
    if (!has_type<real_of<T>>(sycl::queue())) GTEST_SKIP() << "the device has no such numbers";
  }
};
using convolved_numbers = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(convolutions, convolved_numbers);

template <typename T>
std::vector<T> computed(const std::vector<T>& a, const std::vector<T>& b, const extents& n, const extents& m,
                        mode which, bool correlates, method how) {
  sycl::buffer<T> second{sycl::range<1>(b.size())};
  std::copy(b.begin(), b.end(), sycl::host_accessor(second, sycl::write_only).begin());
  const extents size = result_of(which, n, m);
  return on_buffers<T>(a, size_of(size), [&](auto& queue, auto& in, auto& out) {
    const auto of = [](auto& memory, const extents& e) { return grid(memory, {e[0], e[1], e[2]}); };
    if (correlates) prism::convolve::correlate(queue, of(in, n), of(second, m), of(out, size), which, how);
    else prism::convolve::convolve(queue, of(in, n), of(second, m), of(out, size), which, how);
  });
}

template <typename T>
void check(const extents& n, const extents& m) {
  const std::vector<T> a = noise<T>(size_of(n), 1), b = noise<T>(size_of(m), 2);
  for (const mode which : {mode::full, mode::same, mode::valid}) {
    if (which == mode::valid && (n[0] < m[0] || n[1] < m[1] || n[2] < m[2])) continue;
    for (const bool correlates : {false, true}) {
      const std::vector<wide> expected = by_definition(widened(a), widened(b), n, m, which, correlates);
      for (const method how : {method::direct, method::fourier})
        EXPECT_LE(relative_error(computed(a, b, n, m, which, correlates, how), expected),
                  8 * roundoff<real_of<T>> * (2 + std::sqrt(double(size_of(m)))))
            << n[0] << " x " << n[1] << " x " << n[2] << ", " << m[0] << " x " << m[1] << " x " << m[2]
            << ", mode " << int(which) << (correlates ? ", correlation" : "")
            << (how == method::direct ? ", direct" : ", by transforms");
    }
  }
}

TYPED_TEST(convolutions, of_one_dimension_follow_their_definition_in_every_mode) {
  for (const auto& [n, m] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {40, 9}, {9, 40}, {100, 100}, {1000, 33}})
    check<TypeParam>({1, 1, n}, {1, 1, m});
}
TYPED_TEST(convolutions, of_two_and_three_dimensions_follow_their_definition) {
  check<TypeParam>({1, 20, 30}, {1, 5, 4});
  check<TypeParam>({6, 9, 12}, {3, 2, 5});
}

TYPED_TEST(convolutions, of_a_batch_use_one_filter_or_one_each) {
  constexpr std::size_t n = 30, m = 6, count = 3, out_n = n + m - 1;
  for (const bool shared : {false, true})
    for (const method how : {method::direct, method::fourier}) {
      const std::vector<TypeParam> a = noise<TypeParam>(n * count, 1), b = noise<TypeParam>(m * count, 2);
      sycl::buffer<TypeParam> second{sycl::range<1>(b.size())};
      std::copy(b.begin(), b.end(), sycl::host_accessor(second, sycl::write_only).begin());
      const std::vector<TypeParam> found =
          on_buffers<TypeParam>(a, out_n * count, [&](auto& queue, auto& in, auto& out) {
        const auto filter = grid(second, {m});
        prism::convolve::convolve(queue, grid(in, {n}).batched(count, n),
                                  shared ? filter : filter.batched(count, m),
                                  grid(out, {out_n}).batched(count, out_n), mode::full, how);
      });
      const auto part = [](const auto& all, std::size_t i, std::size_t size) {
        return widened(std::vector<TypeParam>(all.begin() + std::ptrdiff_t(i * size),
                                              all.begin() + std::ptrdiff_t((i + 1) * size)));
      };
      for (std::size_t i = 0; i < count; ++i) {
        const std::vector<TypeParam> one(found.begin() + std::ptrdiff_t(i * out_n),
                                         found.begin() + std::ptrdiff_t((i + 1) * out_n));
        EXPECT_LE(relative_error(one, by_definition(part(a, i, n), part(b, shared ? 0 : i, m), {1, 1, n},
                                                    {1, 1, m}, mode::full, false)),
                  20 * roundoff<real_of<TypeParam>>);
      }
    }
}

TEST(convolve_rules, the_plans_of_one_shape_are_used_by_many_threads_at_once) {
  constexpr std::size_t n = 900, m = 70, threads = 4, times = 20;
  const std::vector<float> b = noise<float>(m, 2);
  std::array<double, threads> worst{};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      const std::vector<float> a = noise<float>(n, unsigned(10 + t));
      const std::vector<wide> expected =
          by_definition(widened(a), widened(b), {1, 1, n}, {1, 1, m}, mode::same, false);
      for (std::size_t i = 0; i < times; ++i)
        worst[t] = std::max(worst[t], double(relative_error(computed(a, b, {1, 1, n}, {1, 1, m}, mode::same,
                                                                     false, method::fourier),
                                                            expected)));
    });
  for (std::thread& each : running) each.join();
  for (std::size_t t = 0; t < threads; ++t)
    EXPECT_LE(worst[t], 8 * roundoff<float> * (2 + std::sqrt(double(m)))) << "thread " << t;
}

TEST(convolve_rules, a_reinterpreted_buffer_is_the_memory_of_its_buffer) {
  sycl::queue queue;
  sycl::buffer<float> a{sycl::range<1>(40)}, again = a.reinterpret<float, 1>(sycl::range<1>(40)),
                                             b{sycl::range<1>(3)};
  std::string text;
  EXPECT_EQ(
      prism_test::error_of(
          [&] { prism::convolve::convolve(queue, grid(a, {10}), grid(b, {3}), grid(again, {12})); }, &text),
      sycl::errc::invalid);
  EXPECT_NE(text.find("out begins at the same element as a"), std::string::npos) << text;
}

TEST(convolve_rules, what_does_not_fit_is_refused_with_the_numbers) {
  sycl::queue queue;
  sycl::buffer<float> a{sycl::range<1>(10)}, b{sycl::range<1>(4)}, out{sycl::range<1>(13)};
  std::string text;
  EXPECT_EQ(
      prism_test::error_of(
          [&] { prism::convolve::convolve(queue, grid(a, {10}), grid(b, {4}), grid(out, {12})); }, &text),
      sycl::errc::invalid);
  EXPECT_NE(text.find("13 in dimension 0"), std::string::npos) << text;
  EXPECT_EQ(prism_test::error_of([&] {
    prism::convolve::convolve(queue, grid(b, {4}), grid(a, {10}), grid(out, {1}), mode::valid);
  }),
            sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of(
                [&] { prism::convolve::convolve(queue, grid(a, {0}), grid(b, {4}), grid(out, {3})); }),
            sycl::errc::invalid);
  EXPECT_EQ(prism_test::error_of(
                [&] { prism::convolve::convolve(queue, grid(a, {9}), grid(b, {2}), grid(a, {10})); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("same element as a"), std::string::npos) << text;
}

TEST(convolve_rules, large_filters_are_convolved_by_transforms_and_small_ones_directly) {
  sycl::queue queue;
  sycl::buffer<float> a{sycl::range<1>(1 << 17)}, b{sycl::range<1>(1 << 16)},
      out{sycl::range<1>((1 << 17) + (1 << 16))};
  const std::size_t n = 1 << 17;
  EXPECT_EQ(prism::convolve::chosen(queue, grid(a, {n}), grid(b, {5}), grid(out, {n}), mode::same),
            method::direct);
  EXPECT_EQ(prism::convolve::chosen(queue, grid(a, {n}), grid(b, {1 << 16}), grid(out, {n}), mode::same),
            method::fourier);
}

} // namespace
