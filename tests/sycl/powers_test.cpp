// pow, pown, powr and rootn with constant exponents, which the compiler replaces by products and roots. Each
// is within SYCL's limit for numbers of all sizes, and equals pow for zeros, infinities and NaN.
#include "tests/sycl/common.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace {

using namespace sycl;

// Exponents in units of one half.
template <int... Halves>
struct exponents {};
using table = exponents<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 18, 20, 22, 24, 26, 28, 30, 31,
                        32, 33, 34, 40, 200, -1, -2, -3, -4, -5, -6, -8, -10, -12, -14, -15, -16, -18, -60>;

/// Edge values, and numbers of both signs whose powers overflow or underflow in every range of the table.
template <typename T>
std::vector<T> bases() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all = {0,
                        1,
                        2,
                        T(0.5),
                        3,
                        T(1) + limits::epsilon(),
                        T(1) - limits::epsilon() / 2,
                        limits::max(),
                        limits::min(),
                        limits::infinity(),
                        limits::quiet_NaN()};
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> fraction(1, 2),
      exponent(limits::min_exponent, limits::max_exponent - 1), near(-12, 12);
  for (int i = 0; i < 1000; ++i)
    all.push_back(T(std::ldexp(fraction(random), int((i % 2 ? exponent : near)(random)))));
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
  return all;
}

template <typename T>
bool keeps_denormals(const queue& q) {
  using config =
      std::conditional_t<sizeof(T) == 4, info::device::single_fp_config, info::device::double_fp_config>;
  const auto config_flags = q.get_device().get_info<config>();
  return std::count(config_flags.begin(), config_flags.end(), info::fp_config::denorm) != 0;
}

/// Whether `seen` is within `units` of `exact`, which has the range of T and more bits.
template <typename T>
bool is_near(T seen, long double exact, int units, bool denormals) {
  using limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(seen);
  if (std::isinf(rounded) && std::isinf(exact)) return seen == rounded;
  if (!denormals && std::fabs(exact) < limits::min() * 1.0001L)
    return std::fabs(seen) <= limits::min() * T(1.0001);
  if (exact == 0) return seen == 0 && std::signbit(seen) == std::signbit(exact);
  if (std::isnan(seen) || (seen != 0 && std::signbit(seen) != std::signbit(exact))) return false;
  const int place = std::max(std::ilogb(std::fabs(exact)), limits::min_exponent - 1) - (limits::digits - 1);
  if (std::isinf(seen))
    return std::fabs(exact) > static_cast<long double>(limits::max()) *
                                  (1 - units * static_cast<long double>(limits::epsilon()));
  return std::fabs(static_cast<long double>(seen) - exact) <= units * std::ldexp(1.0L, place);
}

template <typename T>
class known_exponents;
template <typename T>
class known_integers;
template <typename T>
class known_bases;

template <typename T, int... Halves>
void check_exponents(exponents<Halves...>) {
  queue q;
  const std::vector<T> x = bases<T>();
  constexpr std::size_t count = sizeof...(Halves);
  const bool denormals = keeps_denormals<T>(q);
  std::vector<T> pows(x.size() * count), powrs(x.size() * count);
  {
    buffer<T> in(x.data(), x.size()), out(pows.data(), pows.size()), out_r(powrs.data(), powrs.size());
    q.submit([&](handler& h) {
      accessor a(in, h, read_only);
      accessor b(out, h, write_only);
      accessor c(out_r, h, write_only);
      h.parallel_for<known_exponents<T>>(range<1>(x.size()), [=](id<1> i) {
        const T v = a[i];
        std::size_t at = i[0] * count, at_r = at;
        ((b[at++] = sycl::pow(v, T(Halves) / 2)), ...);
        ((c[at_r++] = sycl::powr(v, T(Halves) / 2)), ...);
      });
    });
  }
  const std::array<int, count> halves{Halves...};
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) {
      if (!denormals && x[i] != 0 && std::fabs(x[i]) < std::numeric_limits<T>::min()) continue;
      const long double base = x[i], y = halves[k] / 2.0L, exact = std::pow(base, y);
      const bool no_powr = !(x[i] >= 0) || (y == 0 && (x[i] == 0 || std::isinf(x[i])));
      ASSERT_TRUE(is_near(pows[i * count + k], exact, 16, denormals))
          << "pow of " << x[i] << " and " << double(y) << " is " << pows[i * count + k] << ", not "
          << T(exact);
      ASSERT_TRUE(is_near(powrs[i * count + k], no_powr ? NAN : std::fabs(exact), 16, denormals))
          << "powr of " << x[i] << " and " << double(y) << " is " << powrs[i * count + k] << ", not "
          << T(exact);
    }
}
TEST(known_exponents, of_floats_are_within_the_limit) { check_exponents<float>(table()); }
TEST(known_exponents, of_doubles_are_within_the_limit) {
  SKIP_WITHOUT(queue(), fp64);
  check_exponents<double>(table());
}

