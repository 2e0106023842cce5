// Transforms on one device against an exact reference, and against FFTW's error on the same numbers.
#include "tests/kernels/fourier_common.hpp"

#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

using namespace fourier_test;
using prism::fft::backward;
using prism::fft::cosine;
using prism::fft::cosines;
using prism::fft::forward;
using prism::fft::grid;
using prism::fft::norm;

/// Sizes for every kind of plan: one kernel, two, three, convolutions, a transform across a vector.
const std::vector<std::size_t> large{256,  272,  509,  768,  1000, 1021, 1024,  1331,
                                     2048, 3072, 4096, 5003, 6561, 8192, 16384, 32768};

template <typename Real>
class fourier : public testing::Test {
protected:
  void SetUp() override {
    if (!has_type<Real>(sycl::queue())) GTEST_SKIP() << "the device has no such numbers";
  }
};
using numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(fourier, numbers);

template <typename Real>
void check_complex(std::size_t n, std::size_t count, bool is_backward) {
  using value = std::complex<Real>;
  const std::vector<value> data = noise<value>(n * count, unsigned(n));
  const std::vector<value> found = on_buffers<value>(data, n * count, [&](auto& queue, auto& in, auto& out) {
    const auto from = grid(in, {n}).batched(count, std::ptrdiff_t(n)),
               to = grid(out, {n}).batched(count, std::ptrdiff_t(n));
    if (is_backward) backward(queue, from, to);
    else forward(queue, from, to);
  });
  const int sign = is_backward ? 1 : -1;
  double worst = 0;
  const std::size_t step = count < 4 ? 1 : count - 1; // the first and the last of many
  for (std::size_t b = 0; b < count; b += step) {
    const auto first = std::ptrdiff_t(b * n), last = std::ptrdiff_t((b + 1) * n);
    const std::vector<value> one(data.begin() + first, data.begin() + last),
        mine(found.begin() + first, found.begin() + last);
    const std::vector<wide> expected = transformed(widened(one), sign);
    double bound = usual_error<Real>(n);
#if PRISM_TEST_HAS_FFTW
    // Sizes that are convolutions miss the factor 2, by how they are padded: 17 points have up to 2.9.
    const double factor = is_convolved(n) ? 3 : 2;
    bound = std::max(factor * relative_error(by_fftw(one, {int(n)}, sign), expected), 1.5 * roundoff<Real>);
#endif
    worst = std::max(worst, relative_error(mine, expected) / bound);
  }
  EXPECT_LE(worst, 1) << n << " points, " << count << " times" << (is_backward ? ", backward" : "");
}

TYPED_TEST(fourier, complex_transforms_of_1_to_200_points_within_bounds_of_fftws_error) {
  for (std::size_t n = 1; n <= 200; ++n) check_complex<TypeParam>(n, n % 3 == 0 ? 17 : 1 + n % 3, n % 2 == 0);
}
TYPED_TEST(fourier, complex_transforms_of_many_points_within_bounds_of_fftws_error) {
  for (const std::size_t n : large)
    check_complex<TypeParam>(n, 1, false), check_complex<TypeParam>(n, 2, true);
}
TYPED_TEST(fourier, many_transforms_at_once_are_those_of_each) {
  for (const std::size_t n : {8, 60, 97, 256, 1024}) check_complex<TypeParam>(n, 100, false);
}

template <typename Real>
void check_real(std::size_t n, std::size_t count) {
  using value = std::complex<Real>;
  const std::vector<Real> data = noise<Real>(n * count, unsigned(n));
  const std::size_t h = n / 2 + 1;
  const auto distance = [](std::size_t d) { return std::ptrdiff_t(d); };
  const std::vector<value> found = on_buffers<value>(data, h * count, [&](auto& queue, auto& in, auto& out) {
    forward(queue, grid(in, {n}).batched(count, distance(n)), grid(out, {h}).batched(count, distance(h)));
  });
  std::vector<wide> expected;
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<Real> one(data.begin() + distance(b * n), data.begin() + distance((b + 1) * n));
    const std::vector<wide> half = half_of(transformed(widened(one), -1), n);
    expected.insert(expected.end(), half.begin(), half.end());
  }
  EXPECT_LE(relative_error(found, expected), usual_error<Real>(n))
      << n << " real points, " << count << " times";
  const std::vector<Real> again = on_buffers<Real>(found, n * count, [&](auto& queue, auto& in, auto& out) {
    backward(queue, grid(in, {h}).batched(count, distance(h)), grid(out, {n}).batched(count, distance(n)),
             {norm::by_size});
  });
  EXPECT_LE(relative_error(again, widened(data)), 2 * usual_error<Real>(n))
      << n << " real points, " << count << " times, back";
}

