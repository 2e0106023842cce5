// Kernels of every form that C++ allows on a device. Each must give the host's results on every OpenCL
// driver. Compiled several times, with different optimisation flags (CMakeLists.txt).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/compiler/compared_kernels.hpp"

using namespace prism::test;

namespace {
class kernels : public compared_kernels {};
} // namespace

TEST_P(kernels, axpy) {
  auto x = filled<float>(items), y = filled<float>(items, 2);
  float *px = x.data(), *py = y.data(), a = 2.5f;
  same<class axpy>([=] {
    py[id()] = a * px[id()] + py[id()];
  }, {.arrays = {bytes_of(x), bytes_of(y)}, .tolerance = 1e-6, .compared = launch::element::float32});
}

TEST_P(kernels, products_and_sums_are_not_fused_across_statements) {
  auto x = filled<float>(items), y = filled<float>(items, 2);
  for (float& v : x) v *= 1.0000001f;
  float *px = x.data(), *py = y.data();
  same<class unfused>([=] {
    float p = px[id()] * py[id()];
  again:
    py[id()] = p;
    px[id()] = p - px[id()];
    if (px[id()] == 12345.0f) goto again;
  }, {.arrays = {bytes_of(x), bytes_of(y)}});
}

template <class T>
struct integers {
  static void run(T* a, const T* b) {
    const T x = a[id()], y = b[id()];
    T r = x + y;
    r ^= x - y;
    r += x * y;
    r ^= y != 0 ? (x == std::numeric_limits<T>::min() && y == T(-1) ? T(0) : x / y) : T(1);
    r += y != 0 && !(x == std::numeric_limits<T>::min() && y == T(-1)) ? x % y : T(2);
    r ^= x >> (y & 7);
    r += T(typename std::make_unsigned<T>::type(x) << (y & 7));
    r += x < y ? 3 : 5;
    r ^= T(__builtin_popcountll(static_cast<unsigned long long>(x)));
    r += x != 0 ? T(__builtin_ctzll(static_cast<unsigned long long>(x) | 1ull << 40)) : T(9);
    r += T(__builtin_clz(static_cast<unsigned>(y) | 1u));
    r ^= std::max(x, y) - std::min(x, T(3));
    a[id()] = r;
  }
};

#define INTEGER_TEST(type, name)                                                                             \
  TEST_P(kernels, integers_of_##name) {                                                                      \
    auto a = filled<type>(items), b = filled<type>(items, 7);                                                \
    type *pa = a.data(), *pb = b.data();                                                                     \
    same<class integers_##name>([=] { integers<type>::run(pa, pb); },                                        \
                                {.arrays = {bytes_of(a), bytes_of(b)}});                                     \
  }
INTEGER_TEST(std::int8_t, int8)
INTEGER_TEST(std::uint8_t, uint8)
INTEGER_TEST(std::int16_t, int16)
INTEGER_TEST(std::uint16_t, uint16)
INTEGER_TEST(std::int32_t, int32)
INTEGER_TEST(std::uint32_t, uint32)
INTEGER_TEST(std::int64_t, int64)
INTEGER_TEST(std::uint64_t, uint64)

TEST_P(kernels, tiled_matrix_product_with_barriers_in_a_loop) {
  constexpr int n = 32, tile = 8;
  auto a = filled<float>(n * n), b = filled<float>(n * n, 2), c = filled<float>(n * n, 3);
  for (float& v : a) v = std::floor(v / 16);
  for (float& v : b) v = std::floor(v / 16);
  float *pa = a.data(), *pb = b.data(), *pc = c.data();
  same<class matmul>(
      [=] {
    float* la = static_cast<float*>(__prism_local_arena());
    float* lb = la + tile * tile;
    const int tx = lid() % tile, ty = lid() / tile;
    const int row = (__prism_group_id(0) / (n / tile)) * tile + ty,
              column = (__prism_group_id(0) % (n / tile)) * tile + tx;
    float sum = 0;
    for (int t = 0; t < n; t += tile) {
      la[ty * tile + tx] = pa[row * n + t + tx];
      lb[ty * tile + tx] = pb[(t + ty) * n + column];
      __prism_barrier(1);
      for (int k = 0; k < tile; ++k) sum += la[ty * tile + k] * lb[k * tile + tx];
      __prism_barrier(1);
    }
    pc[row * n + column] = sum;
  }, {.groups = (n / tile) * (n / tile),
      .group_size = tile * tile,
      .local_bytes = 2 * tile * tile * sizeof(float),
      .arrays = {bytes_of(a), bytes_of(b), bytes_of(c)}});
}

