// Integer, common, geometric and relational functions, and the math functions that accuracy_test.cpp does not
// cover, on the device, compared with an independent reference: 128-bit integers, and double or long double
// on the host.
#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" // functions also write through pointers of SYCL 1.2.1
#include "tests/sycl/common.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace sycl;
using wide = __int128;

/// The results of `function(x[i], y[i], z[i])`, each a std::array, on the device.
template <typename Name, std::size_t Count, typename T, typename F>
std::vector<std::array<T, Count>> on_device(queue& q, const std::vector<T>& x, const std::vector<T>& y,
                                            const std::vector<T>& z, F function) {
  std::vector<std::array<T, Count>> results(x.size());
  buffer<T> bx(x.data(), x.size()), by(y.data(), y.size()), bz(z.data(), z.size());
  {
    buffer<std::array<T, Count>> out(results.data(), results.size());
    q.submit([&](handler& h) {
      accessor a(bx, h, read_only), b(by, h, read_only), c(bz, h, read_only);
      accessor o(out, h, write_only);
      h.parallel_for<Name>(range<1>(x.size()), [=](id<1> i) { o[i] = function(a[i], b[i], c[i]); });
    });
  }
  return results;
}

// ---- integers

template <typename T>
std::vector<T> integers(unsigned seed) {
  using limits = std::numeric_limits<T>;
  std::vector<T> edges{0,
                       1,
                       2,
                       T(limits::max() - 1),
                       limits::max(),
                       limits::min(),
                       T(limits::min() + 1),
                       T(-1),
                       T(limits::max() / 2),
                       7,
                       T(-7)};
  for (int bit = 0; bit < limits::digits; ++bit) edges.push_back(T(T(1) << bit));
  std::mt19937_64 random(seed);
  std::vector<T> all;
  for (int i = 0; i < 700; ++i)
    all.push_back(i % 2 == 0 ? edges[random() % edges.size()] : T(random() >> random() % 64));
  return all;
}
template <typename T>
T saturated(wide value) {
  const wide least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  return T(value < least ? least : value > most ? most : value);
}
template <typename T>
wide floor_half(wide value) {
  return value >> 1; // rounds negative numbers down, too
}
template <typename T>
T high_half(T a, T b) {
  return T(std::is_signed_v<T> ? T((wide(a) * wide(b)) >> (8 * sizeof(T)))
                               : T((unsigned __int128)(a)*b >> (8 * sizeof(T))));
}
template <typename T>
int ones(T value) {
  int count = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) count += int(std::make_unsigned_t<T>(value) >> bit & 1u);
  return count;
}
template <typename T>
T rotated(T value, T by) {
  using bits = std::make_unsigned_t<T>;
  const unsigned width = 8 * sizeof(T), turn = unsigned(bits(by)) % width;
  return turn == 0 ? value : T(bits(bits(value) << turn) | bits(bits(value) >> (width - turn)));
}

constexpr std::size_t integer_count = 17;
template <typename T>
class integer_kernel;

/// The reference, in the order of the kernel below. Sums of three 64-bit numbers fit into 128 bits. Products
/// of unsigned numbers plus a third one do not quite, so their saturation has a rule of its own.
template <typename T>
std::array<T, integer_count> expected_integers(T a, T b, T c) {
  using bits = std::make_unsigned_t<T>;
  const unsigned width = 8 * sizeof(T);
  int leading = 0, trailing = 0;
  while (leading < int(width) && (bits(a) >> (width - 1 - leading) & 1u) == 0) ++leading;
  while (trailing < int(width) && (bits(a) >> trailing & 1u) == 0) ++trailing;
  const T low = std::min(b, c), high = std::max(b, c);
  T mad = 0;
  if constexpr (std::is_signed_v<T>) mad = saturated<T>(wide(a) * wide(b) + wide(c));
  else
    mad = (unsigned __int128)(a)*b > T(std::numeric_limits<T>::max() - c) ? std::numeric_limits<T>::max()
                                                                          : T(a * b + c);
  return {T(a < 0 ? bits(0) - bits(a) : bits(a)),
          T(a > b ? bits(a) - bits(b) : bits(b) - bits(a)),
          saturated<T>(wide(a) + wide(b)),
          saturated<T>(wide(a) - wide(b)),
          T(floor_half<T>(wide(a) + wide(b))),
          T(floor_half<T>(wide(a) + wide(b) + 1)),
          std::min(std::max(a, low), high),
          T(leading),
          T(trailing),
          T(bits(high_half(a, b)) + bits(c)),
          mad,
          std::max(a, b),
          std::min(a, b),
          high_half(a, b),
          rotated(a, b),
          T(ones(a)),
          std::min(std::max(a, b), std::max(b, c))};
}

