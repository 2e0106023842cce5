// Compares a device's results with those of the reference: finds the first element outside of the tolerance.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace prism::memory {

struct comparison {
  std::uint32_t contents = 0;      // image::slot_has_*: kinds of numbers stored there; 0: compare bits
  std::uint64_t element_bytes = 0; // for the index in the report; 0: the size of the compared numbers
  // for float, relative to the element and to a tenth of the median; for half 100 times, for double 10⁻⁵
  // times this. Integers must be equal
  double tolerance = 1e-4;
  bool only_changed = false; // compare only elements that the reference run changed
};

struct difference {
  std::uint64_t element = 0, byte = 0; // the byte within the element
  std::uint64_t count = 0;             // of differing numbers
  std::string found, expected;
};

/// `found` and `expected` must have the same size; so must `before`, the contents before the run, which is
/// only read with only_changed. If integers and floating-point numbers are mixed, numbers with different bits
/// count as equal if both are plausible floating-point values within the tolerance.
std::optional<difference> first_difference(std::span<const std::byte> found,
                                           std::span<const std::byte> expected,
                                           std::span<const std::byte> before, const comparison& how);

} // namespace prism::memory
