// vec, swizzles and marray in kernels: every operator compared with the scalar one, conversions in all
// rounding modes, loads and stores in each kind of memory, reads and writes through swizzles, built-in
// functions compared with those of scalars.
#define SYCL_SIMPLE_SWIZZLES
#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" // pointers of SYCL 1.2.1 are among those that loads and stores take
#include "tests/sycl/common.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using namespace sycl;
using prism_test::counted;

template <typename T>
T sample(int i) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::is_signed_v<T> ? (i * 37) % 101 - 50 : (i * 37) % 101);
  else return static_cast<T>(((i * 37) % 101 - 50) * 0.25f);
}
template <typename T>
T divisor(int i) {
  return static_cast<T>(i % 7 + 1);
}

/// The i-th operator applied to scalars; the same expressions serve the vectors. No negative number is
/// shifted left, which is undefined before C++20.
template <typename V>
auto arithmetic(int which, const V& a, const V& b) {
  V r = a;
  switch (which) {
    case 0: r = a + b; break;
    case 1: r = a - b; break;
    case 2: r = a * b; break;
    case 3: r = a / b; break;
    case 4: r += b; break;
    case 5: r -= b; break;
    case 6: r *= b; break;
    case 7: r /= b; break;
    default: r = -a; break;
  }
  return r;
}
constexpr int arithmetic_operators = 9; // ++ and -- follow below

template <typename V>
auto integral(int which, const V& a, const V& b) {
  V r = a;
  switch (which) {
    case 0: r = a % b; break;
    case 1: r = a & b; break;
    case 2: r = a | b; break;
    case 3: r = a ^ b; break;
    case 4: r = (a & b) << b; break;
    case 5: r = a >> b; break;
    case 6: r = ~a; break;
    case 7: r %= b; break;
    case 8: r &= b; break;
    case 9: r |= b; break;
    case 10: r ^= b; break;
    case 11:
      r &= b;
      r <<= b;
      break;
    default: r >>= b; break;
  }
  return r;
}
constexpr int integral_operators = 13;

template <typename V>
auto relation(int which, const V& a, const V& b) {
  switch (which) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a > b;
    case 4: return a <= b;
    case 5: return a >= b;
    case 6: return a && b;
    case 7: return a || b;
    default: return !a;
  }
}
constexpr int relations = 9;

template <typename T, int N>
void check_vec_operators() {
  queue q;
  constexpr int kinds = arithmetic_operators + integral_operators + relations;
  std::vector<T> a(N), b(N), out(kinds * N), ticks(4 * N);
  std::vector<int> truth(relations * N);
  for (int i = 0; i < N; ++i) a[i] = sample<T>(i), b[i] = divisor<T>(i);
  b[0] = a[0] = T(3); // some equal elements
  if (N > 2) a[2] = T(0);
  {
    buffer<T> ba(a), bb(b), bo(out), bt(ticks);
    buffer<int> br(truth);
    q.submit([&](handler& h) {
      accessor x(ba, h, read_only);
      accessor y(bb, h, read_only);
      accessor o(bo, h, write_only);
      accessor t(bt, h, write_only);
      accessor r(br, h, write_only);
      h.single_task([=] {
        vec<T, N> v, w;
        for (int i = 0; i < N; ++i) v[i] = x[i], w[i] = y[i];
        for (int k = 0; k < arithmetic_operators; ++k) {
          const vec<T, N> z = arithmetic(k, v, w);
          for (int i = 0; i < N; ++i) o[k * N + i] = z[i];
        }
        if constexpr (std::is_integral_v<T>) {
          for (int k = 0; k < integral_operators; ++k) {
            const vec<T, N> z = integral(k, v, w);
            for (int i = 0; i < N; ++i) o[(arithmetic_operators + k) * N + i] = z[i];
          }
        }
        for (int k = 0; k < relations; ++k) {
          const auto z = relation(k, v, w);
          static_assert(sizeof(z[0]) == sizeof(T) && std::is_integral_v<std::decay_t<decltype(z[0])>>);
          for (int i = 0; i < N; ++i) r[k * N + i] = static_cast<int>(z[i]);
        }
        vec<T, N> up = v, down = v;
        const vec<T, N> was_up = up++, was_down = down--;
        ++up;
        --down;
        for (int i = 0; i < N; ++i)
          t[i] = was_up[i], t[N + i] = was_down[i], t[2 * N + i] = up[i], t[3 * N + i] = down[i];
      });
    });
  }
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < arithmetic_operators; ++k)
      EXPECT_EQ(out[k * N + i], arithmetic<T>(k, a[i], b[i])) << k << " " << i;
    if constexpr (std::is_integral_v<T>)
      for (int k = 0; k < integral_operators; ++k)
        EXPECT_EQ(out[(arithmetic_operators + k) * N + i], integral<T>(k, a[i], b[i])) << k << " " << i;
    for (int k = 0; k < relations; ++k)
      EXPECT_EQ(truth[k * N + i], relation<T>(k, a[i], b[i]) ? -1 : 0) << k << " " << i;
    EXPECT_EQ(ticks[i], a[i]);
    EXPECT_EQ(ticks[N + i], a[i]);
    EXPECT_EQ(ticks[2 * N + i], T(a[i] + T(2)));
    EXPECT_EQ(ticks[3 * N + i], T(a[i] - T(2)));
  }
}

