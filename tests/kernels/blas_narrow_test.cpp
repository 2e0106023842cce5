// Products of half, bfloat16 and int8, on every device, in USM and buffers, against long double and 64-bit
// integers.
#include "tests/sycl/common.hpp"

#include <prism/blas.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace {

using bfloat16 = sycl::ext::oneapi::bfloat16;
using prism::blas::gemm;

/// Half of the distance from 1 to the next number.
template <typename T>
constexpr long double unit = 0;
template <>
constexpr long double unit<float> = 0x1p-24L;
template <>
constexpr long double unit<sycl::half> = 0x1p-11L;
template <>
constexpr long double unit<bfloat16> = 0x1p-8L;

template <typename T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<T> out(std::max<std::size_t>(1, count));
  for (T& x : out) {
    if constexpr (std::is_integral_v<T>) x = static_cast<T>(random());
    else x = T(any(random));
  }
  return out;
}

struct shape {
  std::size_t count, m, n, k;
};

template <typename In, typename Out>
struct operands {
  static constexpr std::size_t gap = 3;
  shape s;
  std::vector<In> a, b; // a is stored column-major, b with gaps between rows
  std::vector<Out> c;
  explicit operands(const shape& of)
      : s(of), a(numbers<In>(s.count * s.m * s.k, 1)), b(numbers<In>(s.count * s.k * (s.n + gap), 2)),
        c(numbers<Out>(s.count * s.m * s.n, 3)) {}
  In left(std::size_t i, std::size_t row, std::size_t step) const { return a[(i * s.k + step) * s.m + row]; }
  In right(std::size_t i, std::size_t step, std::size_t column) const {
    return b[(i * s.k + step) * (s.n + gap) + column];
  }
  std::size_t at(std::size_t i, std::size_t row, std::size_t column) const {
    return (i * s.m + row) * s.n + column;
  }

  template <typename Scalar, typename APlace, typename BPlace, typename CPlace>
  sycl::event call(sycl::queue& queue, Scalar alpha, Scalar beta, APlace pa, BPlace pb, CPlace pc) const {
    const auto m = std::ptrdiff_t(s.m), n = std::ptrdiff_t(s.n), k = std::ptrdiff_t(s.k),
               width = n + std::ptrdiff_t(gap);
    const prism::batch_view<const In, APlace> left(pa, s.count, s.m, s.k, m * k, 1, m);
    const prism::batch_view<const In, BPlace> right(pb, s.count, s.k, s.n, k * width, width, 1);
    const prism::batch_view<Out, CPlace> out(pc, s.count, s.m, s.n, m * n, n, 1);
    if (s.count == 1) return gemm(queue, alpha, left[0], right[0], beta, out[0]);
    return gemm(queue, alpha, left, right, beta, out);
  }
  template <typename Scalar>
  std::vector<Out> by_buffers(sycl::queue& queue, Scalar alpha, Scalar beta) const {
    std::vector<Out> result = c;
    {
      sycl::buffer<In> ba(a.data(), sycl::range<1>(a.size())), bb(b.data(), sycl::range<1>(b.size()));
      sycl::buffer<Out> bc(result.data(), sycl::range<1>(result.size()));
      call(queue, alpha, beta, prism::buffer_place<const In>(ba), prism::buffer_place<const In>(bb),
           prism::buffer_place<Out>(bc));
    }
    queue.wait_and_throw();
    return result;
  }
  template <typename Scalar>
  std::vector<Out> by_usm(sycl::queue& queue, Scalar alpha, Scalar beta) const {
    std::vector<Out> result(c.size());
    In *pa = sycl::malloc_device<In>(a.size(), queue), *pb = sycl::malloc_device<In>(b.size(), queue);
    Out* pc = sycl::malloc_device<Out>(c.size(), queue);
    queue.copy(a.data(), pa, a.size()), queue.copy(b.data(), pb, b.size());
    queue.copy(c.data(), pc, c.size());
    queue.wait();
    call(queue, alpha, beta, static_cast<const In*>(pa), static_cast<const In*>(pb), pc).wait();
    queue.copy(pc, result.data(), c.size()).wait();
    sycl::free(pa, queue), sycl::free(pb, queue), sycl::free(pc, queue);
    return result;
  }
};

