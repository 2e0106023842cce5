// Kernels in C++ that use many features of the language. Each reads `in` and writes its own element of `out`,
// so the host computes the same. clang compiles them with PRISM's plugin; cxx_kernels_test.cpp runs them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include <sycl/detail/kernel_abi.hpp>

namespace cxx_kernels {

inline std::uint64_t item() { return __prism_group_id(0) * __prism_local_size(0) + __prism_local_id(0); }

#define PRISM_TEST_KERNEL(NAME)                                                                              \
  struct NAME {                                                                                              \
    const std::uint32_t* in;                                                                                 \
    std::uint32_t* out;                                                                                      \
    void operator()() const {                                                                                \
      const std::uint64_t i = item();                                                                        \
      out[i] = compute(i);                                                                                   \
    }                                                                                                        \
    std::uint32_t compute(std::uint64_t i) const;                                                            \
  };                                                                                                         \
  inline std::uint32_t NAME::compute([[maybe_unused]] std::uint64_t i) const

inline std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }
inline std::uint32_t bits(double d) {
  const auto b = std::bit_cast<std::uint64_t>(d);
  return std::uint32_t(b ^ b >> 32);
}

PRISM_TEST_KERNEL(mandelbrot) {
  const float cx = float(in[i] % 1000) / 400.0f - 2.0f, cy = float(in[i] / 1000 % 1000) / 400.0f - 1.25f;
  float x = 0, y = 0;
  unsigned n = 0;
  for (; n < 100; ++n) {
    if (x * x + y * y > 4) break;
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    if (n % 7 == 3) continue;
    x += 0.0f;
  }
  return n;
}

PRISM_TEST_KERNEL(inserts_into_an_array) {
  std::uint32_t a[16];
  for (int k = 0; k < 16; ++k) {
    std::uint32_t v = in[(i * 3 + k) % 256];
    int p = k;
    while (p > 0 && a[p - 1] > v) {
      a[p] = a[p - 1];
      --p;
    }
    a[p] = v;
  }
  return a[i % 16];
}

PRISM_TEST_KERNEL(switches) {
  std::uint32_t v = in[i], r = 0;
  for (int k = 0; k < 6; ++k) {
    switch (v % 9) {
      case 0: r += 3; break;
      case 1: r ^= v; [[fallthrough]];
      case 2: r *= 5; break;
      case 5: r -= 77; break;
      case 7: return r;
      default: r = (r << 3) | (r >> 29);
    }
    v = v * 1664525u + 1013904223u;
  }
  return r;
}

PRISM_TEST_KERNEL(jumps_into_loops) {
  std::uint32_t v = in[i], n = 0;
  if (v & 1) goto middle;
top:
  v = v * 3 + 1;
  if (++n > 20) return v;
middle:
  v ^= v >> 3;
  if (v & 4) goto top;
  if (++n > 30) return v + 1;
  if (v & 8) goto middle;
  return v ^ n;
}

PRISM_TEST_KERNEL(leaves_nested_loops) {
  std::uint32_t s = 0;
  for (int a = 0; a < 10; ++a)
    for (int b = 0; b < 10; ++b) {
      for (int c = 0; c < 5; ++c) {
        s += in[(i + a * 3 + b * 5 + c) % 256] & 15;
        if (s > 300) return s;
        if ((s & 31) == 7) break;
      }
      if ((s & 63) == 9) goto out_of_both;
    }
out_of_both:
  return s * 2;
}

PRISM_TEST_KERNEL(bit_tricks) {
  const std::uint32_t v = in[i];
  const std::uint64_t w = std::uint64_t(v) * 0x9e3779b97f4a7c15u;
  std::uint32_t r = std::popcount(v) + 3 * std::countl_zero(v) + 5 * std::countr_zero(v | 1u << 20);
  r = r * 7 + std::popcount(w) + 3 * std::countl_zero(w) + 5 * std::countr_zero(w | 1ull << 50);
  r ^= std::rotl(v, int(i % 32)) ^ std::uint32_t(std::rotr(w, int(i % 64)));
  r += __builtin_bswap32(v) ^ std::uint32_t(__builtin_bswap64(w) >> 7) ^ __builtin_bswap16(std::uint16_t(v));
  r ^= __builtin_bitreverse32(v) + __builtin_bitreverse8(std::uint8_t(v));
  r += std::popcount(std::uint8_t(v)) + std::countl_zero(std::uint16_t(v >> 3));
  return r;
}

PRISM_TEST_KERNEL(small_integers) {
  std::int8_t a = std::int8_t(in[i]);
  std::uint8_t b = std::uint8_t(in[i] >> 8);
  std::int16_t c = std::int16_t(in[i] >> 3);
  std::uint16_t d = std::uint16_t(in[i] >> 11);
  for (int k = 0; k < 10; ++k) {
    a = std::int8_t(a * 3 + b);
    b = std::uint8_t(b + c / 3);
    c = std::int16_t((c ^ d) - a);
    d = std::uint16_t(d * 5 + (b >> 1));
    if (a < c) b ^= 0x55;
    if (d % 7u == unsigned(b % 5)) a = std::int8_t(-a);
  }
  return std::uint32_t(std::uint8_t(a)) | std::uint32_t(b) << 8 | (std::uint32_t(std::uint16_t(c)) ^ d) << 16;
}