TEST(vectors, have_every_operator_element_by_element) {
  check_vec_operators<std::int8_t, 16>();
  check_vec_operators<std::uint16_t, 8>();
  check_vec_operators<int, 3>();
  check_vec_operators<std::uint32_t, 4>();
  check_vec_operators<std::int64_t, 2>();
  check_vec_operators<float, 4>();
  check_vec_operators<float, 1>();
}

TEST(vectors, of_doubles_have_every_operator) {
  queue q;
  SKIP_WITHOUT(q, fp64);
  check_vec_operators<double, 3>();
}

TEST(vectors, take_scalars_on_either_side) {
  queue q;
  std::vector<int> out(16);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.single_task([=] {
        const int4 v(1, 2, 3, 4);
        const int4 results[4] = {10 - v, v * 3, 12 / v, 1 << v};
        for (int k = 0; k < 4; ++k)
          for (int i = 0; i < 4; ++i) o[4 * k + i] = results[k][i];
      });
    });
  }
  EXPECT_EQ(out, (std::vector<int>{9, 8, 7, 6, 3, 6, 9, 12, 12, 6, 4, 3, 2, 4, 8, 16}));
}

TEST(vectors, take_one_element_of_another_as_a_scalar) {
  queue q;
  std::vector<float> out(9);
  {
    buffer<float> result(out);
    q.submit([&](handler& h) {
      accessor r(result, h, write_only);
      h.single_task([=] {
        const float4 in(2, 4, 5, 20);
        const auto w = in.w();
        const float3 some = in.xyz();
        const vec<float, 1> one(4);
        const float3 products = some * w, shares = w / some, sums = some + one;
        for (int i = 0; i < 3; ++i) r[i] = products[i], r[3 + i] = shares[i], r[6 + i] = sums[i];
      });
    });
  }
  EXPECT_EQ(out, (std::vector<float>{40, 80, 100, 10, 5, 4, 6, 8, 9}));
  float4 changed(1, 2, 3, 4);
  changed.xy() *= changed.w();
  EXPECT_EQ(changed.x(), 4);
  EXPECT_EQ(changed.y(), 8);
  EXPECT_EQ((changed.xy() > changed.z())[0], -1); // {4, 8} > 3
}

