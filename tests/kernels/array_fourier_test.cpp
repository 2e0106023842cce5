// Fourier transforms of arrays: round trips, sums by the definition, and results of NumPy 1.24 written next
// to each call.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>

namespace {

using namespace prism;
using prism_test::error_of;
using reals = std::vector<double>;
using complexes = std::vector<std::complex<double>>;

complexes complexes_of(const any_array& a) {
  return a.astype(dtype::complex128).to_vector<std::complex<double>>();
}
void expect_near(const any_array& got, const complexes& wanted, double tolerance = 1e-12) {
  const complexes all = complexes_of(got);
  ASSERT_EQ(all.size(), wanted.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(std::abs(all[i] - wanted[i]), 0, tolerance) << i << ": " << all[i];
}
void expect_equal(const any_array& got, const any_array& wanted, double tolerance = 1e-12) {
  ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape()));
  expect_near(got, complexes_of(wanted), tolerance);
}
any_array x() { return asarray(reals{1, 2, 0, -1, 3, 0.5}); }

/// The definition, along one axis.
any_array by_definition(const any_array& a, std::int64_t axis, double sign) {
  const any_array last = a.astype(dtype::complex128).moveaxis(axis, -1);
  const std::int64_t n = last.shape()[last.ndim() - 1];
  complexes roots;
  for (std::int64_t i = 0; i < n * n; ++i)
    roots.push_back(std::polar(1.0, sign * 2 * M_PI * double(i / n * (i % n) % n) / double(n)));
  return matmul(last, asarray(roots, {n, n})).moveaxis(-1, axis);
}

TEST(array_fft, transforms_of_one_axis_are_numpys) {
  const double h = 1.299038105676658;
  const complexes all{5.5, {1.75, h}, {-2.75, -3 * h}, 2.5, {-2.75, 3 * h}, {1.75, -h}};
  expect_near(fft::fft(x()), all);
  expect_near(fft::rfft(x()), complexes(all.begin(), all.begin() + 4));
  expect_near(fft::rfft(x(), 4), {2, {1, -3}, 0});
  expect_near(fft::fft(x(), 8)[{slice{1, 3}}], {{-0.23223304703363112, -0.35355339059327384}, {4, -3.5}});
  expect_near(fft::fft(x(), {}, -1, fft::scaling::ortho)[{1}], {{0.7144345083117604, 0.5303300858899107}});
  expect_near(fft::ifft(x(), {}, -1, fft::scaling::forward)[{1}], {{1.75, -h}});
  const any_array half = asarray(complexes{1, {2, -1}, {0.5, 2}, 3});
  expect_near(fft::hfft(half),
              {9, 1.2320508075688767, -3.696152422706632, -5, 6.696152422706632, -2.2320508075688767});
  expect_near(fft::hfft(half, 5),
              {6, 1.8760789597044278, -6.906847552890403, 3.052745586640718, 0.9780230065452569});
  expect_near(fft::ihfft(x()), {5.5 / 6, {1.75 / 6, -h / 6}, {-2.75 / 6, h / 2}, 2.5 / 6});
  EXPECT_EQ(fft::hfft(half).type(), dtype::float64);
}

TEST(array_fft, transforms_along_any_axes_are_the_definition) {
  reals values(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i) * double(i));
  const any_array a = asarray(values, {2, 3, 4, 5});
  for (std::int64_t axis = -4; axis < 4; ++axis) {
    expect_equal(fft::fft(a, {}, axis), by_definition(a, axis, -1));
    expect_equal(fft::ifft(a, {}, axis) * double(a.shape()[int((axis + 4) % 4)]), by_definition(a, axis, 1));
  }
  any_array whole = a;
  for (int d = 0; d < 4; ++d) whole = by_definition(whole, d, -1);
  expect_equal(fft::fftn(a), whole);
  expect_equal(fft::rfftn(a), whole[{ellipsis, slice{0, 3}}]);
  expect_equal(fft::fft2(a), by_definition(by_definition(a, 3, -1), 2, -1));
  expect_equal(fft::fft2(a, {}, {{2, 0}}), by_definition(by_definition(a, 0, -1), 2, -1));
  expect_equal(fft::fftn(a, {}, {{1, 1}}), by_definition(by_definition(a, 1, -1), 1, -1));
  expect_equal(fft::fftn(a[{every, slice{{}, {}, -2}}].transpose(), {}, {{0, 1, 2}}),
               fft::fftn(a[{every, slice{{}, {}, -2}}].transpose().copy(), {}, {{0, 1, 2}}));
  const any_array m = (arange(0, 24) % 7).reshape({2, 3, 4}), cut = fft::rfftn(m, {{4, 3}}, {{2, 0}});
  EXPECT_EQ(cut.shape(), (extents{2, 3, 4}));
  expect_near(cut.reshape({-1})[{slice{5, 9}}], {{-4, -3}, 3, {-4, 3}, 19});
}

