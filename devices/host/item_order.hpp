// Which of `count` work-items, or work-groups, runs at each step of an order. Pure.
#pragma once

#include "devices/api/types.hpp"

#include <numeric>

namespace prism::devices::host {

/// A number without common divisors with `count`, about 0.618 of it: its multiples visit all numbers below
/// `count`, with neighbours far apart.
constexpr std::uint64_t scattering_stride(std::uint64_t count) {
  std::uint64_t stride = count - count * 382 / 1000;
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

/// A permutation of [0, count) for each order. `step` is below `count`, and count is below 2^32 or the order
/// is not `scattered`.
constexpr std::uint64_t item_at(item_order order, std::uint64_t step, std::uint64_t count) {
  switch (order) {
    case item_order::descending: return count - 1 - step;
    case item_order::odd_first: return step < count / 2 ? 2 * step + 1 : 2 * (step - count / 2);
    case item_order::scattered: return (step + 1) * scattering_stride(count) % count;
    default: return step;
  }
}

} // namespace prism::devices::host