TEST(vectors, convert_with_every_rounding_mode) {
  queue q;
  const std::vector<float> in{2.5f, 3.5f, -2.5f, -0.75f};
  std::vector<int> whole(20);
  std::vector<float> inexact(8);
  {
    buffer<float> bi(in);
    buffer<int> bo(whole);
    buffer<float> bf(inexact);
    q.submit([&](handler& h) {
      accessor i(bi, h, read_only);
      accessor o(bo, h, write_only);
      accessor f(bf, h, write_only);
      h.single_task([=] {
        const float4 v(i[0], i[1], i[2], i[3]);
        const int4 results[5] = {v.convert<int>(), v.convert<int, rounding_mode::rte>(),
                                 v.convert<int, rounding_mode::rtz>(), v.convert<int, rounding_mode::rtp>(),
                                 v.convert<int, rounding_mode::rtn>()};
        for (int k = 0; k < 5; ++k)
          for (int e = 0; e < 4; ++e) o[4 * k + e] = results[k][e];
        const int2 large(16777217, -16777217); // 2^24 + 1 has no exact float
        const float2 floats[4] = {
            large.convert<float, rounding_mode::rte>(), large.convert<float, rounding_mode::rtz>(),
            large.convert<float, rounding_mode::rtp>(), large.convert<float, rounding_mode::rtn>()};
        for (int k = 0; k < 4; ++k)
          for (int e = 0; e < 2; ++e) f[2 * k + e] = floats[k][e];
      });
    });
  }
  EXPECT_EQ(whole, (std::vector<int>{2, 3, -2, 0, 2, 4, -2, -1, 2, 3, -2, 0, 3, 4, -2, 0, 2, 3, -3, -1}));
  EXPECT_EQ(inexact, (std::vector<float>{16777216.f, -16777216.f, 16777216.f, -16777216.f, 16777218.f,
                                         -16777216.f, 16777216.f, -16777218.f}));
}

TEST(vectors, are_reinterpreted_by_as) {
  queue q;
  std::vector<std::uint32_t> words(4), bytes(8);
  {
    buffer<std::uint32_t> bw(words), bb(bytes);
    q.submit([&](handler& h) {
      accessor w(bw, h, write_only);
      accessor b(bb, h, write_only);
      h.single_task([=] {
        const auto bits = float4(1.0f, -2.0f, 0.5f, 0.0f).as<vec<std::uint32_t, 4>>();
        for (int i = 0; i < 4; ++i) w[i] = bits[i];
        const auto small = vec<std::uint32_t, 2>(0x04030201u, 0x08070605u).as<vec<std::uint8_t, 8>>();
        for (int i = 0; i < 8; ++i) b[i] = small[i];
      });
    });
  }
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0x3f800000u, 0xc0000000u, 0x3f000000u, 0u}));
  EXPECT_EQ(bytes, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

template <int N>
void check_loads() {
  queue q;
  std::vector<int> in = counted(4 * N), out(4 * N);
  {
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor i(bi, h, read_only);
      accessor o(bo, h, read_write);
      local_accessor<int> l(4 * N, h);
      h.parallel_for(nd_range<1>(1, 1), [=](nd_item<1>) {
        int own[4 * N];
        vec<int, N> v;
        for (int k = 0; k < 4; ++k) {
          using access::address_space;
          v.template load<address_space::global_space>(k, i.template get_multi_ptr<access::decorated::no>());
          (v + 1).template store<address_space::local_space, access::decorated::yes>(
              k, l.template get_multi_ptr<access::decorated::yes>());
        }
        for (int k = 0; k < 4; ++k) {
          v.load(k, l.get_pointer());
          v.lo().template store<access::address_space::private_space>(0, private_ptr<int>(own + k * N));
          v.lo().template load<access::address_space::local_space>(0, l.get_pointer() + k * N);
          (v * 2).store(k, private_ptr<int>(own));
        }
        for (int k = 0; k < 4; ++k) {
          v.load(k, static_cast<const int*>(own));
          v.store(3 - k, o.get_pointer());
        }
      });
    });
  }
  for (int k = 0; k < 4; ++k)
    for (int e = 0; e < N; ++e) EXPECT_EQ(out[(3 - k) * N + e], (k * N + e + 1) * 2);
}

TEST(vectors, are_loaded_and_stored_in_every_kind_of_memory) {
  check_loads<2>();
  check_loads<3>();
  check_loads<4>();
  check_loads<8>();
  check_loads<16>();
}

/// A vector between numbers of its elements' type.
template <typename T, int N>
struct framed {
  T before;
  vec<T, N> inside;
  T after;
};

