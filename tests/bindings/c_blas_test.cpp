// BLAS over prism.h that other tests do not call: conjugates, Givens' rotation, products of narrow types.
// Each against a loop of its own.
#include "tests/bindings/c_common.hpp"

#include <cmath>
#include <complex>
#include <cstdint>

namespace {

using c_tests::owned;
using number = std::complex<float>;

struct c_blas : c_tests::on_device {
  static int32_t find(const char* name) {
    int32_t out = 0;
    EXPECT_RUNS(prism_operation_find(name, &out, error));
    return out;
  }
  void refuses(const char* part, int32_t operation, const std::vector<prism_view>& views) {
    EXPECT_REFUSES(
        PRISM_INVALID, part,
        prism_run(queue, operation, views.data(), views.size(), nullptr, nullptr, 0, nullptr, error));
  }
};

TEST_F(c_blas, dotc_and_gerc_take_the_conjugate_of_one_vector) {
  const std::vector<number> a{{1, 2}, {3, -1}, {0, 4}}, b{{2, -3}, {1, 1}, {-2, 5}};
  number *x = with(a), *y = with(b), *r = with(std::vector<number>(1)), *m = with(std::vector<number>(9));
  const auto vector_x = prism_vector(x, PRISM_C32, 3), vector_y = prism_vector(y, PRISM_C32, 3),
             result = prism_vector(r, PRISM_C32, 1), matrix = prism_matrix(m, PRISM_C32, 3, 3);
  EXPECT_EQ(find("dotc"), PRISM_DOTC);
  EXPECT_EQ(find("gerc"), PRISM_GERC);
  run(PRISM_DOTC, {vector_x, vector_y, result});
  number expected = 0;
  for (std::size_t i = 0; i < 3; ++i) expected += std::conj(a[i]) * b[i];
  EXPECT_EQ(*r, expected);
  run(PRISM_GERC, {vector_x, vector_y, matrix});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(m[i], a[i / 3] * std::conj(b[i % 3])) << i;
  prism_view twice = vector_x;
  twice.flags = PRISM_CONJUGATED;
  refuses("operand x is conjugated by the operation", PRISM_DOTC, {twice, vector_y, result});
  twice = vector_y, twice.flags = PRISM_CONJUGATED;
  refuses("operand y is conjugated by the operation", PRISM_GERC, {vector_x, twice, matrix});
  float *p = with<float>({1, 2}), *q = with<float>({5, 7}), *s = with<float>({0});
  run(PRISM_DOTC,
      {prism_vector(p, PRISM_F32, 2), prism_vector(q, PRISM_F32, 2), prism_vector(s, PRISM_F32, 1)});
  EXPECT_EQ(*s, 19);
}

TEST_F(c_blas, rotg_makes_the_rotation_that_removes_b) {
  float *a = with<float>({3}), *b = with<float>({4}), *c = with<float>({0}), *s = with<float>({0});
  const auto one = [](void* data, int32_t type) { return prism_vector(data, type, 1); };
  EXPECT_EQ(find("rotg"), PRISM_ROTG);
  run(PRISM_ROTG, {one(a, PRISM_F32), one(b, PRISM_F32), one(c, PRISM_F32), one(s, PRISM_F32)});
  EXPECT_NEAR(*c, 0.6, 1e-6);
  EXPECT_NEAR(*s, 0.8, 1e-6);
  EXPECT_NEAR(*a, 5, 1e-5);
  const number x{1, 2}, y{-3, 1};
  number *u = with<number>({x}), *v = with<number>({y}), *t = with<number>({{}});
  const std::vector<prism_view> views{one(u, PRISM_C32), one(v, PRISM_C32), one(c, PRISM_F32),
                                      one(t, PRISM_C32)};
  run(PRISM_ROTG, views);
  EXPECT_NEAR(std::abs(*c * x + *t * y - *u), 0, 1e-5);
  EXPECT_NEAR(std::abs(-std::conj(*t) * x + *c * y), 0, 1e-5);
  EXPECT_NEAR(*c * *c + std::norm(*t), 1, 1e-6);
  std::vector<prism_view> wrong = views;
  wrong[2] = one(t, PRISM_C32);
  refuses("operand c is of complex float, not of float", PRISM_ROTG, wrong);
  wrong = views, wrong[1] = prism_vector(v, PRISM_C32, 0);
  refuses("operand 1 has 0 elements instead of one", PRISM_ROTG, wrong);
  wrong = views, wrong[0] = prism_matrix(u, PRISM_C32, 1, 1);
  refuses("operand a has rank 2", PRISM_ROTG, wrong);
}

TEST_F(c_blas, products_of_narrow_types_are_those_of_cpp) {
  const auto product = [&](auto one_of_a, int32_t type, auto one_of_c, int32_t written,
                           const std::vector<decltype(one_of_a)>& a) {
    auto *m = with(a), *n = with(a);
    auto* out = with(std::vector<decltype(one_of_c)>(4));
    run(PRISM_GEMM,
        {prism_matrix(m, type, 2, 2), prism_matrix(n, type, 2, 2), prism_matrix(out, written, 2, 2)});
    return std::vector<decltype(one_of_c)>(out, out + 4);
  };
  // (1 2; -3 4) times itself is (-5 10; -15 10).
  const std::vector<std::int8_t> bytes{1, 2, -3, 4};
  const std::vector<std::uint16_t> half{0x3c00, 0x4000, 0xc200, 0x4400},
      bfloat{0x3f80, 0x4000, 0xc040, 0x4080};
  const std::vector<float> wanted{-5, 10, -15, 10};
  EXPECT_EQ(product(std::int8_t(), PRISM_S8, std::int32_t(), PRISM_S32, bytes),
            (std::vector<std::int32_t>{-5, 10, -15, 10}));
  EXPECT_EQ(product(std::int8_t(), PRISM_S8, float(), PRISM_F32, bytes), wanted);
  EXPECT_EQ(product(std::uint16_t(), PRISM_F16, float(), PRISM_F32, half), wanted);
  EXPECT_EQ(product(std::uint16_t(), PRISM_BF16, float(), PRISM_F32, bfloat), wanted);
  EXPECT_EQ(product(std::uint16_t(), PRISM_F16, std::uint16_t(), PRISM_F16, half),
            (std::vector<std::uint16_t>{0xc500, 0x4900, 0xcb80, 0x4900}));
  EXPECT_EQ(product(std::uint16_t(), PRISM_BF16, std::uint16_t(), PRISM_BF16, bfloat),
            (std::vector<std::uint16_t>{0xc0a0, 0x4120, 0xc170, 0x4120}));
  float* data = with<float>(std::vector<float>(16));
  const auto view = [&](int32_t type) { return prism_matrix(data, type, 2, 2); };
  refuses("operand b is of bfloat16, not of half", PRISM_GEMM,
          {view(PRISM_F16), view(PRISM_BF16), view(PRISM_F32)});
  refuses("operand c is of half, not of int32 or float", PRISM_GEMM,
          {view(PRISM_S8), view(PRISM_S8), view(PRISM_F16)});
  refuses("operand a is of half, not of float", PRISM_SYRK, {view(PRISM_F16), view(PRISM_F16)});
}

} // namespace
