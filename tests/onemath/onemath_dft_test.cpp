// oneMath's Fourier transforms: placements, strides, real numbers, batches, scales, and what is refused.
#include "tests/sycl/common.hpp"

#include <oneapi/mkl.hpp>

#include <cmath>
#include <string>

namespace {

namespace dft = oneapi::math::dft;
using value = std::complex<float>;
using complex_descriptor = dft::descriptor<dft::precision::SINGLE, dft::domain::COMPLEX>;
using real_descriptor = dft::descriptor<dft::precision::SINGLE, dft::domain::REAL>;
using dft::config_param;
using dft::config_value;

/// By definition, of one dimension.
std::vector<value> transformed(const std::vector<value>& x) {
  std::vector<value> out(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j)
      out[k] += x[j] * std::polar(1.0f, -2 * 3.14159265f * float(j * k % x.size()) / float(x.size()));
  return out;
}
std::vector<value> numbers(std::size_t n) {
  std::vector<value> out;
  for (std::size_t i = 0; i < n; ++i) out.emplace_back(float(i * 7 % 5) - 2, float(i * 3 % 4));
  return out;
}
float most_apart(const std::vector<value>& a, const std::vector<value>& b) {
  float out = a.size() == b.size() ? 0.0f : 1e9f;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

TEST(onemath_dft, a_transform_in_place_and_back_over_buffers) {
  sycl::queue queue;
  const std::vector<value> from = numbers(12);
  complex_descriptor plan(12);
  plan.set_value(config_param::BACKWARD_SCALE, 1.0 / 12);
  plan.commit(queue);
  sycl::buffer<value, 1> data{sycl::range<1>(12)};
  {
    const sycl::host_accessor to(data, sycl::write_only);
    std::copy(from.begin(), from.end(), to.begin());
  }
  compute_forward(plan, data);
  {
    const sycl::host_accessor found(data, sycl::read_only);
    EXPECT_LT(most_apart({found.begin(), found.end()}, transformed(from)), 1e-4f);
  }
  compute_backward(plan, data);
  const sycl::host_accessor found(data, sycl::read_only);
  EXPECT_LT(most_apart({found.begin(), found.end()}, from), 1e-5f);
}

TEST(onemath_dft, real_numbers_of_two_dimensions_in_place_and_back) {
  sycl::queue queue;
  real_descriptor plan({4, 6});
  plan.set_value(config_param::BACKWARD_SCALE, 1.0f / 24);
  plan.commit(queue);
  std::vector<std::int64_t> strides(3);
  plan.get_value(config_param::FWD_STRIDES, strides.data());
  EXPECT_EQ(strides, (std::vector<std::int64_t>{0, 8, 1})) << "rows have room for 4 complex numbers";
  sycl::buffer<float, 1> data{sycl::range<1>(32)};
  float sum = 0;
  {
    const sycl::host_accessor to(data, sycl::write_only);
    for (std::size_t i = 0; i < 32; ++i) to[i] = i % 8 < 6 ? float(i * 5 % 7) : 0.0f, sum += to[i];
  }
  compute_forward(plan, data);
  {
    const sycl::host_accessor found(data, sycl::read_only);
    EXPECT_NEAR(found[0], sum, 1e-4f);
    EXPECT_NEAR(found[1], 0, 1e-4f);
  }
  compute_backward(plan, data);
  const sycl::host_accessor found(data, sycl::read_only);
  for (std::size_t i = 0; i < 32; ++i)
    if (i % 8 < 6) {
      EXPECT_NEAR(found[i], float(i * 5 % 7), 1e-5f) << i;
    }
}

TEST(onemath_dft, a_batch_with_strides_and_an_offset_over_pointers) {
  sycl::queue queue;
  SKIP_WITHOUT(queue, usm_shared_allocations);
  constexpr std::size_t n = 10, count = 3;
  value* const in = sycl::malloc_shared<value>(1 + 2 * n * count, queue);
  value* const out = sycl::malloc_shared<value>(n * count, queue);
  const std::vector<value> from = numbers(n * count);
  for (std::size_t i = 0; i < n * count; ++i) in[1 + 2 * i] = from[i];
  complex_descriptor plan({std::int64_t(n)});
  plan.set_value(config_param::PLACEMENT, config_value::NOT_INPLACE);
  plan.set_value(config_param::NUMBER_OF_TRANSFORMS, std::int64_t(count));
  plan.set_value(config_param::FWD_STRIDES, std::vector<std::int64_t>{1, 2});
  plan.set_value(config_param::FWD_DISTANCE, 2 * int(n));
  plan.set_value(config_param::BWD_DISTANCE, std::int64_t(n));
  plan.commit(queue);
  compute_forward(plan, in, out).wait();
  for (std::size_t b = 0; b < count; ++b) {
    const auto first = from.begin() + std::ptrdiff_t(b * n);
    EXPECT_LT(most_apart({out + b * n, out + (b + 1) * n}, transformed({first, first + std::ptrdiff_t(n)})),
              1e-4f)
        << b;
  }
  sycl::free(in, queue), sycl::free(out, queue);
}

TEST(onemath_dft, strides_that_do_not_count_are_zeros) {
  using strides = std::vector<std::int64_t>;
  complex_descriptor plan(8);
  const auto has = [&](config_param which, const strides& expected) {
    strides found(2, 7);
    plan.get_value(which, found.data());
    EXPECT_EQ(found, expected);
  };
  has(config_param::FWD_STRIDES, {0, 1});
  has(config_param::INPUT_STRIDES, {0, 0});
  plan.set_value(config_param::INPUT_STRIDES, strides{0, 2});
  has(config_param::INPUT_STRIDES, {0, 2});
  has(config_param::FWD_STRIDES, {0, 0});
  plan.set_value(config_param::BWD_STRIDES, strides{0, 3});
  has(config_param::OUTPUT_STRIDES, {0, 0});
  has(config_param::BWD_STRIDES, {0, 3});
}

TEST(onemath_dft, real_numbers_in_place_need_rows_that_begin_with_those_of_the_result) {
  using namespace oneapi::math::dft;
  sycl::queue queue;
  descriptor<precision::SINGLE, domain::REAL> plan({4, 3});
  sycl::buffer<float, 1> data{sycl::range<1>(4 * 4 * 2)};
  const auto has_strides = [&](std::vector<std::int64_t> real, std::vector<std::int64_t> complex) {
    plan.set_value(config_param::FWD_STRIDES, real);
    plan.set_value(config_param::BWD_STRIDES, complex);
    plan.commit(queue);
  };
  has_strides({0, 3, 12}, {0, 3, 12});
  EXPECT_THROW(compute_forward(plan, data), oneapi::math::unimplemented);
  EXPECT_THROW(compute_backward(plan, data), oneapi::math::unimplemented);
  has_strides({0, 1, 4}, {0, 1, 4});
  EXPECT_THROW(compute_forward(plan, data), oneapi::math::unimplemented);
  has_strides({2, 4, 1}, {0, 2, 1});
  EXPECT_THROW(compute_forward(plan, data), oneapi::math::unimplemented);
  has_strides({0, 4, 1}, {0, 2, 1});
  compute_forward(plan, data);
  plan.set_value(config_param::NUMBER_OF_TRANSFORMS, 2);
  plan.set_value(config_param::FWD_DISTANCE, 16), plan.set_value(config_param::BWD_DISTANCE, 16);
  plan.commit(queue);
  EXPECT_THROW(compute_forward(plan, data), oneapi::math::unimplemented);
  plan.set_value(config_param::BWD_DISTANCE, 8);
  plan.commit(queue);
  compute_forward(plan, data);
}

TEST(onemath_dft, what_cannot_be_is_refused_by_name) {
  sycl::queue queue;
  EXPECT_THROW(complex_descriptor({2, 2, 2, 2}), oneapi::math::unimplemented);
  EXPECT_THROW(complex_descriptor(0), oneapi::math::invalid_argument);
  complex_descriptor plan(8);
  sycl::buffer<value, 1> data{sycl::range<1>(8)}, other{sycl::range<1>(4)};
  EXPECT_THROW(compute_forward(plan, data), oneapi::math::uninitialized);
  const auto has_no = [&](config_param parameter, auto value, auto usual) {
    plan.set_value(parameter, value);
    decltype(value) found;
    plan.get_value(parameter, &found);
    EXPECT_EQ(found, value);
    EXPECT_THROW(plan.commit(queue), oneapi::math::unimplemented);
    plan.set_value(parameter, usual);
  };
  has_no(config_param::COMPLEX_STORAGE, config_value::REAL_REAL, config_value::COMPLEX_COMPLEX);
  has_no(config_param::ORDERING, config_value::BACKWARD_SCRAMBLED, config_value::ORDERED);
  has_no(config_param::WORKSPACE_PLACEMENT, config_value::WORKSPACE_EXTERNAL,
         config_value::WORKSPACE_AUTOMATIC);
  has_no(config_param::TRANSPOSE, true, false);
  EXPECT_THROW(plan.set_value(config_param::COMPLEX_STORAGE, config_value::ORDERED),
               oneapi::math::invalid_argument);
  EXPECT_THROW(plan.set_value(config_param::PRECISION, oneapi::math::dft::precision::SINGLE),
               oneapi::math::invalid_argument);
  EXPECT_THROW(plan.set_value(config_param::FWD_STRIDES, nullptr), oneapi::math::invalid_argument);
  sycl::buffer<float, 1> re{sycl::range<1>(4)}, im{sycl::range<1>(4)};
  EXPECT_THROW(compute_forward(plan, re, im), oneapi::math::unimplemented);
  EXPECT_THROW(compute_backward(plan, re, im, re, im), oneapi::math::unimplemented);
  EXPECT_THROW(plan.set_workspace(re), oneapi::math::uninitialized);
  std::int64_t number = 1;
  EXPECT_THROW(plan.get_value(config_param::WORKSPACE_EXTERNAL_BYTES, &number),
               oneapi::math::invalid_argument);
  plan.commit(queue);
  EXPECT_THROW(plan.set_workspace(re), oneapi::math::unimplemented);
  plan.get_value(config_param::WORKSPACE_EXTERNAL_BYTES, &number);
  EXPECT_EQ(number, 0);
  plan.set_value(config_param::LENGTHS, 8);
  plan.commit(queue);
  EXPECT_THROW(compute_forward(plan, data, other), oneapi::math::invalid_argument)
      << "the descriptor is in place";
  plan.set_value(config_param::PLACEMENT, config_value::NOT_INPLACE);
  EXPECT_THROW(compute_forward(plan, data, other), oneapi::math::uninitialized) << "it has a new value";
  plan.commit(queue);
  try {
    compute_forward(plan, data, other);
    FAIL() << "a buffer that is too small was accepted";
  } catch (const oneapi::math::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("dft/compute_forward"), std::string::npos) << error.what();
  }
}

} // namespace