/// Moves vectors through an accessor, work-group memory, members of structures behind a pointer, and memory
/// at which they are not aligned.
template <typename T, int N>
void check_moves(queue& q) {
  constexpr int count = 16;
  const auto element = [](int i, int e) { return T((i * 5 + e) % 100); };
  std::vector<vec<T, N>> in(count), out(count);
  for (int i = 0; i < count; ++i)
    for (int e = 0; e < N; ++e) in[std::size_t(i)][e] = element(i, e);
  auto* const frames = malloc_shared<framed<T, N>>(count, q);
  auto* const packed = malloc_shared<T>(count * N + 1, q); // begins behind the first element
  {
    buffer<vec<T, N>> from(in), to(out);
    q.submit([&](handler& h) {
      accessor a(from, h, read_only);
      accessor b(to, h, write_only, no_init);
      local_accessor<vec<T, N>> group(count, h);
      h.parallel_for(nd_range<1>(count, count), [=](nd_item<1> item) {
        const std::size_t i = item.get_local_id(0), last = count - 1;
        group[i] = a[i];
        item.barrier();
        const vec<T, N> other = group[last - i];
        frames[i] = {other[0], other, other[N - 1]};
        frames[i].inside[1] += T(1);
        for (int e = 0; e < N; ++e) packed[i * N + std::size_t(e) + 1] = frames[i].inside[e];
        vec<T, N> read;
        for (int e = 0; e < N; ++e) read[e] = packed[i * N + std::size_t(e) + 1];
        b[i] = read + vec<T, N>(frames[i].before);
      });
    });
  }
  for (int i = 0; i < count; ++i)
    for (int e = 0; e < N; ++e) {
      const int other = count - 1 - i;
      const T moved = T(element(other, e) + T(e == 1));
      ASSERT_EQ(frames[i].inside[e], moved) << i << " " << e;
      ASSERT_EQ(packed[i * N + e + 1], moved) << i << " " << e;
      ASSERT_EQ(out[std::size_t(i)][e], T(moved + element(other, 0))) << i << " " << e;
      ASSERT_EQ(frames[i].after, element(other, N - 1)) << i;
    }
  sycl::free(frames, q);
  sycl::free(packed, q);
}

template <typename T, int... N>
void check_all_moves() {
  queue q;
  if (!q.get_device().has(aspect::usm_shared_allocations)) return;
  (check_moves<T, N>(q), ...);
}

TEST(vectors, of_each_type_and_width_are_moved_through_every_memory) {
  check_all_moves<float, 2, 3, 4, 8, 16>();
  check_all_moves<signed char, 2, 3, 4, 16>();
  check_all_moves<std::uint16_t, 2, 4>();
  check_all_moves<int, 4>();
  check_all_moves<std::int64_t, 2, 3, 4>();
  const device where = queue().get_device();
  if (where.has(aspect::fp16)) check_all_moves<half, 2, 4>();
  if (where.has(aspect::fp64)) check_all_moves<double, 2, 4>();
}

TEST(swizzles, read_write_and_nest) {
  queue q;
  std::vector<int> out(48, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h, write_only);
      h.single_task([=] {
        int4 v(0, 1, 2, 3);
        const auto put = [&](int row, const int4& value) {
          for (int i = 0; i < 4; ++i) o[4 * row + i] = value[i];
        };
        put(0, v.wzyx());
        put(1, v.swizzle<elem::s3, elem::s3, elem::s0, elem::s1>());
        put(2, int4(v.hi(), v.lo()));
        put(3, int4(v.odd(), v.even()));
        int4 w = v;
        w.xy() = w.zw();
        put(4, w);
        w = v;
        w.zx() += int2(10, 20);
        put(5, w);
        w = v;
        w.yzw().lo().y() = 70;
        put(6, w);
        w = v;
        w.wzyx() = v;
        put(7, w);
        put(8, v.xxyy() * v.yyzz() + 1);
        w = v;
        w.rgba().gb() = 9;
        put(9, w);
        w = v;
        ++w.x();
        w.lo() -= v.hi();
        put(10, w);
        put(11, -(v.xyzw() < v.zwxy()));
      });
    });
  }
  const std::vector<std::vector<int>> rows{{3, 2, 1, 0}, {3, 3, 0, 1},   {2, 3, 0, 1},   {1, 3, 0, 2},
                                           {2, 3, 2, 3}, {20, 1, 12, 3}, {0, 1, 70, 3},  {3, 2, 1, 0},
                                           {1, 1, 3, 3}, {0, 9, 9, 3},   {-1, -2, 2, 3}, {1, 1, 0, 0}};
  for (int r = 0; r < 12; ++r)
    for (int i = 0; i < 4; ++i) EXPECT_EQ(out[4 * r + i], rows[r][i]) << r << " " << i;
}