template <typename T>
void check_integers(const char* type) {
  queue q;
  const auto a = integers<T>(1), b = integers<T>(2), c = integers<T>(3);
  const auto seen = on_device<integer_kernel<T>, integer_count>(q, a, b, c, [](T x, T y, T z) {
    return std::array<T, integer_count>{T(sycl::abs(x)),
                                        T(abs_diff(x, y)),
                                        add_sat(x, y),
                                        sub_sat(x, y),
                                        hadd(x, y),
                                        rhadd(x, y),
                                        clamp(x, sycl::min(y, z), sycl::max(y, z)),
                                        clz(x),
                                        ctz(x),
                                        mad_hi(x, y, z),
                                        mad_sat(x, y, z),
                                        sycl::max(x, y),
                                        sycl::min(x, y),
                                        mul_hi(x, y),
                                        rotate(x, y),
                                        popcount(x),
                                        sycl::min(sycl::max(x, y), sycl::max(y, z))};
  });
  const char* names[] = {"abs",   "abs_diff", "add_sat", "sub_sat",  "hadd",       "rhadd",
                         "clamp", "clz",      "ctz",     "mad_hi",   "mad_sat",    "max",
                         "min",   "mul_hi",   "rotate",  "popcount", "min and max"};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto wanted = expected_integers<T>(a[i], b[i], c[i]);
    for (std::size_t f = 0; f < integer_count; ++f) {
      if (f == 0 && a[i] == std::numeric_limits<T>::min() && std::is_signed_v<T>)
        continue; // the result is undefined
      ASSERT_EQ(+seen[i][f], +wanted[f])
          << names[f] << " of " << type << ' ' << +a[i] << ' ' << +b[i] << ' ' << +c[i];
    }
  }
}
TEST(integer_functions, of_8_bits_are_exact) {
  check_integers<std::int8_t>("int8");
  check_integers<std::uint8_t>("uint8");
}
TEST(integer_functions, of_16_bits_are_exact) {
  check_integers<std::int16_t>("int16");
  check_integers<std::uint16_t>("uint16");
}
TEST(integer_functions, of_32_bits_are_exact) {
  check_integers<std::int32_t>("int32");
  check_integers<std::uint32_t>("uint32");
}
TEST(integer_functions, of_64_bits_are_exact) {
  check_integers<std::int64_t>("int64");
  check_integers<std::uint64_t>("uint64");
}

TEST(integer_functions, of_24_bits_and_of_two_halves_are_exact) {
  queue q;
  auto a = integers<std::int32_t>(4), b = integers<std::int32_t>(5);
  const auto c = integers<std::int32_t>(6);
  for (auto* list : {&a, &b})
    for (std::int32_t& each : *list) each = std::int32_t(std::uint32_t(each) << 8) >> 8;
  const auto seen = on_device<class halves_kernel, 8>(q, a, b, c, [](int x, int y, int z) {
    const auto u = [](int value) { return std::uint32_t(value) & 0xffffffu; };
    const std::int64_t combined = upsample(x, std::uint32_t(y));
    return std::array<int, 8>{mul24(x, y),
                              mad24(x, y, z),
                              int(mul24(u(x), u(y))),
                              int(mad24(u(x), u(y), std::uint32_t(z))),
                              upsample(std::int16_t(x), std::uint16_t(y)),
                              int(upsample(std::uint8_t(x), std::uint8_t(y))),
                              int(combined >> 32),
                              int(combined)};
  });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t x = std::uint32_t(a[i]) & 0xffffffu, y = std::uint32_t(b[i]) & 0xffffffu;
    const std::array<int, 8> wanted{int(std::int64_t(a[i]) * b[i]),
                                    int(std::int64_t(a[i]) * b[i] + c[i]),
                                    int(x * y),
                                    int(x * y + std::uint32_t(c[i])),
                                    int(std::uint32_t(std::uint16_t(a[i])) << 16 | std::uint16_t(b[i])),
                                    int(std::uint16_t(std::uint8_t(a[i]) << 8 | std::uint8_t(b[i]))),
                                    a[i],
                                    b[i]};
    ASSERT_EQ(seen[i], wanted) << a[i] << ' ' << b[i] << ' ' << c[i];
  }
}