TYPED_TEST(fourier, real_transforms_of_1_to_200_points_and_back) {
  for (std::size_t n = 1; n <= 200; ++n) check_real<TypeParam>(n, n % 4 == 1 ? 17 : 1 + n % 3);
}
TYPED_TEST(fourier, real_transforms_of_many_points_and_back) {
  for (const std::size_t n : large) check_real<TypeParam>(n, 1), check_real<TypeParam>(n + 2, 2);
}

TYPED_TEST(fourier, two_and_three_dimensions_are_transforms_along_each) {
  using value = std::complex<TypeParam>;
  for (const auto& [a, b, c] :
       {std::array<std::size_t, 3>{4, 6, 10}, {1, 17, 16}, {33, 2, 5}, {20, 36, 1}, {7, 11, 13}}) {
    const std::vector<value> data = noise<value>(a * b * c * 2);
    const auto between = std::ptrdiff_t(a * b * c);
    const std::vector<value> found =
        on_buffers<value>(data, data.size(), [&, a = a, b = b, c = c](auto& queue, auto& in, auto& out) {
      forward(queue, grid(in, {a, b, c}).batched(2, between), grid(out, {a, b, c}).batched(2, between));
    });
    const std::vector<value> second(data.begin() + between, data.end()),
        mine(found.begin() + between, found.end());
    EXPECT_LE(relative_error(mine, transformed(widened(second), {a, b, c}, -1)),
              usual_error<TypeParam>(a * b * c))
        << a << " x " << b << " x " << c;
  }
}

TYPED_TEST(fourier, real_transforms_of_two_and_three_dimensions_and_back) {
  using value = std::complex<TypeParam>;
  for (const auto& [a, b, c] :
       {std::array<std::size_t, 3>{4, 6, 10}, {1, 17, 16}, {33, 2, 5}, {20, 36, 1}, {3, 4, 7}}) {
    const std::vector<TypeParam> data = noise<TypeParam>(a * b * c);
    const std::size_t h = c / 2 + 1;
    const std::vector<value> found =
        on_buffers<value>(data, a * b * h, [&, a = a, b = b, c = c](auto& queue, auto& in, auto& out) {
      forward(queue, grid(in, {a, b, c}), grid(out, {a, b, h}));
    });
    EXPECT_LE(relative_error(found, half_of(transformed(widened(data), {a, b, c}, -1), c)),
              usual_error<TypeParam>(a * b * c));
    const std::vector<TypeParam> again =
        on_buffers<TypeParam>(found, data.size(), [&, a = a, b = b, c = c](auto& queue, auto& in, auto& out) {
      backward(queue, grid(in, {a, b, h}), grid(out, {a, b, c}), {norm::by_size});
    });
    EXPECT_LE(relative_error(again, widened(data)), 2 * usual_error<TypeParam>(a * b * c))
        << a << " x " << b << " x " << c;
  }
}

TYPED_TEST(fourier, the_dimensions_of_a_grid_may_have_any_strides) {
  using value = std::complex<TypeParam>;
  constexpr std::size_t a = 12, b = 20, pitch = 50;
  const std::vector<value> data = noise<value>(a * pitch);
  // `in`: every second column of rows with a pitch; `out`: transposed, rows from the last to the first.
  const std::vector<value> found =
      on_buffers<value>(data, b * (a + 3), [&](auto& queue, auto& in, auto& out) {
    auto from = grid(in, {a, b});
    from.stride = {pitch, 2, 0};
    auto to = grid(out, {a, b}, a - 1);
    to.stride = {-1, a + 3, 0};
    forward(queue, from, to);
  });
  std::vector<value> dense, mine;
  for (std::size_t i = 0; i < a; ++i)
    for (std::size_t j = 0; j < b; ++j)
      dense.push_back(data[i * pitch + 2 * j]), mine.push_back(found[(a - 1 - i) + j * (a + 3)]);
  EXPECT_LE(relative_error(mine, transformed(widened(dense), {a, b}, -1)), usual_error<TypeParam>(a * b));
  for (std::size_t j = 0; j < b; ++j)
    for (std::size_t i = a; i < a + 3; ++i)
      ASSERT_EQ(found[j * (a + 3) + i], value{}) << "between the columns something was written";
}