TEST(array_fft, inverses_give_back_the_array_in_its_type) {
  for (const dtype type : {dtype::float32, dtype::float64, dtype::int32}) {
    SCOPED_TRACE(name_of(type));
    const double small = type == dtype::float32 ? 1e-5 : 1e-12;
    const any_array a = (arange(0, 105) % 11).reshape({3, 5, 7}).astype(type);
    for (const fft::scaling norm : {fft::scaling::backward, fft::scaling::ortho, fft::scaling::forward}) {
      expect_equal(fft::ifft(fft::fft(a, {}, 1, norm), {}, 1, norm), a, small);
      expect_equal(fft::irfft(fft::rfft(a, {}, -1, norm), 7, -1, norm), a, small);
      expect_equal(fft::ifftn(fft::fftn(a, {}, {}, norm), {}, {}, norm), a, small);
      expect_equal(fft::irfftn(fft::rfftn(a, {}, {}, norm), {{3, 5, 7}}, {}, norm), a, small);
      expect_equal(fft::irfft2(fft::rfft2(a, {}, {{0, 1}}, norm), {{3, 5}}, {{0, 1}}, norm), a, small);
      expect_equal(fft::ifft2(fft::fft2(a, {}, fft::last_two, norm), {}, fft::last_two, norm), a, small);
    }
    const dtype wide = type == dtype::float32 ? dtype::complex64 : dtype::complex128;
    EXPECT_EQ(fft::fft(a).type(), wide);
    EXPECT_EQ(fft::irfft(fft::rfft(a)).type(), type == dtype::float32 ? dtype::float32 : dtype::float64);
  }
  EXPECT_EQ(fft::fft(zeros({0, 4})).shape(), (extents{0, 4}));
}

TEST(array_fft, frequencies_and_shifts_are_numpys) {
  expect_near(fft::fftfreq(5, 0.5), {0, 0.4, 0.8, -0.8, -0.4});
  expect_near(fft::fftfreq(4), {0, 0.25, -0.5, -0.25});
  expect_near(fft::rfftfreq(5, 0.5, dtype::float32), {0, 0.4, 0.8}, 1e-7);
  expect_near(fft::rfftfreq(2), {0, 0.5});
  expect_near(fft::rfftfreq(1), {0});
  expect_near(fft::fftshift(arange(0, 6).reshape({2, 3})), {5, 3, 4, 2, 0, 1});
  expect_near(fft::ifftshift(arange(0, 5)), {2, 3, 4, 0, 1});
  expect_near(fft::fftshift(arange(0, 6).reshape({2, 3}), {{1}}), {2, 0, 1, 5, 3, 4});
}

TEST(array_fft, unfit_lengths_and_axes_are_refused) {
  const auto refusal = [](const std::function<void()>& call) {
    std::string text;
    EXPECT_EQ(error_of(call, &text), sycl::errc::invalid);
    return text;
  };
  EXPECT_NE(refusal([] { fft::fft(ones({3}), 0); }).find("fft of 0 elements"), std::string::npos);
  EXPECT_NE(refusal([] { fft::fft(ones({3}), {}, 1); }).find("axis 1"), std::string::npos);
  EXPECT_NE(refusal([] { fft::rfft(ones({3}, dtype::complex64)); }).find("complex"), std::string::npos);
  EXPECT_NE(refusal([] { fft::fftn(ones({3}), {{1, 2}}); }).find("dimensions"), std::string::npos);
  EXPECT_NE(refusal([] { fft::fftn(ones({3, 3}), {{1, 2}}, {{0}}); }).find("1 axes"), std::string::npos);
  EXPECT_NE(refusal([] { fft::fftn(any_array(1.0)); }).find("one axis"), std::string::npos);
}

} // namespace