// ---- floating point

template <typename T>
std::vector<T> numbers(unsigned seed, bool all_kinds) {
  using limits = std::numeric_limits<T>;
  const std::vector<T> edges{0,
                             T(-0.0),
                             1,
                             -1,
                             T(0.5),
                             T(1.5),
                             T(2.5),
                             T(-2.5),
                             limits::max(),
                             limits::lowest(),
                             limits::min(),
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN(),
                             T(3),
                             T(1e-3),
                             limits::epsilon(),
                             T(123456.75)};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(-9, 9);
  std::vector<T> all;
  for (int i = 0; i < 1500; ++i)
    all.push_back(all_kinds && i % 2 == 0 ? edges[random() % edges.size()] : T(inside(random)));
  return all;
}
/// Units in the last place of T between what was computed and the exact value.
template <typename T>
double units(T seen, long double exact) {
  if (std::isnan(exact)) return std::isnan(seen) ? 0 : INFINITY;
  if (std::isinf(exact) || std::fabs(exact) > (long double)(std::numeric_limits<T>::max()))
    return std::isinf(seen) && (seen > 0) == (exact > 0) ? 0 : INFINITY;
  if (exact == (long double)(seen)) return 0;
  const int exponent = exact == 0 ? std::numeric_limits<T>::min_exponent
                                  : std::max(std::ilogb(exact) + 1, std::numeric_limits<T>::min_exponent);
  return double(
      std::fabs(((long double)(seen)-exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits)));
}
template <typename T>
bool same(T a, T b) { // ignores the sign of zero
  return a == b || (std::isnan(a) && std::isnan(b));
}

template <typename T>
class common_kernel;
template <typename T>
void check_common() {
  queue q;
  const auto a = numbers<T>(1, false), b = numbers<T>(2, false), c = numbers<T>(3, false);
  constexpr std::size_t count = 12;
  const auto seen = on_device<common_kernel<T>, count>(q, a, b, c, [](T x, T y, T z) {
    const T low = sycl::min(y, z), high = sycl::max(y, z), part = z / T(18) + T(0.5);
    return std::array<T, count>{clamp(x, low, high),
                                degrees(x),
                                radians(x),
                                sycl::max(x, y),
                                sycl::min(x, y),
                                mix(x, y, part),
                                step(y, x),
                                smoothstep(low, high + T(1), x),
                                sign(x),
                                sign(T(-0.0)),
                                fmin(x, y),
                                part};
  });
  const long double pi = std::acos(-1.0L), eps = std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T x = a[i], y = b[i], z = c[i], low = std::min(y, z), high = std::max(y, z);
    const auto& s = seen[i];
    ASSERT_EQ(s[0], std::min(std::max(x, low), high));
    ASSERT_LE(units(s[1], x * 180 / pi), 2) << x;
    ASSERT_LE(units(s[2], x * pi / 180), 2) << x;
    ASSERT_TRUE(s[3] == std::max(x, y) && s[4] == std::min(x, y) && s[10] == std::min(x, y)) << x << ' ' << y;
    ASSERT_LE(std::fabs(s[5] - (x + ((long double)(y)-x) * s[11])), 8 * eps * (std::fabs(x) + std::fabs(y)))
        << x << ' ' << y << ' ' << s[11];
    ASSERT_EQ(s[6], x < y ? T(0) : T(1));
    const long double t =
        std::min(std::max(((long double)(x)-low) / (T(high + T(1)) - (long double)(low)), 0.0L), 1.0L);
    ASSERT_LE(std::fabs(s[7] - t * t * (3 - 2 * t)), 64 * eps) << low << ' ' << high << ' ' << x;
    ASSERT_EQ(s[8], x > 0 ? T(1) : x < 0 ? T(-1) : T(0));
    ASSERT_TRUE(s[9] == 0 && std::signbit(s[9]));
  }
}
TEST(common_functions, of_floats_are_within_their_limits) { check_common<float>(); }
TEST(common_functions, of_doubles_are_within_their_limits) {
  SKIP_WITHOUT(queue(), fp64);
  check_common<double>();
}

