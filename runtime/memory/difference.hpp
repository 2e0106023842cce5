// Results of a device beside those of the reference: the first element outside of the tolerance. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace prism::memory {

struct comparison {
  std::uint32_t contents = 0;      // image::slot_has_*: what is stored there; none: compared bit by bit
  std::uint64_t element_bytes = 0; // for the index in the report; 0: that of the numbers compared
  double tolerance = 1e-4;   // of float, relative to the element, and to a tenth of the median one; half: 100
                             // times, double: 10⁻⁵ times as much. Integers are exact
  bool only_changed = false; // only elements that the reference run changed count
};

struct difference {
  std::uint64_t element = 0, byte = 0; // the byte within the element
  std::uint64_t count = 0;             // numbers that differ
  std::string found, expected;
};

/// `found` and `expected` have one size; `before` too, what was there before the run (read with
/// only_changed). Where integers and floating-point numbers lie side by side, numbers that differ in bits but
/// are both plausible floating-point values within the tolerance count as equal.
std::optional<difference> first_difference(std::span<const std::byte> found,
                                           std::span<const std::byte> expected,
                                           std::span<const std::byte> before, const comparison& how);

} // namespace prism::memory