namespace {
void wrapped_barrier() { __prism_barrier(3); }
int through_wrapper(int* local, int i, bool even) {
  if (even) local[i] = i * 3;
  else local[i] = i * 5;
  wrapped_barrier();
  int result = local[(i + 1) % 32];
  wrapped_barrier();
  return result;
}
} // namespace

TEST_P(kernels, a_barrier_in_a_helper_after_a_branch) {
  auto out = filled<int>(items);
  int* p = out.data();
  same<class wrapped>([=] {
    int* local = static_cast<int*>(__prism_local_arena());
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += through_wrapper(local, lid(), (lid() + i) % 2 == 0);
    p[id()] = sum;
  }, {.local_bytes = 32 * 4, .arrays = {bytes_of(out)}});
}

TEST_P(kernels, group_scratch_reduction) {
  auto out = filled<int>(items);
  int* p = out.data();
  same<class scratch>([=] {
    int* s = static_cast<int*>(__prism_group_scratch(32 * sizeof(int)));
    s[lid()] = p[id()] & 0xffff;
    for (std::size_t step = 16; step > 0; step /= 2) {
      __prism_barrier(1);
      if (lid() < step) s[lid()] += s[lid() + step];
    }
    __prism_barrier(1);
    p[id()] = s[0];
  }, {.arrays = {bytes_of(out)}});
}