template <typename T>
class geometric_kernel;
template <typename T>
void check_geometric() {
  queue q;
  const auto a = numbers<T>(4, false), b = numbers<T>(5, false), c = numbers<T>(6, false);
  constexpr std::size_t count = 16;
  // Works on the vectors (x, y, z) and (z, x + y, y - x), and their first elements.
  const auto seen = on_device<geometric_kernel<T>, count>(q, a, b, c, [](T x, T y, T z) {
    const vec<T, 3> u(x, y, z), v(z, x + y, y - x), w = cross(u, v), n = normalize(u);
    const vec<T, 2> u2(x, y), v2(z, x + y);
    const vec<T, 4> u4(x, y, z, y), v4(z, x + y, y - x, x), w4 = cross(u4, v4);
    return std::array<T, count>{w[0],        w[1],        w[2],       w4[2],      w4[3],          dot(u, v),
                                dot(u2, v2), dot(u4, v4), length(u2), length(u4), distance(u, v), n[0],
                                n[1],        n[2],        length(x),  dot(x, y)};
  });
  const long double eps = std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T x = a[i], y = b[i], z = c[i];
    const long double u[4] = {x, y, z, y}, v[4] = {z, T(x + y), T(y - x), x};
    const auto& s = seen[i];
    long double most = 0, dots[5] = {}, squares[5] = {}, apart = 0;
    for (int k = 0; k < 4; ++k) {
      most = std::max({most, std::fabs(u[k]), std::fabs(v[k])});
      dots[k + 1] = dots[k] + u[k] * v[k];
      squares[k + 1] = squares[k] + u[k] * u[k];
      if (k < 3) apart += (u[k] - v[k]) * (u[k] - v[k]);
    }
    for (int k = 0; k < 3; ++k)
      ASSERT_LE(std::fabs(s[k] - (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3])),
                3 * most * most * eps)
          << i << ' ' << k;
    ASSERT_TRUE(s[3] == s[2] && s[4] == 0) << "the fourth element of a cross product is 0";
    for (auto [place, n] : {std::pair{5, 3}, {6, 2}, {7, 4}})
      ASSERT_LE(std::fabs(s[place] - dots[n]), (2 * n - 1) * most * most * eps) << i << ' ' << n;
    ASSERT_LE(units(s[8], std::sqrt(squares[2])), 4) << i;
    ASSERT_LE(units(s[9], std::sqrt(squares[4])), 5) << i;
    ASSERT_LE(units(s[10], std::sqrt(apart)), 2.5 + 2 * 3) << i;
    for (int k = 0; k < 3; ++k)
      ASSERT_LE(units(s[11 + k], u[k] / std::sqrt(squares[3])), 2 + 3) << i << ' ' << k;
    ASSERT_TRUE(s[14] == std::fabs(x) && units(s[15], (long double)(x)*y) <= 0.5) << x << ' ' << y;
  }
}
TEST(geometric_functions, of_floats_are_within_their_limits) { check_geometric<float>(); }
TEST(geometric_functions, of_doubles_are_within_their_limits) {
  SKIP_WITHOUT(queue(), fp64);
  check_geometric<double>();
}