template <typename T, std::size_t N>
void check_marray_operators() {
  queue q;
  std::vector<T> a(N), b(N), out((arithmetic_operators + integral_operators) * N);
  std::vector<int> truth(relations * N);
  for (std::size_t i = 0; i < N; ++i) a[i] = sample<T>(int(i)), b[i] = divisor<T>(int(i));
  b[0] = a[0] = T(3);
  {
    buffer<T> ba(a), bb(b), bo(out);
    buffer<int> br(truth);
    q.submit([&](handler& h) {
      accessor x(ba, h, read_only);
      accessor y(bb, h, read_only);
      accessor o(bo, h, write_only);
      accessor r(br, h, write_only);
      h.single_task([=] {
        marray<T, N> v, w;
        for (std::size_t i = 0; i < N; ++i) v[i] = x[i], w[i] = y[i];
        for (int k = 0; k < arithmetic_operators; ++k) {
          const marray<T, N> z = arithmetic(k, v, w);
          for (std::size_t i = 0; i < N; ++i) o[k * N + i] = z[i];
        }
        if constexpr (std::is_integral_v<T>) {
          for (int k = 0; k < integral_operators; ++k) {
            const marray<T, N> z = integral(k, v, w);
            for (std::size_t i = 0; i < N; ++i) o[(arithmetic_operators + k) * N + i] = z[i];
          }
        }
        for (int k = 0; k < relations; ++k) {
          const marray<bool, N> z = relation(k, v, w);
          for (std::size_t i = 0; i < N; ++i) r[k * N + i] = z[i] ? 1 : 0;
        }
      });
    });
  }
  for (std::size_t i = 0; i < N; ++i) {
    for (int k = 0; k < arithmetic_operators; ++k)
      EXPECT_EQ(out[k * N + i], arithmetic<T>(k, a[i], b[i])) << k << " " << i;
    if constexpr (std::is_integral_v<T>)
      for (int k = 0; k < integral_operators; ++k)
        EXPECT_EQ(out[(arithmetic_operators + k) * N + i], integral<T>(k, a[i], b[i])) << k << " " << i;
    for (int k = 0; k < relations; ++k)
      EXPECT_EQ(truth[k * N + i], relation<T>(k, a[i], b[i]) ? 1 : 0) << k << " " << i;
  }
}

TEST(marrays, have_every_operator_element_by_element) {
  check_marray_operators<std::int16_t, 5>();
  check_marray_operators<std::uint32_t, 3>();
  check_marray_operators<std::int64_t, 7>();
  check_marray_operators<float, 6>();
}

/// Eight functions of three arguments each, for scalars and arrays.
template <typename V>
V float_function(int which, const V& a, const V& b, const V& c) {
  switch (which) {
    case 0: return sycl::sin(a) + sycl::exp(b);
    case 1: return sycl::fma(a, b, c);
    case 2: return sycl::clamp(a, -sycl::fabs(b), sycl::fabs(c));
    case 3: return sycl::mix(a, b, c);
    case 4: return sycl::pow(sycl::fabs(a), b);
    case 5: return sycl::fmod(a, b);
    case 6: return sycl::hypot(a, c);
    default: return sycl::smoothstep(-sycl::fabs(c), sycl::fabs(c) + V(1.0f), a);
  }
}
template <typename V>
V integer_function(int which, const V& a, const V& b, const V& c) {
  switch (which) {
    case 0: return sycl::add_sat(a, b);
    case 1: return sycl::sub_sat(a, b);
    case 2: return sycl::mad_hi(a, b, c);
    case 3: return sycl::rotate(a, b);
    case 4: return sycl::popcount(a) + sycl::clz(b) + sycl::ctz(c);
    case 5: return sycl::hadd(a, b) ^ sycl::rhadd(b, c);
    case 6: return sycl::mul_hi(a, b);
    default: return sycl::max(a, sycl::min(b, c));
  }
}

