#include "runtime/memory/difference.hpp"

#include "devices/api/image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace prism::memory {

namespace {

struct unit {
  std::uint64_t bytes = 1;
  bool is_real = false;
  bool is_mixed = false;   // the memory contains other numbers too
  bool has_floats = false; // of a double: it may also be two floats
};

unit unit_of(const comparison& how) {
  const std::uint32_t c = how.contents;
  const bool mixed =
      (c & image::slot_has_integers) != 0 ||
      std::popcount(c & (image::slot_has_half | image::slot_has_float | image::slot_has_double)) > 1;
  if (c & image::slot_has_double) return {8, true, mixed, (c & image::slot_has_float) != 0};
  if (c & image::slot_has_float) return {4, true, mixed, false};
  if (c & image::slot_has_half) return {2, true, mixed, false};
  const std::uint64_t e = how.element_bytes;
  if (e == 1 || e == 2 || e == 8) return {e};
  return {e % 4 == 0 ? 4u : 1u};
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

template <typename T>
T at(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

double real_at(const std::byte* p, std::uint64_t bytes) {
  return bytes == 8 ? at<double>(p) : bytes == 4 ? at<float>(p) : half_value(at<std::uint16_t>(p));
}

std::uint64_t word_at(const std::byte* p, std::uint64_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, bytes);
  return word;
}

/// Whether the magnitude is usual for numbers in programs; integers read as floating-point numbers rarely
/// have such a magnitude.
bool is_plausible(double x) {
  return std::isfinite(x) && (x == 0 || (std::abs(x) > 1e-30 && std::abs(x) < 1e30));
}

/// The median of the nonzero magnitudes, from at most 65,536 samples. A few large numbers do not affect it.
double usual_size(std::span<const std::byte> values, std::uint64_t bytes) {
  constexpr std::uint64_t most = 65536;
  const std::uint64_t count = values.size() / bytes, step = std::max<std::uint64_t>(count / most, 1);
  std::vector<double> sizes;
  for (std::uint64_t i = 0; i < count; i += step)
    if (const double x = std::abs(real_at(values.data() + i * bytes, bytes)); x != 0 && std::isfinite(x))
      sizes.push_back(x);
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

std::string text_of(const std::byte* p, const unit& u) {
  char text[64];
  if (u.is_real) std::snprintf(text, sizeof text, u.bytes == 8 ? "%.17g" : "%.9g", real_at(p, u.bytes));
  else
    std::snprintf(text, sizeof text, "%llu (0x%llx)", static_cast<unsigned long long>(word_at(p, u.bytes)),
                  static_cast<unsigned long long>(word_at(p, u.bytes)));
  return text;
}

} // namespace

std::optional<difference> first_difference(std::span<const std::byte> found,
                                           std::span<const std::byte> expected,
                                           std::span<const std::byte> before, const comparison& how) {
  const unit u = unit_of(how);
  const std::uint64_t count = std::min(found.size(), expected.size()) / u.bytes;
  const double relative = u.bytes == 8   ? how.tolerance * 1e-5
                          : u.bytes == 2 ? how.tolerance * 100
                                         : how.tolerance;
  const double absolute = u.is_real && !u.is_mixed ? relative / 10 * usual_size(expected, u.bytes) : 0;
  const auto close = [&](double x, double y, double by) {
    if (std::isnan(x) && std::isnan(y)) return true;
    if (u.is_mixed && (!is_plausible(x) || !is_plausible(y))) return false;
    return std::isfinite(x) && std::isfinite(y) &&
           std::abs(x - y) <= std::max(absolute, by * std::max(std::abs(x), std::abs(y)));
  };
  const auto agree = [&](const std::byte* a, const std::byte* b) {
    if (std::memcmp(a, b, u.bytes) == 0) return true;
    if (!u.is_real) return false;
    if (close(real_at(a, u.bytes), real_at(b, u.bytes), relative)) return true;
    const auto half_agrees = [&](int at) {
      return std::memcmp(a + at, b + at, 4) == 0 ||
             close(real_at(a + at, 4), real_at(b + at, 4), how.tolerance);
    };
    return u.has_floats && half_agrees(0) && half_agrees(4);
  };
  difference out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t byte = i * u.bytes;
    if (agree(found.data() + byte, expected.data() + byte)) continue;
    if (how.only_changed && std::memcmp(expected.data() + byte, before.data() + byte, u.bytes) == 0) continue;
    if (out.count++ != 0) continue;
    const std::uint64_t element = how.element_bytes != 0 ? how.element_bytes : u.bytes;
    out.element = byte / element;
    out.byte = byte % element;
    out.found = text_of(found.data() + byte, u);
    out.expected = text_of(expected.data() + byte, u);
  }
  for (std::uint64_t byte = count * u.bytes; byte < std::min(found.size(), expected.size());
       ++byte) { // the incomplete number at the end
    if (found[byte] == expected[byte] || (how.only_changed && expected[byte] == before[byte]) ||
        out.count++ != 0)
      continue;
    const std::uint64_t element = how.element_bytes != 0 ? how.element_bytes : 1;
    out.element = byte / element;
    out.byte = byte % element;
    out.found = text_of(found.data() + byte, {});
    out.expected = text_of(expected.data() + byte, {});
  }
  if (out.count == 0) return std::nullopt;
  return out;
}

} // namespace prism::memory