template <typename T>
class relational_kernel;
template <typename T>
void check_relational() {
  queue q;
  const auto a = numbers<T>(7, true), b = numbers<T>(8, true), c = numbers<T>(9, true);
  constexpr std::size_t count = 19;
  using mask = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const auto seen = on_device<relational_kernel<T>, count>(q, a, b, c, [](T x, T y, T z) {
    const vec<T, 2> u(x, y), v(y, z);
    const vec<mask, 2> below = isless(u, v), nan = isnan(u), ordered = isordered(u, v);
    const vec<T, 2> chosen = select(u, v, below);
    const mask bits = 0x0f0f0f0f;
    return std::array<T, count>{T(isequal(x, y)),
                                T(isnotequal(x, y)),
                                T(isgreater(x, y)),
                                T(isgreaterequal(x, y)),
                                T(isless(x, y)),
                                T(islessequal(x, y)),
                                T(islessgreater(x, y)),
                                T(isfinite(x)),
                                T(isinf(x)),
                                T(isnan(x)),
                                T(isnormal(x)),
                                T(isordered(x, y)),
                                T(isunordered(x, y)),
                                T(signbit(x)),
                                T(below[0]),
                                T(nan[1] + 2 * ordered[0]),
                                chosen[0],
                                T(any(below) + 2 * all(below)),
                                bitselect(x, y, sycl::bit_cast<T>(bits)) == x ? T(1) : T(0)};
  });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T x = a[i], y = b[i], z = c[i];
    const bool less = x < y, less_too = y < z, none = std::isnan(x) || std::isnan(y);
    mask xs, ys;
    std::memcpy(&xs, &x, sizeof x);
    std::memcpy(&ys, &y, sizeof y);
    const mask mixed = (xs & ~mask(0x0f0f0f0f)) | (ys & mask(0x0f0f0f0f));
    T selected;
    std::memcpy(&selected, &mixed, sizeof selected);
    const std::array<T, count> wanted{T(x == y),
                                      T(x != y),
                                      T(x > y),
                                      T(x >= y),
                                      T(less),
                                      T(x <= y),
                                      T(x < y || x > y),
                                      T(std::isfinite(x)),
                                      T(std::isinf(x)),
                                      T(std::isnan(x)),
                                      T(std::isnormal(x)),
                                      T(!none),
                                      T(none),
                                      T(std::signbit(x)),
                                      T(less ? -1 : 0),
                                      T((std::isnan(y) ? -1 : 0) + 2 * (none ? 0 : -1)),
                                      less ? y : x,
                                      T(int(less || less_too) + 2 * int(less && less_too)),
                                      T(selected == x)};
    for (std::size_t f = 0; f < count; ++f) {
      if (f == 13 && std::isnan(x)) continue; // a device may lose the sign of a NaN
      ASSERT_TRUE(same(seen[i][f], wanted[f])) << "result " << f << " of " << x << ", " << y << ", " << z
                                               << ": " << seen[i][f] << ", not " << wanted[f];
    }
  }
}
TEST(relational_functions, of_floats_classify_every_kind_of_number) { check_relational<float>(); }
TEST(relational_functions, of_doubles_classify_every_kind_of_number) {
  SKIP_WITHOUT(queue(), fp64);
  check_relational<double>();
}

template <typename T>
class exact_kernel;
/// Functions with exactly one right result.
template <typename T>
void check_exact() {
  queue q;
  const auto a = numbers<T>(10, true), b = numbers<T>(11, true), c = numbers<T>(12, false);
  constexpr std::size_t count = 18;
  const auto seen = on_device<exact_kernel<T>, count>(q, a, b, c, [](T x, T y, T z) {
    T whole = 0, below = 0;
    int exponent = 0, quotient = 0;
    const T fraction = modf(x, private_ptr<T>(&whole)), rest = fract(x, private_ptr<T>(&below));
    const T mantissa = frexp(x, private_ptr<int>(&exponent)),
            remains = remquo(x, y, private_ptr<int>(&quotient));
    return std::array<T, count>{
        copysign(x, z),  fabs(x),
        trunc(x),        ldexp(x, int(z)),
        T(ilogb(z)),     logb(x),
        maxmag(z, y),    minmag(z, y),
        nextafter(x, z), fraction,
        whole,           rest,
        below,           mantissa,
        T(exponent),     remains,
        T(quotient & 7), sycl::nan(std::conditional_t < sizeof(T) == 4, unsigned, unsigned long > (1))};
  });
  using config =
      std::conditional_t<sizeof(T) == 4, info::device::single_fp_config, info::device::double_fp_config>;
  const auto config_flags = q.get_device().get_info<config>();
  const bool keeps_denormals =
      std::count(config_flags.begin(), config_flags.end(), info::fp_config::denorm) != 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T x = a[i], y = b[i], z = c[i];
    T whole = 0;
    int exponent = 0, quotient = 0;
    const T fraction = std::modf(x, &whole), mantissa = std::frexp(x, &exponent),
            remains = std::remquo(x, y, &quotient);
    const T below = std::floor(x), largest = std::nextafter(T(1), T(0));
    const T rest = std::isnan(x) ? x : std::isinf(x) ? T(0) : std::min(T(x - below), largest);
    const T larger = std::fabs(z) > std::fabs(y) ? z : std::fabs(y) > std::fabs(z) ? y : std::fmax(z, y);
    const T smaller = std::fabs(z) < std::fabs(y) ? z : std::fabs(y) < std::fabs(z) ? y : std::fmin(z, y);
    const std::array<T, count> wanted{std::copysign(x, z),
                                      std::fabs(x),
                                      std::trunc(x),
                                      std::ldexp(x, int(z)),
                                      T(std::ilogb(z)),
                                      std::logb(x),
                                      larger,
                                      smaller,
                                      std::nextafter(x, z),
                                      fraction,
                                      whole,
                                      rest,
                                      below,
                                      mantissa,
                                      T(exponent),
                                      remains,
                                      T(quotient & 7),
                                      std::numeric_limits<T>::quiet_NaN()};
    for (std::size_t f = 0; f < count; ++f) {
      const bool open = !std::isfinite(x) || x == 0; // the exponent of frexp and logb of zero are unspecified
      if ((f == 14 && open) || (f == 16 && (std::isnan(remains) || std::isinf(y) || open))) continue;
      if (!keeps_denormals && std::fabs(wanted[f]) < std::numeric_limits<T>::min() &&
          std::fabs(seen[i][f]) <= std::numeric_limits<T>::min())
        continue;
      ASSERT_TRUE(same(seen[i][f], wanted[f])) << "result " << f << " of " << x << ", " << y << ", " << z
                                               << ": " << seen[i][f] << ", not " << wanted[f];
    }
  }
}
TEST(exact_functions, of_floats_are_exact) { check_exact<float>(); }
TEST(exact_functions, of_doubles_are_exact) {
  SKIP_WITHOUT(queue(), fp64);
  check_exact<double>();
}