/// rootn of a zero, or of a negative number where n is even.
template <typename T>
T root_of_edge(T x, int n) {
  if (x < 0) return std::numeric_limits<T>::quiet_NaN();
  const T size = n > 0 ? T(0) : std::numeric_limits<T>::infinity();
  return n % 2 == 0 ? size : std::copysign(size, x);
}

template <typename T>
void check_integers() {
  queue q;
  const std::vector<T> x = bases<T>();
  const bool denormals = keeps_denormals<T>(q);
  constexpr int count = 11;
  std::vector<T> out(x.size() * count);
  {
    buffer<T> in(x.data(), x.size()), b(out.data(), out.size());
    q.submit([&](handler& h) {
      accessor a(in, h, read_only);
      accessor r(b, h, write_only);
      h.parallel_for<known_integers<T>>(range<1>(x.size()), [=](id<1> i) {
        const T v = a[i], results[count] = {pown(v, 2),   pown(v, 3),  pown(v, -3), pown(v, 13),
                                            rootn(v, 2),  rootn(v, 3), rootn(v, 4), rootn(v, -1),
                                            rootn(v, -2), rootn(v, 5), ldexp(v, -7)};
        for (int k = 0; k < count; ++k) r[i[0] * count + k] = results[k];
      });
    });
  }
  constexpr int numbers[count] = {2, 3, -3, 13, 2, 3, 4, -1, -2, 5, -7};
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < count; ++k) {
      const long double base = x[i], root = base < 0 && numbers[k] % 2 != 0
                                                ? -std::pow(-base, 1.0L / numbers[k])
                                                : std::pow(base, 1.0L / numbers[k]);
      const bool is_root = k >= 4 && k < 10;
      if (is_root && (base == 0 || (base < 0 && numbers[k] % 2 == 0))) {
        const T expected = root_of_edge(x[i], numbers[k]), seen = out[i * count + k];
        const bool flushed = !denormals && std::fpclassify(x[i]) == FP_SUBNORMAL;
        ASSERT_TRUE(flushed ||
                    (std::isnan(expected) ? std::isnan(seen)
                                          : seen == expected && std::signbit(seen) == std::signbit(expected)))
            << "rootn of " << x[i] << " and " << numbers[k] << " is " << seen << ", not " << expected;
        continue;
      }
      const long double exact = k < 4     ? std::pow(base, (long double)(numbers[k]))
                                : is_root ? root
                                          : std::ldexp(base, numbers[k]);
      ASSERT_TRUE(is_near(out[i * count + k], exact, k == 10 ? 1 : 16, denormals))
          << "result " << k << " of " << x[i] << " is " << out[i * count + k] << ", not " << T(exact);
    }
}
TEST(known_integers, of_floats_are_within_the_limit) { check_integers<float>(); }
TEST(known_integers, of_doubles_are_within_the_limit) {
  SKIP_WITHOUT(queue(), fp64);
  check_integers<double>();
}

