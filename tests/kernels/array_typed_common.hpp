// Compares arrays of a C++ type with arrays of any type, for tests of expressions.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>
#include <limits>

namespace prism_test {

using namespace prism;

template <typename R>
bool is_near(R a, R b, int steps) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  for (; a != b && steps > 0; --steps) a = std::nextafter(a, b);
  return a == b && (a != 0 || steps < 4 || std::signbit(a) == std::signbit(b));
}
template <typename T>
bool is_same_number(T a, T b, int steps) {
  if constexpr (std::is_floating_point_v<T>) return is_near(a, b, steps);
  else if constexpr (std::is_integral_v<T>) return a == b;
  else { // of the larger part
    const auto size = std::max(std::abs(b), std::numeric_limits<typename T::value_type>::min());
    const bool finite = std::isfinite(a.real()) && std::isfinite(a.imag()) && std::isfinite(size);
    if (finite)
      return std::abs(a - b) <= size * std::numeric_limits<typename T::value_type>::epsilon() * float(steps);
    return is_near(a.real(), b.real(), steps) && is_near(a.imag(), b.imag(), steps);
  }
}
/// All elements and the type; floating-point numbers may be `steps` apart.
template <typename T>
void expect_same(const array<T>& got, const any_array& wanted, int steps = 0) {
  ASSERT_STREQ(name_of(got.any().type()), name_of(wanted.type()));
  ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape()));
  using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  const auto a = got.any().template to_vector<element>(), b = wanted.to_vector<element>();
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_TRUE(is_same_number(a[k], b[k], steps))
        << k << ": " << got.any()[{std::int64_t(k)}].str() << " and " << wanted[{std::int64_t(k)}].str();
}

} // namespace prism_test