template <typename T>
class power_kernel;
/// pown, powr, rootn, sincos, mad, and lgamma of positive numbers, for which SYCL defines no limit.
template <typename T>
void check_powers() {
  queue q;
  const auto a = numbers<T>(13, false), b = numbers<T>(14, false), c = numbers<T>(15, false);
  constexpr std::size_t count = 8;
  const auto seen = on_device<power_kernel<T>, count>(q, a, b, c, [](T x, T y, T z) {
    T cosine = 0;
    int sign_of_gamma = 0;
    const T sine = sincos(x, private_ptr<T>(&cosine)), positive = sycl::fabs(x) + T(0.001);
    const T gamma = lgamma_r(x, private_ptr<int>(&sign_of_gamma));
    return std::array<T, count>{
        pown(x, int(y)), powr(positive, y), rootn(positive, int(z) + 12), sine, cosine,
        mad(x, y, z),    lgamma(positive),  gamma * 0 + T(sign_of_gamma)};
  });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double x = a[i], y = b[i], z = c[i], positive = T(std::fabs(a[i]) + T(0.001)),
                      eps = std::numeric_limits<T>::epsilon();
    const auto& s = seen[i];
    ASSERT_LE(units(s[0], std::pow(x, (long double)(int(y)))), 16) << x << " to " << int(y);
    ASSERT_LE(units(s[1], std::pow(positive, y)), 16) << positive << " to " << y;
    ASSERT_LE(units(s[2], std::pow(positive, 1.0L / (int(z) + 12))), 16) << positive << " by " << int(z) + 12;
    ASSERT_LE(units(s[3], std::sin(x)), 4) << x;
    ASSERT_LE(units(s[4], std::cos(x)), 4) << x;
    ASSERT_LE(std::fabs(s[5] - (x * y + z)), 2 * eps * (std::fabs(x * y) + std::fabs(z)))
        << x << ' ' << y << ' ' << z;
    ASSERT_LE(std::fabs(s[6] - std::lgamma(positive)), 16 * eps * (1 + std::fabs(std::lgamma(positive))))
        << positive;
    ASSERT_EQ(s[7], x < 0 && std::fmod(std::floor(x), 2.0L) != 0 ? T(-1) : T(1)) << x;
  }
}
TEST(power_functions, of_floats_are_within_their_limits) { check_powers<float>(); }
TEST(power_functions, of_doubles_are_within_their_limits) {
  SKIP_WITHOUT(queue(), fp64);
  check_powers<double>();
}

} // namespace