PRISM_TEST_KERNEL(wide_integers) {
  const std::int64_t a = std::int64_t(in[i]) * -7919, b = std::int64_t(in[(i + 1) % 256] | 1);
  std::uint64_t r = std::uint64_t(a) * std::uint64_t(b * 0x123456789);
  r += std::uint64_t(a / b) + std::uint64_t(a % b) * 3 + std::uint64_t(a) / std::uint64_t(b);
  r ^= std::uint64_t(a >> 5) + (std::uint64_t(a) << 9);
  return std::uint32_t(r ^ r >> 32);
}

PRISM_TEST_KERNEL(overflow_and_saturation) {
  const std::int32_t a = std::int32_t(in[i]), b = std::int32_t(in[(i + 7) % 256] * 40503u);
  std::int32_t r = 0;
  std::uint32_t flags = 0;
  flags |= __builtin_add_overflow(a, b, &r);
  flags |= __builtin_sub_overflow(a, b, &r) << 1;
  flags |= __builtin_mul_overflow(a, b, &r) << 2;
  std::uint32_t u = 0;
  flags |= __builtin_mul_overflow(std::uint32_t(a), std::uint32_t(b), &u) << 3;
  std::int64_t w = 0;
  flags |= __builtin_mul_overflow(std::int64_t(a) << 20, std::int64_t(b) << 9, &w) << 4;
  return flags ^
         (std::uint32_t(__builtin_elementwise_add_sat(a, b)) +
          __builtin_elementwise_sub_sat(std::uint32_t(a), std::uint32_t(b))) ^
         std::uint32_t(std::max(a, b)) + std::uint32_t(std::clamp(a, -1000, 1000)) +
             std::uint32_t(std::abs(b / 2));
}

PRISM_TEST_KERNEL(doubles) {
  double x = double(in[i]) / 1234.5, s = 0;
  for (int k = 1; k < 20; ++k) {
    s += x / k;
    x = x * 0.75 - 1.0 / (k + x * x);
  }
  const double r =
      std::sqrt(std::fabs(s)) + std::floor(x * 10) - std::trunc(s) + std::ceil(s / 3) + std::rint(s * 0.5);
  return bits(r) ^ std::uint32_t(std::int64_t(s * 1000));
}

PRISM_TEST_KERNEL(floats) {
  const float x = float(std::int32_t(in[i])) * 0.001f, y = float(in[(i + 1) % 256] & 0xffff) - 300.5f;
  float r = x + y * 2.0f - x / (y + 0.25f);
  r = std::fmax(r, std::fmin(x, y)) + std::copysign(1.5f, y) + std::fabs(x);
  if (std::isnan(r) || std::isinf(r) || std::signbit(x)) r += 1;
  return bits(r) ^ bits(std::round(y)) ^ std::uint32_t(std::int32_t(x)) ^ std::uint32_t(std::lround(y));
}

struct shape {
  virtual ~shape() = default;
  virtual std::uint32_t area() const = 0;
};
struct square final : shape {
  std::uint32_t side;
  explicit square(std::uint32_t s) : side(s) {}
  std::uint32_t area() const override { return side * side; }
};
struct box final : shape {
  std::uint32_t a, b;
  box(std::uint32_t x, std::uint32_t y) : a(x), b(y) {}
  std::uint32_t area() const override { return a * b; }
};

PRISM_TEST_KERNEL(virtual_calls_of_local_objects) {
  const square s(in[i] & 1023);
  const box b(in[i] >> 20, 3);
  const shape& first = s;
  const shape& second = b;
  return first.area() * 3 + second.area();
}

PRISM_TEST_KERNEL(tables_of_constants) {
  static constexpr std::uint32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};
  static constexpr double halves[] = {0.5, 1.5, 2.5, 3.5};
  constexpr struct {
    std::uint8_t a;
    std::uint32_t b;
  } pairs[] = {{1, 2}, {3, 4}, {250, 6}};
  const char text[] = "a kernel may hold text";
  std::uint32_t r = primes[in[i] % 13] * 100 + std::uint32_t(halves[in[i] / 13 % 4] * 2);
  r += pairs[i % 3].a * 7 + pairs[(i + 1) % 3].b;
  return r * 31 + std::uint32_t(text[in[i] % (sizeof text - 1)]);
}

PRISM_TEST_KERNEL(initialised_local_arrays) {
  std::uint32_t a[8] = {9, 8, 7, 6, 5, 4, 3, 2};
  const std::uint32_t* chosen = a;
  static constexpr std::uint32_t other[8] = {1, 1, 2, 3, 5, 8, 13, 21};
  if (in[i] & 1) chosen = other;
  a[in[i] >> 3 & 7] += 100;
  return chosen[in[i] >> 5 & 7] + a[0];
}

struct inner {
  std::uint8_t tag;
  double weight;
  std::uint16_t n[3];
};
struct outer {
  inner parts[2];
  std::uint32_t tail;
};