template <typename T>
void check_bases() {
  queue q;
  const bool denormals = keeps_denormals<T>(q);
  const int most = sizeof(T) == 4 ? 160 : 1100;
  std::vector<int> n;
  for (int i = -most; i <= most; ++i) n.push_back(i);
  for (int i : {0x7fffffff, -0x7fffffff - 1, 100000, -100000, 1 << 25}) n.push_back(i);
  constexpr int count = 9;
  std::vector<T> out(n.size() * count);
  {
    buffer<int> in(n.data(), n.size());
    buffer<T> b(out.data(), out.size());
    q.submit([&](handler& h) {
      accessor a(in, h, read_only);
      accessor r(b, h, write_only);
      h.parallel_for<known_bases<T>>(range<1>(n.size()), [=](id<1> i) {
        const int v = a[i];
        const T y = T(v) / 8;
        const T results[count] = {exp2(T(v)),
                                  sycl::pow(T(2), T(v)),
                                  exp2(T(std::uint32_t(v))),
                                  exp2(T(std::int64_t(v) * 3)),
                                  exp2(T(std::int8_t(v))),
                                  sycl::pow(T(2), y),
                                  sycl::pow(T(0.25), y),
                                  sycl::pow(T(16), y),
                                  sycl::pow(T(10), y)};
        for (int k = 0; k < count; ++k) r[i[0] * count + k] = results[k];
      });
    });
  }
  for (std::size_t i = 0; i < n.size(); ++i) {
    const long double v = n[i], y = T(n[i]) / 8;
    const long double exact[count] = {std::exp2(v),
                                      std::exp2(v),
                                      std::exp2((long double)(std::uint32_t(n[i]))),
                                      std::exp2(v * 3),
                                      std::exp2((long double)(std::int8_t(n[i]))),
                                      std::exp2(y),
                                      std::pow(0.25L, y),
                                      std::pow(16.0L, y),
                                      std::pow(10.0L, y)};
    for (int k = 0; k < count; ++k) {
      // The power may be outside of the range of long double as well.
      const long double wanted = exact[k] == 0 ? std::numeric_limits<T>::denorm_min() / 4.0L : exact[k];
      ASSERT_TRUE(is_near(out[i * count + k],
                          std::isinf(T(wanted)) ? std::numeric_limits<long double>::infinity() : wanted,
                          k < 5 ? 3 : 16, denormals))
          << "result " << k << " of " << n[i] << " is " << out[i * count + k] << ", not " << T(exact[k]);
    }
  }
}
TEST(known_bases, of_floats_are_within_the_limit) { check_bases<float>(); }
TEST(known_bases, of_doubles_are_within_the_limit) {
  SKIP_WITHOUT(queue(), fp64);
  check_bases<double>();
}

/// ldexp by numbers that are known only when the kernel runs: exact, also where the result is subnormal.
template <typename T>
void check_scaling() {
  queue q;
  const std::vector<T> x = bases<T>();
  const bool denormals = keeps_denormals<T>(q);
  std::vector<int> by = {
      0, 1, -1, 24, -24, 25, -25, 53, -53, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
  for (int n = -2300; n <= 2300; n += 23) by.push_back(n);
  std::vector<T> out(x.size() * by.size());
  {
    buffer<T> in(x.data(), x.size()), b(out.data(), out.size());
    buffer<int> numbers(by.data(), by.size());
    q.submit([&](handler& h) {
      accessor a(in, h, read_only);
      accessor n(numbers, h, read_only);
      accessor r(b, h, write_only);
      const std::size_t columns = by.size();
      h.parallel_for(range<1>(out.size()),
                     [=](id<1> i) { r[i] = sycl::ldexp(a[i[0] / columns], n[i[0] % columns]); });
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const T base = x[i / by.size()], exact = std::ldexp(base, by[i % by.size()]);
    if (!denormals &&
        (std::fpclassify(base) == FP_SUBNORMAL || std::fabs(exact) <= std::numeric_limits<T>::min()))
      continue;
    ASSERT_TRUE(std::isnan(exact) ? std::isnan(out[i])
                                  : out[i] == exact && std::signbit(out[i]) == std::signbit(exact))
        << "ldexp of " << base << " by " << by[i % by.size()] << " is " << out[i] << ", not " << exact;
  }
}
TEST(scaling, of_floats_is_exact) { check_scaling<float>(); }
TEST(scaling, of_doubles_is_exact) {
  SKIP_WITHOUT(queue(), fp64);
  check_scaling<double>();
}

} // namespace