template <typename In, typename Out>
void expect_within_bound(const char* name) {
  sycl::queue queue;
  for (const shape& s : {shape{1, 1, 1, 1}, {1, 33, 17, 70}, {3, 5, 6, 9}, {1, 4, 3, 0}}) {
    const operands<In, Out> given(s);
    const float alpha = 0.75f, beta = -1.5f;
    for (const bool usm : {false, true}) {
      if (usm && !queue.get_device().has(sycl::aspect::usm_device_allocations)) continue;
      const std::vector<Out> found =
          usm ? given.by_usm(queue, alpha, beta) : given.by_buffers(queue, alpha, beta);
      for (std::size_t i = 0; i < s.count; ++i)
        for (std::size_t row = 0; row < s.m; ++row)
          for (std::size_t column = 0; column < s.n; ++column) {
            const std::size_t at = given.at(i, row, column);
            long double sum = 0, size = 0;
            for (std::size_t step = 0; step < s.k; ++step) {
              const long double product = static_cast<long double>(float(given.left(i, row, step))) *
                                          float(given.right(i, step, column));
              sum += product, size += std::abs(product);
            }
            const long double old = beta * static_cast<long double>(float(given.c[at])),
                              expected = alpha * sum + old;
            const long double in_float =
                (s.k + 2) * unit<float> * (alpha * size) + 2 * unit<float> * std::abs(old);
            const long double last =
                std::is_same_v<Out, float> ? 0 : unit<Out> * (std::abs(expected) + in_float) + 0x1p-25L;
            ASSERT_LE(std::abs(static_cast<long double>(float(found[at])) - expected), in_float + last)
                << name << ", product " << i << ", element " << row << ", " << column << ", k " << s.k
                << (usm ? ", USM" : ", buffers");
          }
    }
  }
}

TEST(blas_narrow, products_of_half_are_as_exact_as_those_of_float_and_rounded_once) {
  expect_within_bound<sycl::half, float>("half to float");
  expect_within_bound<sycl::half, sycl::half>("half to half");
}

TEST(blas_narrow, products_of_bfloat16_are_as_exact_as_those_of_float_and_rounded_once) {
  expect_within_bound<bfloat16, float>("bfloat16 to float");
  expect_within_bound<bfloat16, bfloat16>("bfloat16 to bfloat16");
}

TEST(blas_narrow, products_of_int8_as_int32_are_exact_beyond_the_integers_of_float) {
  sycl::queue queue;
  for (const shape& s : {shape{1, 3, 5, 2500}, {2, 4, 3, 1024}, {1, 2, 2, 0}}) {
    operands<std::int8_t, std::int32_t> given(s);
    for (std::size_t step = 0; step < s.k; ++step) { // an odd sum above 2^25, which float does not have
      given.a[step * s.m] = -127;
      given.b[step * (s.n + given.gap)] = std::int8_t(step == 7 ? -126 : -127);
    }
    for (const bool usm : {false, true}) {
      if (usm && !queue.get_device().has(sycl::aspect::usm_device_allocations)) continue;
      const std::vector<std::int32_t> found =
          usm ? given.by_usm(queue, 3, -2) : given.by_buffers(queue, 3, -2);
      for (std::size_t i = 0; i < s.count; ++i)
        for (std::size_t row = 0; row < s.m; ++row)
          for (std::size_t column = 0; column < s.n; ++column) {
            std::int64_t sum = 0;
            for (std::size_t step = 0; step < s.k; ++step)
              sum += given.left(i, row, step) * given.right(i, step, column);
            const std::size_t at = given.at(i, row, column);
            ASSERT_EQ(found[at], static_cast<std::int32_t>(3 * sum - 2 * std::int64_t(given.c[at])))
                << i << ": " << row << ", " << column;
          }
    }
  }
}

TEST(blas_narrow, products_of_int8_as_float_round_the_exact_sum) {
  sycl::queue queue;
  const operands<std::int8_t, float> given({1, 4, 3, 1500});
  const std::vector<float> found = given.by_buffers(queue, 0.5f, 0.0f);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      std::int64_t sum = 0;
      for (std::size_t step = 0; step < 1500; ++step)
        sum += given.left(0, row, step) * given.right(0, step, column);
      EXPECT_EQ(found[row * 3 + column], 0.5f * float(sum));
    }
}

TEST(blas_narrow, an_ignored_result_may_hold_nan_and_other_shapes_are_refused) {
  sycl::queue queue;
  operands<sycl::half, sycl::half> given({1, 2, 2, 2});
  for (sycl::half& x : given.c) x = std::numeric_limits<float>::quiet_NaN();
  for (const sycl::half x : given.by_buffers(queue, 1.0f, 0.0f)) EXPECT_FALSE(std::isnan(float(x)));
  sycl::buffer<std::int8_t, 2> a({2, 3}), b({4, 2});
  sycl::buffer<std::int32_t, 2> c({2, 2});
  std::string text;
  EXPECT_EQ(prism_test::error_of(
                [&] { gemm(queue, 1, prism::view_of(a), prism::view_of(b), 0, prism::view_of(c)); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("int8"), std::string::npos) << text;
}

} // namespace