template <typename T, typename F>
void check_functions(F function) {
  constexpr int n = 2; // drivers compile a function for each element of both and for each scalar
  queue q;
  std::vector<T> in(3 * n), scalars(8 * n), vectors(8 * n), arrays(8 * n);
  for (int i = 0; i < 3 * n; ++i)
    in[i] = std::is_integral_v<T> ? T(0x9e3779b9u * unsigned(i + 1)) : T(sample<float>(i) + 0.5f);
  {
    buffer<T> bi(in), bs(scalars), bv(vectors), bm(arrays);
    q.submit([&](handler& h) {
      accessor x(bi, h, read_only);
      accessor s(bs, h, write_only);
      accessor o(bv, h, write_only);
      accessor m(bm, h, write_only);
      h.single_task([=] {
        vec<T, n> a, b, c;
        marray<T, n> d, e, f;
        for (int i = 0; i < n; ++i) a[i] = d[i] = x[i], b[i] = e[i] = x[n + i], c[i] = f[i] = x[2 * n + i];
        for (int k = 0; k < 8; ++k) {
          const vec<T, n> of_vectors = function(k, a, b, c);
          const marray<T, n> of_arrays = function(k, d, e, f);
          for (int i = 0; i < n; ++i) {
            s[n * k + i] = function(k, x[i], x[n + i], x[2 * n + i]);
            o[n * k + i] = of_vectors[i];
            m[n * k + i] = of_arrays[i];
          }
        }
      });
    });
  }
  for (int k = 0; k < 8 * n; ++k) {
    EXPECT_EQ(vectors[k], scalars[k]) << "function " << k / n << " element " << k % n;
    EXPECT_EQ(arrays[k], scalars[k]) << "function " << k / n << " element " << k % n;
  }
}

TEST(built_ins, of_float_arrays_equal_those_of_their_elements) {
  check_functions<float>(
      [](int k, const auto& a, const auto& b, const auto& c) { return float_function(k, a, b, c); });
}
TEST(built_ins, of_integer_arrays_equal_those_of_their_elements) {
  check_functions<int>(
      [](int k, const auto& a, const auto& b, const auto& c) { return integer_function(k, a, b, c); });
  check_functions<std::uint8_t>(
      [](int k, const auto& a, const auto& b, const auto& c) { return integer_function(k, a, b, c); });
}

TEST(built_ins, accept_explicit_template_arguments) {
  queue q;
  buffer<float> b{range<1>(6)};
  struct convertible {
    operator float() const { return INFINITY; }
  };
  q.submit([&](handler& h) {
    accessor out(b, h, write_only);
    h.single_task([=] {
      const float4 x(0.25f, 0.5f, 0.75f, 2.0f);
      const float4 steps = step<float4>(0.5f, x), smooth = smoothstep<float4>(0.0f, 1.0f, x),
                   unit = normalize<float4>(float4(0, INFINITY, 0, 0));
      out[0] = steps[0] + 10 * steps[1];
      out[1] = smooth[1];
      out[2] = smooth[3];
      out[3] = isinf(convertible()) && !isnan(convertible()) && isinf<float>(INFINITY) ? 1 : 0;
      out[4] = unit[1];
      out[5] = unit[0];
    });
  });
  const host_accessor got(b, read_only);
  EXPECT_EQ((std::vector<float>(got.begin(), got.end())), (std::vector<float>{10, 0.5f, 1, 1, 1, 0}));
}

