// exp10, hypot, erf and erfc without branches, as branch_free.hpp and branch_free_float.hpp have others.
// Errors are below one unit in the last place for exp10 and erf, 1.5 for hypot and 4 for erfc; SYCL allows 3,
// 4 and
// 16. The polynomials of erf and erfc are those of error_function.cpp.
#pragma once

#include "compiler/builtins/branch_free_float.hpp"
#include "compiler/builtins/polynomials.hpp"

namespace prism::branch_free {

struct exp10 {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    constexpr double two_high = 0x1.34413509f7p-2, two_low = 0x1.3fde623e2566bp-43; // log10(2)
    constexpr double ten_high = 0x1.26bb1bbap+1, ten_low = 0x1.5551582dd4adbp-31;   // ln(10)
    const double above = x < -330.0 ? -330.0 : x, y = above > 310.0 ? 310.0 : above;
    const rounded k = nearest(y * 3.32192809488736234787), half = nearest(k.value * 0.5);
    const double first = y - k.value * two_high, second = k.value * two_low, f = first - second,
                 rest = (first - f) - second;
    // The first product is exact.
    const double f_high = upper_half(f), high = f_high * ten_high,
                 low = (f - f_high) * ten_high + (f * ten_low + rest * ten_high);
    const double r = high + low, found = 1.0 + (r + (exp_beyond_one(r) + ((high - r) + low)));
    const double scaled = found * power_of_two(half.integer) * power_of_two(k.integer - half.integer);
    return x != x ? x : scaled;
  }
};

struct hypot {
  PRISM_BRANCH_FREE static bool covers(double x, double y) {
    const double a = size_of_number(x), b = size_of_number(y);
    const bool not_large = (a <= 0x1p500) & (b <= 0x1p500), not_small = (a >= 0x1p-450) | (b >= 0x1p-450);
    return not_large & not_small;
  }
  PRISM_BRANCH_FREE static double of(double x, double y) { return __builtin_sqrt(x * x + y * y); }
};

/// erfc(a) for a from 1/2 on.
PRISM_BRANCH_FREE double erfc_positive(double given) {
  const double a = given > 28.0 ? 28.0 : given;
  const double p = builtins::erfcx_scaled((a - 4.0) / (a + 4.0)) / (1.0 + 2.0 * a);
  const double upper = upper_half(a), square = upper * upper, rest = (a - upper) * (a + upper);
  const exponent_parts e = exponent_of(-square);
  const double r = (e.high - e.tail) - rest, found = (1.0 + (r + exp_beyond_one(r))) * p;
  const rounded half = nearest(e.k.value * 0.5);
  return found * power_of_two(half.integer) * power_of_two(e.k.integer - half.integer);
}
struct erf {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double size = size_of_number(x), near = x + x * builtins::erf_tail(x * x);
    return size < 1.0 ? near : with_sign_of(1.0 - erfc_positive(size), x);
  }
};
struct erfc {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double size = size_of_number(x), tail = erfc_positive(size);
    const double near = 1.0 - (x + x * builtins::erf_tail(x * x));
    return size < 0.5 ? near : x < 0 ? 2.0 - tail : tail;
  }
};

namespace single {

struct exp10 {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static double of(float given) {
    const float low = given < -60.0f ? -60.0f : given;
    const double x = double(low > 40.0f ? 40.0f : low) * 3.32192809488736234787;
    const rounded k = nearest(x);
    const double r = (x - k.value) * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? double(given) : found;
  }
};

struct hypot {
  PRISM_BRANCH_FREE static bool covers(float x, float y) {
    return (size_of(x) <= 0x1.fffffep127f) & (size_of(y) <= 0x1.fffffep127f);
  }
  PRISM_BRANCH_FREE static double of(float x, float y) {
    return __builtin_sqrt(double(x) * x + double(y) * y);
  }
};

PRISM_BRANCH_FREE double erfc_positive(float given) {
  const float a = given > 11.0f ? 11.0f : given;
  const double p = builtins::erfcx_scaled((a - 4.0f) / (a + 4.0f)) / (1.0f + 2.0f * a);
  const double x = -(double(a) * a);
  const rounded k = nearest(x * 1.44269504088896338700);
  const double r = x - k.value * 6.93147180559945309417e-01;
  return (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer) * p;
}
struct erf {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float size = size_of(x), near = x + x * builtins::erf_tail(x * x);
    return size < 1.0f ? near : signed_as(float(1.0 - erfc_positive(size)), x);
  }
};
struct erfc {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float size = size_of(x);
    const double tail = erfc_positive(size);
    const float near = 1.0f - (x + x * builtins::erf_tail(x * x));
    return size < 0.5f ? near : float(x < 0 ? 2.0 - tail : tail);
  }
};

} // namespace single
} // namespace prism::branch_free
