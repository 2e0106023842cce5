// sin, cos and tan of double within SYCL's limits. glibc's (2.36) are off by up to 14 units in the last place
// for arguments above 2^26 next to a multiple of pi/2, since their reduction is exact to 2^-111 only. Where
// the result (for tan: or its reciprocal) is tiny, this calls the function of the wider type, whose reduction
// has bits to spare (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983, in glibc's
// k_rem_pio2.c).
#include "sycl/detail/kernel_abi.hpp"

#include <cfloat>
#include <cmath>

static_assert(LDBL_MANT_DIG > DBL_MANT_DIG,
              "the host's sin, cos and tan of huge arguments need a wider type");

namespace {

constexpr double tiny = 0x1p-40, large = 0x1p26;

} // namespace

extern "C" {
__attribute__((visibility("default"))) double __prism_exact_sin(double x) noexcept {
  const double result = std::sin(x);
  const bool in_doubt = std::fabs(result) < tiny && std::fabs(x) > large;
  return in_doubt ? static_cast<double>(std::sin(static_cast<long double>(x))) : result;
}
__attribute__((visibility("default"))) double __prism_exact_cos(double x) noexcept {
  const double result = std::cos(x);
  const bool in_doubt = std::fabs(result) < tiny && std::fabs(x) > large;
  return in_doubt ? static_cast<double>(std::cos(static_cast<long double>(x))) : result;
}
__attribute__((visibility("default"))) double __prism_exact_tan(double x) noexcept {
  const double result = std::tan(x), size = std::fabs(result);
  const bool in_doubt = (size < tiny || size > 1 / tiny) && std::fabs(x) > large;
  return in_doubt ? static_cast<double>(std::tan(static_cast<long double>(x))) : result;
}
}
