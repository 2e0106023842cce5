// What transforms refuse, and what they do with operands at the edge: no points, NaN, overlaps.
#include "tests/kernels/fourier_common.hpp"

#include <prism/blas.hpp>

namespace {

using namespace fourier_test;
using prism::fft::backward;
using prism::fft::forward;
using prism::fft::grid;
using prism_test::error_of;
using value = std::complex<float>;

struct memories {
  sycl::queue queue;
  sycl::buffer<value> a{sycl::range<1>(64)}, b{sycl::range<1>(64)};
  sycl::buffer<float> reals{sycl::range<1>(64)};
};

TEST(fourier_rules, extents_that_disagree_are_refused_with_the_numbers) {
  memories m;
  std::string text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {8}), grid(m.b, {9})); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("in has 8 points, out 9"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {8}), grid(m.b, {2, 4})); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("1 dimensions and out 2"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.reals, {8}), grid(m.b, {8})); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("n / 2 + 1"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {8}).batched(2, 8), grid(m.b, {8})); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("batch of 2"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {5}), grid(m.reals, {8})); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { backward(m.queue, grid(m.reals, {8}), grid(m.a, {5})); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] {
    prism::fft::cosines(m.queue, prism::fft::cosine::one, grid(m.reals, {1}), grid(m.reals, {1}));
  }),
            sycl::errc::invalid);
}

TEST(fourier_rules, operands_outside_of_their_memory_are_refused) {
  memories m;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {65}), grid(m.b, {65})); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {64}, 1), grid(m.b, {64})); }), sycl::errc::invalid);
  value* const none = nullptr;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(none, {4})); }), sycl::errc::invalid);
}

TEST(fourier_rules, extents_and_strides_that_wrap_are_refused) {
  memories m;
  constexpr std::size_t huge = std::size_t(1) << 40;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {huge, huge})); }), sycl::errc::invalid);
  auto wide_stride = grid(m.a, {2, 2});
  wide_stride.stride[0] = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  EXPECT_EQ(error_of([&] { forward(m.queue, wide_stride); }), sycl::errc::invalid);
  auto wide_batch = grid(m.a, {2}).batched(huge, std::ptrdiff_t(huge));
  EXPECT_EQ(error_of([&] { forward(m.queue, wide_batch); }), sycl::errc::invalid);
}

TEST(fourier_rules, results_that_overlap_and_operands_that_alias_are_refused) {
  memories m;
  auto crossed = grid(m.b, {4, 4});
  crossed.stride = {2, 1, 0};
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {4, 4}), crossed); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {8}), grid(m.b, {8}).batched(1, 0)); }),
            sycl::errc::success);
  auto turned = grid(m.a, {4, 4});
  turned.stride = {1, 4, 0};
  std::string text;
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(m.a, {4, 4}), turned); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("strides differ"), std::string::npos) << text;
}

TEST(fourier_rules, a_reinterpreted_buffer_is_the_memory_of_its_buffer) {
  memories m;
  sycl::buffer<value> of_reals = m.reals.reinterpret<value, 1>(sycl::range<1>(32));
  sycl::buffer<float> of_a = m.a.reinterpret<float, 1>(sycl::range<1>(128));
  std::string text;
  const auto padded = [](sycl::buffer<float>& memory, std::size_t offset = 0) {
    auto out = grid(memory, {3, 6}, offset);
    out.stride[0] = 8; // room for 4 complex numbers
    return out;
  };
  for (const bool first_is_real : {true, false}) {
    sycl::buffer<float>& reals = first_is_real ? m.reals : of_a;
    sycl::buffer<value>& complex = first_is_real ? of_reals : m.a;
    EXPECT_EQ(error_of([&] { forward(m.queue, grid(reals, {3, 6}), grid(complex, {3, 4})); }, &text),
              sycl::errc::invalid);
    EXPECT_NE(text.find("strides differ"), std::string::npos) << text;
    EXPECT_EQ(error_of([&] { backward(m.queue, grid(complex, {3, 4}), grid(reals, {3, 6})); }),
              sycl::errc::invalid);
    EXPECT_EQ(error_of([&] { forward(m.queue, padded(reals), grid(complex, {3, 4})); }), sycl::errc::success);
    EXPECT_EQ(error_of([&] { forward(m.queue, grid(reals, {3, 6}), grid(complex, {3, 4}, 12)); }),
              sycl::errc::success)
        << "the result is behind the operand";
  }
}

TEST(fourier_rules, sub_buffers_of_one_buffer_are_different_memory) {
  memories m;
  sycl::buffer<value> whole{sycl::range<1>(1024)}; // parts begin where every driver allows it
  sycl::buffer<value> low(whole, sycl::id<1>(0), sycl::range<1>(16)),
      high(whole, sycl::id<1>(512), sycl::range<1>(16));
  auto turned = grid(high, {4, 4});
  turned.stride = {1, 4, 0};
  EXPECT_EQ(error_of([&] { forward(m.queue, grid(low, {4, 4}), turned); }), sycl::errc::success);
}