TYPED_TEST(fourier, a_transform_in_place_is_the_one_out_of_place) {
  using value = std::complex<TypeParam>;
  for (const std::size_t n : {1, 16, 31, 100, 512, 4096, 5003, 20000}) {
    const std::vector<value> data = noise<value>(3 * n);
    const auto of = [&](auto& memory) { return grid(memory, {n}).batched(3, std::ptrdiff_t(n)); };
    const std::vector<value> apart = on_buffers<value>(
        data, data.size(), [&](auto& queue, auto& in, auto& out) { forward(queue, of(in), of(out)); });
    const std::vector<value> in_place =
        on_buffers<value>(data, data.size(), [&](auto& queue, auto& in, auto& out) {
      forward(queue, of(in));
      queue.submit([&](sycl::handler& h) {
        h.copy(sycl::accessor(in, h, sycl::read_only), sycl::accessor(out, h, sycl::write_only));
      });
    });
    EXPECT_EQ(apart, in_place) << n;
  }
}

TYPED_TEST(fourier, a_real_transform_in_place_uses_rows_with_room_at_their_end) {
  using value = std::complex<TypeParam>;
  constexpr std::size_t rows = 5, n = 30, h = n / 2 + 1;
  const std::vector<TypeParam> data = noise<TypeParam>(rows * 2 * h);
  const auto run = [&](bool back) {
    return on_buffers<TypeParam>(
        data, data.size(),
        [&](sycl::queue& queue, sycl::buffer<TypeParam>& in, sycl::buffer<TypeParam>& out) {
      sycl::buffer<value> same = in.template reinterpret<value, 1>(sycl::range<1>(rows * h));
      auto reals = grid(in, {rows, n});
      reals.stride[0] = std::ptrdiff_t(2 * h);
      forward(queue, reals, grid(same, {rows, h}));
      if (back) backward(queue, grid(same, {rows, h}), reals, {norm::by_size});
      queue.submit([&](sycl::handler& g) {
        g.copy(sycl::accessor(in, g, sycl::read_only), sycl::accessor(out, g, sycl::write_only));
      });
    });
  };
  std::vector<TypeParam> dense, again;
  const std::vector<TypeParam> once = run(false), twice = run(true);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < n; ++j)
      dense.push_back(data[i * 2 * h + j]), again.push_back(twice[i * 2 * h + j]);
  std::vector<value> found;
  for (std::size_t i = 0; i < rows * h; ++i) found.emplace_back(once[2 * i], once[2 * i + 1]);
  EXPECT_LE(relative_error(found, half_of(transformed(widened(dense), {rows, n}, -1), n)),
            usual_error<TypeParam>(rows * n));
  EXPECT_LE(relative_error(again, widened(dense)), 2 * usual_error<TypeParam>(rows * n));
}

long double cosine_of(cosine kind, std::size_t j, std::size_t k, std::size_t n) {
  const long double pi = std::numbers::pi_v<long double>, x = static_cast<long double>(j),
                    y = static_cast<long double>(k), size = static_cast<long double>(n);
  switch (kind) {
    case cosine::one: return (j == 0 || j == n - 1 ? 1 : 2) * std::cos(pi * x * y / (size - 1));
    case cosine::two: return 2 * std::cos(pi * (x + 0.5L) * y / size);
    case cosine::three: return (j == 0 ? 1 : 2) * std::cos(pi * x * (y + 0.5L) / size);
    default: return 2 * std::cos(pi * (x + 0.5L) * (y + 0.5L) / size);
  }
}

TYPED_TEST(fourier, cosine_transforms_follow_their_definitions) {
  for (const cosine kind : {cosine::one, cosine::two, cosine::three, cosine::four})
    for (const std::size_t n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 30, 100, 129}) {
      if (kind == cosine::one && n == 1) continue;
      const std::vector<TypeParam> data = noise<TypeParam>(3 * n);
      const std::vector<TypeParam> found =
          on_buffers<TypeParam>(data, data.size(), [&](auto& queue, auto& in, auto& out) {
        const auto of = [&](auto& memory) { return grid(memory, {n}).batched(3, std::ptrdiff_t(n)); };
        cosines(queue, kind, of(in), of(out));
      });
      std::vector<wide> expected(3 * n);
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t j = 0; j < n; ++j)
            expected[b * n + k] += static_cast<long double>(data[b * n + j]) * cosine_of(kind, j, k, n);
      EXPECT_LE(relative_error(found, expected), 2 * usual_error<TypeParam>(n)) << int(kind) << ", " << n;
    }
}

TYPED_TEST(fourier, cosine_transforms_of_two_dimensions_invert_each_other) {
  const std::vector<TypeParam> data = noise<TypeParam>(12 * 9);
  for (const auto& [there, back] :
       {std::pair{cosine::one, cosine::one}, {cosine::two, cosine::three}, {cosine::four, cosine::four}}) {
    const std::vector<TypeParam> found = on_buffers<TypeParam>(
        data, data.size(), [&, there = there, back = back](auto& queue, auto& in, auto& out) {
      cosines(queue, there, grid(in, {12, 9}), grid(out, {12, 9}), {norm::orthonormal});
      cosines(queue, back, grid(out, {12, 9}), grid(out, {12, 9}), {norm::orthonormal});
    });
    EXPECT_LE(relative_error(found, widened(data)), 8 * usual_error<TypeParam>(108)) << int(there);
  }
}

