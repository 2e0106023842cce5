// The functions of expressions of array<T>, each compared with that of any_array.
#include "tests/kernels/array_typed_common.hpp"

namespace {

using namespace prism;
using prism_test::error_of;
using prism_test::expect_same;

/// Expression k where `i` is k: one kernel for many functions.
template <typename I, typename E>
auto pick(const I&, int, const E& last) {
  return last;
}
template <typename I, typename E, typename... Rest>
auto pick(const I& i, int k, const E& first, const Rest&... rest) {
  return where(i == k, first, pick(i, k + 1, rest...));
}

template <typename T>
struct operands {
  array<std::int8_t> i;
  array<T> x, y;
  /// Numbers from low to high, repeated for `functions`; y in another order.
  operands(int functions, double low, double high) {
    std::vector<std::int8_t> which;
    std::vector<double> one, other;
    for (int k = 0; k < functions; ++k)
      for (int n = 0; n < 41; ++n) {
        which.push_back(std::int8_t(k));
        one.push_back(low + (high - low) * n / 40), other.push_back(low + (high - low) * (n * 17 % 41) / 40);
      }
    const any_array a = asarray(one), b = asarray(other);
    i = array<std::int8_t>(which);
    if constexpr (is_complex(dtype_of<T>())) {
      const scalar unit(std::complex<double>(0, 1));
      x = array<T>((a + b * unit).astype(dtype_of<T>())), y = array<T>((b - a * unit).astype(dtype_of<T>()));
    } else x = array<T>(a.astype(dtype_of<T>())), y = array<T>(b.astype(dtype_of<T>()));
  }
};
/// `make` of typed operands and of the same arrays as any_array.
template <typename T, typename Make>
void compare(const operands<T>& of, int steps, const Make& make) {
  const auto typed = make(of.i, of.x, of.y);
  using R = typename decltype(typed)::value_type;
  expect_same(array<R>(typed), make(of.i.any(), of.x.any(), of.y.any()), steps);
}

template <typename T>
void real_functions() {
  SCOPED_TRACE(name_of(dtype_of<T>()));
  compare(operands<T>(10, 0.01, 0.99), 4, [](const auto& i, const auto& x, const auto&) {
    return pick(i, 0, sqrt(x), exp(x), expm1(x), log(x), log1p(x), log2(x), log10(x), reciprocal(x), exp2(x),
                cbrt(x));
  });
  compare(operands<T>(6, -0.99, 0.99), 4, [](const auto& i, const auto& x, const auto&) {
    return pick(i, 0, sin(x), cos(x), tan(x), asin(x), acos(x), atan(x));
  });
  compare(operands<T>(6, -0.99, 0.99), 4, [](const auto& i, const auto& x, const auto&) {
    return pick(i, 0, sinh(x), cosh(x), tanh(x), asinh(x), acosh(x + 3), atanh(x));
  });
  compare(operands<T>(11, -3.7, 5.5), 0, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, floor_divide(x, y), x % y, maximum(x, y), minimum(x, y), copysign(x, y),
                nextafter(x, y), fmax(x, y), fmin(x, y), x / y, clip(x, -1, 2.5), where(x < y, x, 7));
  });
  compare(operands<T>(4, -3.7, 5.5), 4, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, atan2(x, y), hypot(x, y), logaddexp(x, y), pow(abs(x), y));
  });
}

TEST(typed_arrays, functions_of_real_numbers_are_those_of_arrays_of_any_type) { real_functions<float>(); }

TEST(typed_arrays, functions_have_the_same_results_at_infinities_zeros_and_nan) {
  const float inf = INFINITY;
  std::vector<float> numbers{-inf, inf, NAN, 0, -0.0f, 0.5f, -0.5f, 2.5f, 3.5f, -1}, one, other;
  for (const float a : numbers)
    for (const float b : numbers) one.push_back(a), other.push_back(b);
  operands<float> of(1, 0, 1);
  of.i = array<std::int8_t>(std::vector<std::int8_t>(one.size(), 0));
  of.x = array<float>(one), of.y = array<float>(other);
  for (int k = 0; k < 10; ++k) {
    SCOPED_TRACE(k);
    of.i.fill(std::int8_t(k));
    compare(of, 0, [](const auto& i, const auto& x, const auto& y) {
      return pick(i, 0, floor(x), ceil(x), trunc(x), round(x), sign(x), maximum(x, y), minimum(x, y), x % y,
                  floor_divide(x, y), abs(x));
    });
    compare(of, 0, [](const auto& i, const auto& x, const auto& y) {
      return pick(i, 0, isnan(x), isinf(x), isfinite(x), signbit(x), x < y, x >= y, x == y, logical_and(x, y),
                  logical_xor(x, y), logical_not(x));
    });
  }
}

template <typename T>
void complex_functions() {
  SCOPED_TRACE(name_of(dtype_of<T>()));
  using R = typename T::value_type;
  compare(operands<T>(8, -1.9, 1.3), 8, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, x + y, x * y, x / y, conj(x) - 2, -x + std::complex<R>(1, 2), square(x), sign(x),
                where(x == y, x, y * R(0.5)));
  });
  compare(operands<T>(6, -1.9, 1.3), 64, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, sqrt(x), exp(x), log(x), sin(x), tanh(x), pow(x, y));
  });
  compare(operands<T>(3, -1.9, 1.3), 4,
          [](const auto& i, const auto& x, const auto&) { return pick(i, 0, abs(x), real(x), imag(x)); });
  compare(operands<T>(3, -1.9, 1.3), 0, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, x != y, isfinite(x), logical_not(x));
  });
}