TEST_P(kernels, switch_loops_break_and_continue) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class flow>([=] {
    int x = p[id()], sum = 0;
    for (int i = 0; i < 40; ++i) {
      switch ((x >> (i % 16)) & 7) {
        case 0: sum += i; break;
        case 1: sum ^= x; continue;
        case 2: x = x * 1103515245 + 12345; [[fallthrough]];
        case 3: sum -= 3; break;
        case 5:
          if (sum % 5 == 0) goto done;
          break;
        case 100: sum = 0; break;
        default: sum += x & 15;
      }
      while ((sum & 3) == 1) sum += 2 * i + 1;
    }
  done:
    p[id()] = sum;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, irreducible_control_flow) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class irreducible>([=] {
    int x = p[id()] & 0xfffff, n = 0;
    if (x & 1) goto middle;
  top:
    x = x * 5 + 1;
    if (++n > 50) goto out;
  middle:
    x ^= x >> 3;
    if (++n > 60) goto out;
    if (x & 4) goto top;
    x += 7;
    goto middle;
  out:
    p[id()] = x + n;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, private_arrays_indexed_dynamically) {
  auto a = filled<unsigned>(items);
  unsigned* p = a.data();
  same<class arrays>([=] {
    unsigned table[37];
    for (int i = 0; i < 37; ++i) table[i] = p[id()] * (i + 1);
    unsigned x = p[id()];
    for (int i = 0; i < 100; ++i) {
      table[x % 37] += i;
      x = table[(x >> 5) % 37] ^ (x * 3);
    }
    unsigned char bytes[16] = {};
    for (int i = 0; i < 16; ++i) bytes[(x + i) & 15] += static_cast<unsigned char>(x >> i);
    std::uint64_t word;
    __builtin_memcpy(&word, bytes + (x & 8), 8);
    p[id()] = x + static_cast<unsigned>(word ^ (word >> 32));
  }, {.arrays = {bytes_of(a)}});
}

namespace {
struct inner {
  short s;
  double d;
  char c[3];
};
struct outer {
  int n;
  inner in[2];
  float f;
  bool flag;
};
outer change(outer o, int k) {
  o.in[k & 1].d += k;
  o.in[1].c[k % 3] = static_cast<char>(k);
  std::swap(o.in[0], o.in[1]);
  o.flag = !o.flag;
  return o;
}
} // namespace

TEST_P(kernels, nested_structures_by_value) {
  std::vector<outer> a(items);
  std::memset(static_cast<void*>(a.data()), 0, items * sizeof(outer));
  for (std::size_t i = 0; i < items; ++i) {
    a[i].n = i;
    a[i].in[0].d = i * 0.5;
    a[i].in[1].s = i;
    a[i].f = i;
    a[i].flag = i & 1;
  }
  outer* p = a.data();
  same<class structures>([=] {
    outer o = p[id()];
    for (int k = 0; k < 5; ++k) o = change(o, o.n + k);
    p[id()].n = static_cast<int>(o.in[0].d * 4) + o.in[1].s;
    p[id()].f = static_cast<float>(o.in[1].d) + o.in[1].c[0] + o.in[0].c[1];
    p[id()].flag = o.flag;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, structures_with_pointers_inside) {
  struct view {
    int* data;
    std::size_t offset;
    int& operator[](std::size_t i) const { return data[offset + i]; }
  };
  auto a = filled<int>(items * 2), b = filled<int>(items * 2, 5);
  struct both {
    view first;
    int factor;
    view second;
  } views{{a.data(), 3}, 7, {b.data() + 8, 1}};
  same<class pointers_inside>([=] {
    const view* chosen = id() % 2 ? &views.first : &views.second;
    (*chosen)[id()] += views.factor;
  }, {.arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels, captures_over_one_kilobyte) {
  std::array<int, 400> table;
  std::iota(table.begin(), table.end(), 100);
  auto a = filled<int>(items);
  int* p = a.data();
  same<class big_capture>([=] { p[id()] = table[(id() * 7) % 400] + table[3]; }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, captured_array_indexed_dynamically) {
  std::array<short, 9> table{1, 2, 3, 4, 5, 6, 7, 8, 9};
  auto a = filled<int>(items);
  int* p = a.data();
  same<class captured_array>([=] { p[id()] = table[id() % 9] * table[8]; }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, constant_tables) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class tables>([=] {
    static constexpr int table[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, 10, 11};
    constexpr float weights[5] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
    const char* text = "device text";
    p[id()] = table[id() % 11] + static_cast<int>(weights[p[id()] & 3] * 2) + text[id() % 11];
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, virtual_calls_on_local_objects) {
  struct shape {
    virtual int area() const = 0;
  };
  struct square : shape {
    int s;
    explicit square(int v) : s(v) {}
    int area() const override { return s * s; }
  };
  auto a = filled<int>(items);
  int* p = a.data();
  same<class devirtualised>([=] {
    square s(p[id()] & 255);
    const shape& any = s;
    p[id()] = any.area();
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, half_is_rounded_after_each_operation) {
  auto a = filled<std::uint16_t>(items), b = filled<std::uint16_t>(items, 3);
  for (auto& v : a) v = (v & 0x83ff) | 0x4000;
  for (auto& v : b) v = (v & 0x83ff) | 0x3c00;
  std::uint16_t *p = a.data(), *q = b.data();
  same<class halves>([=] {
    _Float16 x, y;
    __builtin_memcpy(&x, p + id(), 2);
    __builtin_memcpy(&y, q + id(), 2);
    _Float16 z = x * y;
    z = z + x;
    z = z / y;
    if (z < x) z = z - static_cast<_Float16>(0.5f);
    __builtin_memcpy(p + id(), &z, 2);
    float f = static_cast<float>(z) * 1.5f;
    z = static_cast<_Float16>(f);
    __builtin_memcpy(q + id(), &z, 2);
  }, {.arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels, conversions) {
  auto f = filled<float>(items);
  std::vector<std::int64_t> out(items * 8);
  float* p = f.data();
  std::int64_t* q = out.data();
  same<class conversions>([=] {
    const float x = p[id()];
    std::int64_t* r = q + id() * 8;
    r[0] = static_cast<std::int64_t>(x);
    r[1] = static_cast<std::int8_t>(static_cast<int>(x));
    r[2] = static_cast<std::uint16_t>(static_cast<int>(x));
    r[3] = static_cast<std::int64_t>(
        static_cast<float>(static_cast<std::int64_t>(x) * 1234ll)); // Mesa rounds larger ones incorrectly
    r[4] = x != 0;
    r[5] = static_cast<unsigned>(x < 0 ? -x : x);
    r[6] = __builtin_bit_cast(int, x);
    r[7] = static_cast<std::int64_t>(static_cast<float>(static_cast<std::uint64_t>(r[0]) & 0xffffffu));
  }, {.arrays = {bytes_of(f), bytes_of(out)}});
}

TEST_P(kernels, vector_extensions) {
  using int4 = int __attribute__((ext_vector_type(4)));
  auto a = filled<int>(items * 4), b = filled<int>(items * 4, 2);
  int *p = a.data(), *q = b.data();
  same<class vectors>([=] {
    int4 x = *reinterpret_cast<int4*>(p + id() * 4), y = *reinterpret_cast<int4*>(q + id() * 4);
    int4 z = (x & 0xffff) * (y & 0xff) + x.wzyx;
    z = x > y ? z : -z;
    z[id() & 3] += 1;
    *reinterpret_cast<int4*>(p + id() * 4) = z;
  }, {.arrays = {bytes_of(a), bytes_of(b)}});
}

TEST_P(kernels, packed_structures) {
  struct __attribute__((packed)) packed {
    char c;
    int i;
    short s;
    double d;
  };
  std::vector<packed> a(items);
  std::memset(static_cast<void*>(a.data()), 0, items * sizeof(packed));
  for (std::size_t i = 0; i < items; ++i) {
    a[i].c = i;
    a[i].i = i * 1000003;
    a[i].s = i * 7;
  }
  packed* p = a.data();
  same<class packed_kernel>([=] {
    p[id()].i += p[id()].s * p[id()].c;
    p[id()].s = p[id()].i >> 5;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, bit_fields_of_odd_widths) {
  struct fields {
    unsigned a : 3, b : 11, c : 18;
    int d : 5;
    unsigned long long e : 37;
  };
  std::vector<fields> a(items);
  std::memset(static_cast<void*>(a.data()), 0, items * sizeof(fields));
  for (std::size_t i = 0; i < items; ++i) {
    a[i].a = i;
    a[i].b = i * 37;
    a[i].c = i * 2001;
    a[i].d = static_cast<int>(i % 32) - 16;
    a[i].e = i * 123456789ull;
  }
  fields* p = a.data();
  same<class bit_fields>([=] {
    fields f = p[id()];
    f.a += f.b;
    f.c = f.c * 3 + f.a;
    f.d = f.d * 3;
    f.e = f.e * 5 - static_cast<unsigned long long>(static_cast<long long>(f.d));
    f.b ^= f.e >> 30;
    p[id()] = f;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, mathematics) {
  auto a = filled<float>(items);
  for (float& v : a) v = v / 200;
  std::vector<float> out(items * 16);
  float *p = a.data(), *q = out.data();
  same<class mathematics>([=] {
    const float x = p[id()];
    float* r = q + id() * 16;
    r[0] = std::sin(x);
    r[1] = std::cos(x);
    r[2] = std::exp(x);
    r[3] = std::log(x * x + 0.5f);
    r[4] = std::pow(x * x + 0.1f, 1.3f);
    r[5] = std::sqrt(x * x);
    r[6] = std::fabs(x);
    r[7] = std::floor(x);
    r[8] = std::fma(x, x, 1.0f);
    r[9] = std::fmin(x, 0.25f);
    r[10] = std::hypot(x, 2.0f);
    r[11] = std::copysign(3.0f, x);
    r[12] = std::fmod(x, 0.3f);
    r[13] = std::round(x);
    r[14] = std::isnan(x) ? 1 : std::isfinite(x) ? 2 : 3;
    r[15] = std::ldexp(x, 3);
  }, {.arrays = {bytes_of(a), bytes_of(out)}, .tolerance = 2e-5, .compared = launch::element::float32});
}

TEST_P(kernels, overflow_checks_and_saturation) {
  auto a = filled<int>(items), b = filled<int>(items, 4);
  std::vector<std::int64_t> out(items * 4);
  int *p = a.data(), *q = b.data();
  std::int64_t* o = out.data();
  same<class overflow>([=] {
    int r = 0;
    std::int64_t w = 0;
    const std::int64_t x = static_cast<std::int64_t>(p[id()]) * q[id()],
                       y = static_cast<std::int64_t>(q[id()]) << 13;
    o[id() * 4] = __builtin_add_overflow(p[id()], q[id()], &r) ? 1 : r;
    o[id() * 4 + 1] = __builtin_mul_overflow(x, y, &w) ? -1 : w;
    o[id() * 4 + 2] =
        __builtin_elementwise_add_sat(p[id()], q[id()]) + __builtin_elementwise_sub_sat(p[id()], q[id()]);
    o[id() * 4 + 3] = __builtin_rotateleft32(p[id()], q[id()] & 31) ^
                      static_cast<std::int64_t>(__builtin_bswap64(y)) ^ __builtin_bitreverse16(p[id()]);
  }, {.arrays = {bytes_of(a), bytes_of(b), bytes_of(out)}});
}

namespace {
template <class F>
int apply(F f, int x) {
  return f(x);
}
} // namespace

TEST_P(kernels, references_to_captured_or_local_values) {
  auto a = filled<int>(items);
  int* p = a.data();
  const int limit = 1000, floor = -500;
  const std::array<int, 4> steps{3, 5, 7, 9};
  same<class references>([=] {
    int x = p[id()] % 5000;
    int big[4] = {x, x + 1, x + 2, x + 3};
    const int* chosen = x & 1 ? steps.data() : big;
    int sum = std::max(std::min(x, limit), floor);
    for (int i = 0; i < 4; ++i) sum += chosen[(x >> i) & 3];
    p[id()] = sum;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, references_to_constants_or_private_arrays) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class constant_or_private>([=] {
    static constexpr int fixed[4] = {11, 22, 33, 44};
    int x = p[id()];
    int own[4] = {x, x * 2, x * 3, x * 4};
    const int* chosen = fixed;
    for (int i = 0; i < 3; ++i) {
      x += chosen[(x >> i) & 3];
      chosen = x & 1 ? own : fixed;
    }
    p[id()] = x;
  }, {.arrays = {bytes_of(a)}});
}

TEST_P(kernels, algorithms_of_the_standard_library) {
  auto a = filled<int>(items);
  int* p = a.data();
  same<class algorithms>([=] {
    std::array<int, 12> values;
    for (int i = 0; i < 12; ++i) values[i] = (p[id()] >> i) % 100;
    for (std::size_t i = 1; i < values.size(); ++i)
      for (std::size_t k = i; k > 0 && values[k - 1] > values[k]; --k) std::swap(values[k - 1], values[k]);
    std::reverse(values.begin(), values.begin() + 5);
    p[id()] = std::accumulate(values.begin(), values.end(), 0, [](int s, int v) { return s * 3 + v; }) +
              apply([&](int i) { return values[i]; }, p[id()] & 7);
  }, {.arrays = {bytes_of(a)}});
}

INSTANTIATE_TEST_SUITE_P(opencl, kernels, testing::ValuesIn(prism::test::drivers()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(kernels);