PRISM_TEST_KERNEL(nested_structures) {
  outer o{};
  o.parts[i & 1].tag = std::uint8_t(in[i]);
  o.parts[in[i] & 1].weight = in[i] * 0.5;
  for (int k = 0; k < 3; ++k) o.parts[(i + k) & 1].n[k] = std::uint16_t(in[i] >> k);
  outer copy = o;
  copy.tail = copy.parts[1].tag + copy.parts[0].n[in[i] % 3];
  std::swap(copy.parts[0], copy.parts[1]);
  return copy.tail * 3 + bits(copy.parts[in[i] >> 4 & 1].weight) + copy.parts[i >> 2 & 1].n[1];
}

PRISM_TEST_KERNEL(type_punning) {
  unsigned char raw[16];
  const double d = in[i] * 1.25;
  std::memcpy(raw, &d, 8);
  std::memcpy(raw + 8, &in[(i + 3) % 256], 4);
  raw[12 + (i & 3)] = std::uint8_t(i);
  for (int k = 12; k < 16; ++k)
    if (k != int(12 + (i & 3))) raw[k] = std::uint8_t(k);
  std::uint16_t h;
  std::memcpy(&h, raw + (i % 14), 2);
  std::uint32_t w;
  std::memcpy(&w, raw + 5, 4);
  return h * 65599u + w;
}

PRISM_TEST_KERNEL(optionals_and_variants) {
  std::optional<std::uint32_t> o;
  if (in[i] % 3 != 0) o = in[i] / 3;
  std::variant<std::uint32_t, double> v = in[i];
  if (in[i] & 8) v = in[i] * 0.25;
  std::uint32_t r = o.value_or(77);
  if (const auto* u = std::get_if<std::uint32_t>(&v)) r += *u;
  else r ^= bits(*std::get_if<double>(&v));
  const auto [low, high] = std::minmax({in[i], in[(i + 1) % 256], in[(i + 2) % 256]});
  return r + high - low;
}

PRISM_TEST_KERNEL(lambdas_by_reference) {
  std::uint32_t total = 0;
  const auto add = [&](std::uint32_t v) { total = total * 17 + v; };
  const auto twice = [&](auto&& f) {
    f(in[i]);
    f(in[(i + 5) % 256]);
  };
  twice(add);
  twice([&](std::uint32_t v) {
    if (v & 1) add(v ^ 3);
  });
  return total;
}

PRISM_TEST_KERNEL(complex_numbers) {
  std::complex<float> z(float(in[i] & 255) / 64.0f, -1.0f), w(0.5f, float(i % 8));
  for (int k = 0; k < 4; ++k) z = z * w + std::complex<float>(1.0f, 0.25f);
  return bits(z.real()) ^ bits(z.imag());
}

PRISM_TEST_KERNEL(pointers_into_arrays) {
  std::uint32_t a[10], b[10];
  for (unsigned k = 0; k < 10; ++k) a[k] = in[(i + k) % 256], b[k] = k * 3;
  std::uint32_t *p = a, *q = b;
  for (int k = 0; k < 9; ++k) {
    if (*p < *q * 50) std::swap(p, q);
    ++p;
    ++q;
  }
  const bool in_a = p >= a && p < a + 10;
  return *p * 2 + in_a;
}

PRISM_TEST_KERNEL(reduces_by_algorithms) {
  std::uint32_t a[9];
  std::iota(a, a + 9, in[i] & 1023);
  std::reverse(a + 2, a + 8);
  std::rotate(a, a + 3, a + 9);
  const auto found = std::find_if(a, a + 9, [&](std::uint32_t v) { return v % 5 == 2; });
  return std::accumulate(a, a + 6, 7u, [](std::uint32_t x, std::uint32_t y) { return x * 3 ^ y; }) +
         std::uint32_t(found - a) + *std::max_element(a, a + 4);
}

PRISM_TEST_KERNEL(half_numbers) {
  _Float16 a = static_cast<_Float16>(float(in[i] & 1023) / 8.0f), b = static_cast<_Float16>(1.5f);
  for (int k = 0; k < 4; ++k) a = a * b - static_cast<_Float16>(float(in[(i + k) % 256] & 15));
  return std::bit_cast<std::uint16_t>(a);
}

template <int N>
std::uint32_t recursive(const std::uint32_t* in, std::uint64_t i) {
  if constexpr (N == 0) return in[i];
  else return recursive<N - 1>(in, (i * 5 + 1) % 256) * 3 + recursive<N - 1>(in, (i * 3 + 2) % 256);
}

PRISM_TEST_KERNEL(template_recursion) { return recursive<4>(in, i); }

PRISM_TEST_KERNEL(volatile_and_booleans) {
  volatile std::uint32_t v = in[i];
  bool flags[8] = {};
  for (int k = 0; k < 8; ++k) flags[(v >> k) & 7] ^= true;
  std::uint32_t r = 0;
  for (bool f : flags) r = r * 2 + f;
  v = v + r;
  return v;
}

} // namespace cxx_kernels