TEST(fourier_half, halves_are_storage_and_floats_compute) {
  using value = std::complex<sycl::half>;
  if (!has_type<sycl::half>(sycl::queue())) GTEST_SKIP() << "the device has no half";
  for (const std::size_t n : {16, 100, 2048}) {
    const std::vector<value> data = noise<value>(n);
    const std::vector<value> found = on_buffers<value>(data, n, [&](auto& queue, auto& in, auto& out) {
      forward(queue, grid(in, {n}), grid(out, {n}), {norm::orthonormal});
    });
    std::vector<wide> expected = transformed(widened(data), -1);
    for (wide& x : expected) x /= std::sqrt(static_cast<long double>(n));
    EXPECT_LE(relative_error(found, expected), roundoff<sycl::half>) << n; // one rounding of each part
    const std::vector<sycl::half> reals = noise<sycl::half>(n);
    const std::vector<value> half =
        on_buffers<value>(reals, n / 2 + 1, [&](auto& queue, auto& in, auto& out) {
      forward(queue, grid(in, {n}), grid(out, {n / 2 + 1}));
    });
    EXPECT_LE(relative_error(half, half_of(transformed(widened(reals), -1), n)), roundoff<sycl::half>) << n;
  }
}

TEST(fourier_plans, one_plan_is_run_by_many_threads_on_usm) {
  sycl::queue queue;
  if (!queue.get_device().has(sycl::aspect::usm_shared_allocations)) GTEST_SKIP() << "no shared USM";
  using value = std::complex<float>;
  constexpr std::size_t n = 3000, threads = 4, times = 20;
  std::vector<value*> memory;
  for (std::size_t t = 0; t < 2 * threads; ++t) memory.push_back(sycl::malloc_shared<value>(n, queue));
  const std::vector<value> data = noise<value>(n);
  const prism::fft::plan plan(queue, prism::fft::direction::forward, grid(memory[0], {n}),
                              grid(memory[1], {n}));
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([&, t, mine = plan] {
      sycl::queue own(queue.get_context(), queue.get_device());
      for (std::size_t i = 0; i < times; ++i) {
        const sycl::event there = own.memcpy(memory[2 * t], data.data(), n * sizeof(value));
        mine(own, grid(memory[2 * t], {n}), grid(memory[2 * t + 1], {n}), {there}).wait();
      }
    });
  for (std::thread& each : all) each.join();
  const std::vector<wide> expected = transformed(widened(data), -1);
  for (std::size_t t = 0; t < threads; ++t)
    EXPECT_LE(relative_error(std::vector<value>(memory[2 * t + 1], memory[2 * t + 1] + n), expected),
              usual_error<float>(n))
        << t;
  for (value* each : memory) sycl::free(each, queue);
}

// A long transform has a root for each vector of its columns: so many that narrow vectors have more.
TEST(fourier_plans, tables_have_the_width_of_the_instruction_set_that_was_asked_for) {
  sycl::queue queue;
  const char* const level = std::getenv("PRISM_HOST_ISA");
  if (queue.get_backend() != sycl::backend::ext_prism_host || level == nullptr ||
      std::string_view(level) != "baseline")
    GTEST_SKIP()
        << queue.get_device().get_info<sycl::info::device::name>()
        << ": only the host device with PRISM_HOST_ISA=baseline, which kernels.fourier_baseline.host sets";
  constexpr std::size_t n = std::size_t(1) << 20, bytes_of_vector = 16;
  auto* const data = sycl::malloc_shared<std::complex<float>>(n, queue);
  const prism::fft::plan plan(queue, prism::fft::direction::forward, grid(data, {int(n)}),
                              grid(data, {int(n)}));
  EXPECT_GE(plan.table_bytes(), n / (bytes_of_vector / sizeof(float)) * sizeof(std::complex<float>));
  sycl::free(data, queue);
}

TEST(fourier_plans, a_plan_may_end_before_its_transform_has_run) {
  using value = std::complex<float>;
  const std::vector<value> data = noise<value>(5003);
  const std::vector<value> found =
      on_buffers<value>(data, data.size(), [&](auto& queue, auto& in, auto& out) {
    const prism::fft::plan plan(queue, prism::fft::direction::forward, grid(in, {5003}), grid(out, {5003}));
    EXPECT_GT(plan.table_bytes(), 0u);
    plan(queue, grid(in, {5003}), grid(out, {5003}));
  });
  EXPECT_LE(relative_error(found, transformed(widened(data), -1)), usual_error<float>(5003));
}

} // namespace