TEST(swizzles, halves_of_three_elements_have_two) {
  std::vector<int> found(13);
  queue q;
  {
    buffer<int> out(found);
    q.submit([&](handler& h) {
      accessor o(out, h, write_only);
      h.single_task([=] {
        vec<int, 3> v(1, 2, 3);
        const vec<int, 4> four(1, 2, 3, 4); // outlives its swizzles
        const auto swizzled = four.swizzle<3, 2, 1>();
        const vec<int, 2> low = v.lo(), even = v.even(), swizzled_low = swizzled.lo(),
                          swizzled_even = swizzled.even();
        o[0] = low.x(), o[1] = low.y(), o[2] = even.x(), o[3] = even.y();
        o[4] = swizzled_low.x(), o[5] = swizzled_low.y(), o[6] = swizzled_even.x(), o[7] = swizzled_even.y();
        o[8] = vec<int, 2>(v.hi()).x(),
        o[9] = vec<int, 2>(v.odd()).x(); // their second elements are undefined
        o[10] = vec<int, 2>(swizzled.hi()).x(), o[11] = vec<int, 2>(swizzled.odd()).x();
        v.lo() = vec<int, 2>(7, 8);
        o[12] = v.x() + 10 * v.y() + 100 * v.z();
      });
    });
  }
  EXPECT_EQ(found, (std::vector<int>{1, 2, 1, 3, 4, 3, 4, 2, 3, 2, 2, 3, 387}));
}

/// All functions of a namespace, whose error may be 8192 units in the last place, next to the exact ones.
#define EVERY_FAST_FUNCTION(SPACE, X, PUT)                                                                   \
  PUT(SPACE::sin(X), sycl::sin(X))                                                                           \
  PUT(SPACE::cos(X), sycl::cos(X))                                                                           \
  PUT(SPACE::tan(X), sycl::tan(X))                                                                           \
  PUT(SPACE::exp(X), sycl::exp(X))                                                                           \
  PUT(SPACE::exp2(X), sycl::exp2(X))                                                                         \
  PUT(SPACE::exp10(X), sycl::exp10(X))                                                                       \
  PUT(SPACE::log(X), sycl::log(X))                                                                           \
  PUT(SPACE::log2(X), sycl::log2(X))                                                                         \
  PUT(SPACE::log10(X), sycl::log10(X))                                                                       \
  PUT(SPACE::sqrt(X), sycl::sqrt(X))                                                                         \
  PUT(SPACE::rsqrt(X), sycl::rsqrt(X))                                                                       \
  PUT(SPACE::recip(X), 1.0f / (X))                                                                           \
  PUT(SPACE::divide(X, (X) + 1.0f), (X) / ((X) + 1.0f))                                                      \
  PUT(SPACE::powr(X, (X) * 0.5f), sycl::powr(X, (X) * 0.5f))

TEST(built_ins, of_native_and_half_precision_are_near_the_exact_ones) {
  constexpr int functions = 28, items = 8;
  std::vector<float> fast(functions * items), exact(functions * items), wide(functions * items);
  queue q;
  {
    buffer<float> f(fast), e(exact), w(wide);
    q.submit([&](handler& h) {
      accessor<float, 1, access_mode::write> fs(f, h), es(e, h), ws(w, h);
      h.parallel_for(items, [=](id<1> i) {
        const float x = 0.3f + 0.17f * static_cast<float>(i[0]);
        const vec<float, 3> three(x + 1, x, x + 2);
        std::size_t at = i[0] * functions;
#define PUT(FAST, EXACT) fs[at] = FAST, es[at++] = EXACT;
        EVERY_FAST_FUNCTION(native, x, PUT)
        EVERY_FAST_FUNCTION(half_precision, x, PUT)
#undef PUT
        at = i[0] * functions;
#define PUT(FAST, EXACT) ws[at++] = (FAST)[1];
        EVERY_FAST_FUNCTION(native, three, PUT)
        EVERY_FAST_FUNCTION(half_precision, three, PUT)
#undef PUT
      });
    });
  }
  for (std::size_t k = 0; k < fast.size(); ++k) {
    EXPECT_NEAR(fast[k], exact[k], 1e-3f * std::fabs(exact[k])) << "function " << k % functions;
    EXPECT_NEAR(wide[k], exact[k], 1e-3f * std::fabs(exact[k])) << "function " << k % functions;
  }
}

} // namespace