TEST(typed_arrays, functions_of_complex_numbers_are_those_of_arrays_of_any_type) {
  complex_functions<std::complex<float>>();
}

constexpr double least_integer = -128, greatest_integer = 127;
template <typename T>
operands<T> integers(int functions) {
  return operands<T>(functions, std::is_signed_v<T> ? least_integer : 0, greatest_integer);
}

/// All integers are computed as int64 or uint64. So each type needs the operations whose results are brought
/// to it, the shifts of an unsigned type differ, and one type stands for all in what has no result of it.
template <typename T>
void integer_arithmetic() {
  SCOPED_TRACE(name_of(dtype_of<T>()));
  compare(integers<T>(9), 0, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, x + y, x - y, x * y, floor_divide(x, y), x % y, pow(x, abs(y) % 9), maximum(x, y),
                minimum(x, 5), -x);
  });
}
template <typename T>
void integer_bits() {
  SCOPED_TRACE(name_of(dtype_of<T>()));
  compare(integers<T>(9), 0, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, x & y, x | y, x ^ 6, ~x, x << (abs(y) % 70), x >> (abs(y) % 70), abs(x), sign(x),
                square(x));
  });
}
void integer_comparisons_and_fractions() {
  using T = std::int8_t;
  compare(integers<T>(9), 0, [](const auto& i, const auto& x, const auto& y) {
    return pick(i, 0, x<y, x <= 3, x> y, x >= y, x == y, x != y, logical_or(x, y), isfinite(x), signbit(x));
  });
  const operands<T> all = integers<T>(1);
  expect_same(array<T>(round(all.x)), round(all.x.any()));
  expect_same(array<T>(clip(all.x, 3, 50)), clip(all.x.any(), 3, 50));
  if (sycl::device().has(sycl::aspect::fp64))
    compare(integers<T>(5), 4, [](const auto& i, const auto& x, const auto& y) {
      return pick(i, 0, x / y, sqrt(abs(x)), x * 0.5, atan2(x, y), exp(x % 5));
    });
}

TEST(typed_arrays, functions_of_integers_are_those_of_arrays_of_any_type) {
  integer_arithmetic<std::int8_t>(), integer_arithmetic<std::uint16_t>(), integer_arithmetic<std::int64_t>();
  integer_bits<std::int8_t>(), integer_bits<std::uint16_t>();
  integer_comparisons_and_fractions();
  const array<bool> a(any_array(arange(0, 4) % 2).astype(dtype::boolean)),
      b(any_array(arange(0, 4) / 2 >= 1).astype(dtype::boolean));
  expect_same(array<bool>(a + b), a.any() + b.any());
  expect_same(array<bool>(a * b), a.any() * b.any());
  expect_same(array<bool>(a ^ b), a.any() ^ b.any());
  expect_same(array<bool>(~a), ~a.any());
  expect_same(array<std::int64_t>(a + 1), a.any() + 1);
}

template <typename E, typename T>
constexpr bool has_type = std::is_same_v<typename E::value_type, T>;

TEST(typed_arrays, the_negative_of_a_zero_is_the_other_zero) {
  const array<float> x(std::vector<float>{0, -0.0f, 2});
  for (const std::vector<float>& made :
       {array<float>(-x).to_vector(), (-x.any()).to_vector<float>(), array<float>(negative(x)).to_vector()}) {
    EXPECT_EQ(made, (std::vector<float>{0, 0, -2}));
    EXPECT_TRUE(std::signbit(made[0]) && !std::signbit(made[1]));
  }
  const std::complex<float> z =
      (-asarray(std::vector<std::complex<float>>{{0, -0.0f}})).to_vector<std::complex<float>>()[0];
  EXPECT_TRUE(std::signbit(z.real()) && !std::signbit(z.imag()));
}

TEST(typed_arrays, types_promote_as_those_of_arrays_of_any_type) {
  const array<std::int8_t> a(std::vector<std::int8_t>{1});
  const array<std::uint8_t> b(std::vector<std::uint8_t>{2});
  const array<std::int16_t> c(std::vector<std::int16_t>{3});
  const array<std::int32_t> d(std::vector<std::int32_t>{4});
  const array<float> f(std::vector<float>{5});
  static_assert(has_type<decltype(a + b), std::int16_t> && has_type<decltype(a + c), std::int16_t> &&
                has_type<decltype(c * f), float> && has_type<decltype(d * f), double> &&
                has_type<decltype(f + std::complex<float>()), std::complex<float>> &&
                has_type<decltype(d + std::complex<float>()), std::complex<double>> &&
                has_type<decltype(d % d), std::int32_t> && has_type<decltype(pow(d, 2)), std::int32_t> &&
                has_type<decltype(a * 2.5f), double> && has_type<decltype(floor(d)), std::int32_t> &&
                has_type<decltype(sqrt(d)), double> && has_type<decltype(where(a > 0, 1, 0)), std::int64_t> &&
                has_type<decltype(astype<float>(d)), float>);
  expect_same(array<std::int16_t>(a - b), a.any() - b.any());
  std::string text;
  EXPECT_EQ(error_of([&] { a + 300; }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("300 does not fit int8"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { b - -1; }, &text), sycl::errc::invalid);
  expect_same(array<std::int32_t>(astype<std::int32_t>(f * 1.5f)), (f.any() * 1.5).astype(dtype::int32));
}

} // namespace
