// Divisions of the numbers of work-items by extents, for the places of elements (piece_moves.cpp).
#pragma once

#include <cstdint>

namespace prism::array_detail {

/// Of numbers below 2^31, which those of work-items are, by a product and a shift: vectors of processors have
/// no division of integers. Source: Granlund, Montgomery, "Division by invariant integers using
/// multiplication", PLDI 1994.
class divisor {
public:
  divisor() = default;
  explicit divisor(std::uint32_t by) : m_by(by) {
    while (std::uint64_t(1) << m_shift < by) ++m_shift;
    m_shift += 31;
    m_factor = ((std::uint64_t(1) << m_shift) + by - 1) / by; // less than 2^32
  }
  std::uint32_t quotient(std::uint32_t i) const { return std::uint32_t((i * m_factor) >> m_shift); }
  std::uint32_t rest(std::uint32_t i, std::uint32_t quotient) const { return i - quotient * m_by; }

private:
  std::uint32_t m_by = 1, m_shift = 0;
  std::uint64_t m_factor = 0;
};

/// The same by a division: it has fewer bytes.
struct short_divisor {
  std::uint32_t by = 1;
  short_divisor() = default;
  explicit short_divisor(std::uint32_t extent) : by(extent) {}
  std::uint32_t quotient(std::uint32_t i) const { return i / by; }
  std::uint32_t rest(std::uint32_t i, std::uint32_t quotient) const { return i - quotient * by; }
};

} // namespace prism::array_detail
