#include "runtime/schedule/local_size.hpp"

#include <algorithm>

namespace prism::schedule {

namespace {

// Enough items to amortise a group's start on CPU drivers and to fill a GPU's schedulers, small enough that a thousand
// items still make several groups.
constexpr std::uint64_t target_items = 256;
constexpr std::uint64_t target_row = 64; // of dimension 0 when there are several rows

/// The largest multiple of `step` up to `limit` that divides n; 0 when there is none.
std::uint64_t largest_divisor(std::uint64_t n, std::uint64_t limit, std::uint64_t step) {
  for (std::uint64_t d = std::min(n, limit) / step * step; d >= step; d -= step)
    if (n % d == 0) return d;
  return 0;
}

} // namespace

devices::extent3 choose_local_size(const devices::extent3& global, const local_size_limits& limits) {
  if (limits.required[0] != 0) return limits.required;
  const bool one_row = global[1] == 1 && global[2] == 1;
  std::uint64_t left = std::max<std::uint64_t>(std::min(limits.max_items, target_items), 1);
  devices::extent3 local{1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    if (d != 0 && global[d] == 1) continue; // divisions are what this function costs
    std::uint64_t limit = std::max<std::uint64_t>(std::min(left, limits.max_each[d]), 1);
    if (d == 0 && !one_row) limit = std::min(limit, target_row);
    if (limits.exact || d != 0) {
      // Rows beyond the range would be whole groups of idle items: only groups that divide.
      local[d] = largest_divisor(global[d], limit, 1);
    } else {
      const std::uint64_t multiple = std::clamp<std::uint64_t>(limits.preferred_multiple, 1, limit);
      const std::uint64_t rounded = (std::min(global[0], limit) + multiple - 1) / multiple * multiple;
      local[0] = std::min(rounded, limit / multiple * multiple);
      // A group that divides the range exactly wastes nothing; taken when it is not much smaller.
      const std::uint64_t divisor = largest_divisor(global[0], limit, multiple);
      if (divisor * 2 >= local[0]) local[0] = divisor;
    }
    left = std::max<std::uint64_t>(left / local[d], 1);
  }
  return local;
}

} // namespace prism::schedule
