// The error of the device math library in units in the last place, relative to MPFR at 200 bits.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace builtins_test {

class real {
public:
  real() { mpfr_init2(m_value, 200); }
  explicit real(double x) : real() { mpfr_set_d(m_value, x, MPFR_RNDN); }
  real(const real&) = delete;
  ~real() { mpfr_clear(m_value); }
  operator mpfr_ptr() { return m_value; }

private:
  mpfr_t m_value;
};

/// |result - exact| in units in the last place of T at `exact`; infinity if only one of them is NaN.
template <typename T>
double ulp_error(T result, mpfr_ptr exact) {
  constexpr int digits = std::numeric_limits<T>::digits, smallest = std::numeric_limits<T>::min_exponent - 1;
  if (mpfr_nan_p(exact)) return std::isnan(result) ? 0 : INFINITY;
  if (std::isnan(result)) return INFINITY;
  if (mpfr_inf_p(exact))
    return std::isinf(result) && std::signbit(result) == (mpfr_signbit(exact) != 0) ? 0 : INFINITY;
  if (mpfr_zero_p(exact)) return result == 0 ? 0 : INFINITY;
  long exponent = mpfr_get_exp(exact) - 1;
  if (std::isinf(result)) { // permitted from half a unit beyond the largest finite number on
    if (std::signbit(result) != (mpfr_signbit(exact) != 0)) return INFINITY;
    if (exponent > std::numeric_limits<T>::max_exponent - 1) return 0;
    exponent = std::numeric_limits<T>::max_exponent - 1;
    real limit(std::ldexp(1.0, 0));
    mpfr_mul_2si(limit, limit, std::numeric_limits<T>::max_exponent, MPFR_RNDN);
    real gap;
    mpfr_abs(gap, exact, MPFR_RNDN);
    mpfr_sub(gap, limit, gap, MPFR_RNDN);
    mpfr_mul_2si(gap, gap, digits - 1 - exponent, MPFR_RNDN);
    return mpfr_get_d(gap, MPFR_RNDN);
  }
  if (exponent < smallest) exponent = smallest;
  if (exponent > std::numeric_limits<T>::max_exponent - 1)
    exponent = std::numeric_limits<T>::max_exponent - 1;
  real difference(static_cast<double>(result));
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, digits - 1 - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

template <typename T>
T from_random_bits(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Critical arguments of math functions: zeros, ones, halves, limits, subnormals, neighbours of multiples of
/// pi/2.
template <typename T>
std::vector<T> edges() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all = {0,
                        1,
                        2,
                        3,
                        4,
                        8,
                        10,
                        16,
                        20,
                        22,
                        88,
                        89,
                        103,
                        104,
                        127,
                        128,
                        709,
                        710,
                        745,
                        746,
                        1023,
                        1024,
                        T(0.5),
                        T(0.25),
                        T(1.5),
                        T(2.5),
                        T(0.7),
                        T(1e-5),
                        T(1e5),
                        T(1e10),
                        T(1e22),
                        T(1e30),
                        limits::min(),
                        limits::denorm_min(),
                        limits::max(),
                        limits::epsilon(),
                        limits::infinity(),
                        limits::quiet_NaN(),
                        T(M_PI),
                        T(M_PI_2),
                        T(M_PI_4),
                        T(3 * M_PI_2),
                        T(M_E),
                        T(M_LN2),
                        T(M_SQRT2),
                        T(M_SQRT1_2),
                        T(0.4142),
                        T(2.4142),
                        T(1.4142135),
                        T(171),
                        T(171.6),
                        T(34),
                        T(35),
                        T(33.5),
                        T(170.5),
                        T(0x1.921fb54442d18p+1000),
                        T(6381956970095103.0 * 0x1p797),
                        T(0x1.47d0fep+34)};
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::nextafter(all[i], limits::infinity()));
    all.push_back(std::nextafter(all[i], -limits::infinity()));
  }
  const std::size_t both = all.size();
  for (std::size_t i = 0; i < both; ++i) all.push_back(-all[i]);
  return all;
}

} // namespace builtins_test