TEST(fourier_rules, more_points_than_kernels_count_are_refused_with_the_number) {
  memories m;
  constexpr std::size_t many = (std::size_t(1) << 31) + 5;
  value nothing; // its address is not used
  std::string text;
  EXPECT_EQ(error_of(
                [&] {
    prism::fft::plan(m.queue, prism::fft::direction::forward, grid(&nothing, {many}), grid(&nothing, {many}));
  }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("a dimension of 2147483653 points"), std::string::npos) << text;
}

TEST(fourier_rules, a_plan_is_for_its_shapes_only) {
  memories m;
  const prism::fft::plan plan(m.queue, prism::fft::direction::forward, grid(m.a, {8}), grid(m.b, {8}));
  EXPECT_EQ(error_of([&] { plan(m.queue, grid(m.a, {8}, 8), grid(m.b, {8}, 16)); }), sycl::errc::success);
  EXPECT_EQ(error_of([&] { plan(m.queue, grid(m.a, {4}), grid(m.b, {4})); }), sycl::errc::invalid);
}

TEST(fourier_rules, transforms_of_no_points_do_nothing) {
  memories m;
  forward(m.queue, grid(m.a, {0}), grid(m.b, {0})).wait();
  forward(m.queue, grid(m.a, {4, 0}), grid(m.b, {4, 0})).wait();
  forward(m.queue, grid(m.a, {4}).batched(0, 4), grid(m.b, {4}).batched(0, 4)).wait();
  forward(m.queue, grid(m.reals, {0}), grid(m.b, {1})).wait();
}

TEST(fourier_rules, nan_and_infinity_stay_in_their_transform) {
  constexpr std::size_t n = 40, count = 20;
  std::vector<value> data = noise<value>(n * count);
  const std::vector<value> clean = data;
  data[5 * n + 3] = {std::numeric_limits<float>::quiet_NaN(), 0};
  data[7 * n + 9] = {0, std::numeric_limits<float>::infinity()};
  const auto run = [&](const std::vector<value>& from) {
    return on_buffers<value>(from, n * count, [&](auto& queue, auto& in, auto& out) {
      forward(queue, grid(in, {n}).batched(count, n), grid(out, {n}).batched(count, n));
    });
  };
  const std::vector<value> expected = run(clean), found = run(data);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t k = 0; k < n; ++k) {
      const value x = found[b * n + k];
      if (b == 5) EXPECT_TRUE(std::isnan(x.real()) && std::isnan(x.imag()));
      else if (b == 7) EXPECT_FALSE(std::isfinite(x.real()) && std::isfinite(x.imag()));
      else EXPECT_EQ(x, expected[b * n + k]) << b << ", " << k;
    }
}

TEST(fourier_rules, doubles_are_refused_by_name_where_the_device_has_none) {
  sycl::queue queue;
  if (queue.get_device().has(sycl::aspect::fp64)) GTEST_SKIP() << "the device has doubles";
  sycl::buffer<std::complex<double>> data{sycl::range<1>(8)};
  std::string text;
  EXPECT_EQ(error_of([&] { forward(queue, grid(data, {8})); }, &text), sycl::errc::feature_not_supported);
  EXPECT_NE(text.find(prism_test::name_of(queue.get_device())), std::string::npos) << text;
}

TEST(fourier_rules, usm_waits_for_the_events_that_it_is_given) {
  sycl::queue queue;
  if (!queue.get_device().has(sycl::aspect::usm_shared_allocations)) GTEST_SKIP() << "no shared USM";
  constexpr std::size_t n = 2048;
  auto* const data = sycl::malloc_shared<value>(n, queue);
  const value one(1, 0);
  const sycl::event zeros = queue.fill(data, value(0, 0), n);
  const sycl::event before = queue.memcpy(data, &one, sizeof one, zeros);
  forward(queue, grid(data, {n}), {}, {before}).wait();
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(data[k], value(1, 0)) << k;
  sycl::free(data, queue);
}

/// A batch of one and a dimension of one point have strides that mean nothing: they are 0 here.
TEST(fourier_rules, libraries_for_opencl_do_single_transforms_where_they_are_pinned) {
  sycl::queue queue;
  if (queue.get_device().get_backend() != sycl::backend::opencl)
    GTEST_SKIP() << prism_test::name_of(queue.get_device()) << " is no OpenCL device";
  const std::vector<value> data = noise<value>(60);
  bool is_any_there = false;
  for (const prism::blas::implementation& each : prism::blas::implementations()) {
    if (each.name != "clfft" && each.name != "vkfft") continue;
    is_any_there = true;
    for (const bool is_grid : {false, true}) {
      const auto run = [&](const std::string& provider) {
        const prism::blas::scoped_provider chosen(provider);
        std::vector<value> result(data.size());
        {
          sycl::buffer<value> in(data), out{sycl::range<1>(data.size())};
          out.set_final_data(result.data());
          auto from = is_grid ? grid(in, {5, 1, 12}) : grid(in, {60}),
               to = is_grid ? grid(out, {5, 1, 12}) : grid(out, {60});
          if (is_grid) from.stride[1] = to.stride[1] = 0;
          prism::fft::options scaled;
          scaled.scale = 0.375;
          forward(queue, from, to, scaled);
        }
        return result;
      };
      const std::vector<value> own = run("prism"), theirs = run(each.name);
      EXPECT_NE(prism::blas::last_choice().find(each.name), std::string::npos);
      EXPECT_LE(relative_error(theirs, widened(own)), 1e-6) << each.name << (is_grid ? ", a grid" : "");
    }
  }
  if (!is_any_there) GTEST_SKIP() << "neither clFFT nor VkFFT was found when PRISM was configured";
}

} // namespace
