#include "runtime/launch/local_size.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

// Enough items to amortise a group's start on CPU drivers and to fill a GPU's schedulers, but small enough
// that a thousand items still make several groups.
constexpr std::uint64_t target_items = 256;
constexpr std::uint64_t target_row = 64; // of dimension 0 if there are several rows

/// The largest multiple of `step` up to `limit` that divides n; 0 when there is none.
std::uint64_t largest_divisor(std::uint64_t n, std::uint64_t limit, std::uint64_t step) {
  for (std::uint64_t d = std::min(n, limit) / step * step; d >= step; d -= step)
    if (n % d == 0) return d;
  return 0;
}

/// Work-items that a device computes together.
std::uint64_t vector_of(const local_size_limits& limits) {
  constexpr std::uint64_t of_cpus = 8;
  return std::max(of_cpus, limits.preferred_multiple);
}

/// Most items of a group if each compute unit is to have several, so that all units finish at about the same
/// time.
std::uint64_t group_share(const devices::extent3& global, const local_size_limits& limits) {
  constexpr std::uint64_t groups_of_a_unit = 8, vectors_of_a_group = 4;
  const std::uint64_t items = global[0] * global[1] * global[2];
  if (limits.units == 1) return items;
  return std::max(items / (groups_of_a_unit * limits.units), vectors_of_a_group * vector_of(limits));
}

} // namespace

local_size_limits limits_of(const devices::capabilities& device, const devices::kernel_limits* built,
                            const image::kernel_record* record) {
  constexpr std::uint64_t groups_of_a_unit = 64; // enough for the units to finish at about the same time
  local_size_limits limits;
  limits.max_items = device.max_group_size;
  limits.max_each = device.max_local_size;
  limits.units = std::max<std::uint64_t>(device.compute_units, 1);
  limits.long_items = device.long_range_group;
  limits.long_row = limits.long_items * groups_of_a_unit * limits.units;
  if (built != nullptr) {
    limits.max_items = std::min(limits.max_items, std::max<std::uint64_t>(built->max_group_size, 1));
    limits.preferred_multiple = std::max<std::uint64_t>(built->preferred_multiple, 1);
  }
  if (record != nullptr) {
    limits.exact = (record->flags & image::uses_group_operation) != 0;
    for (int d = 0; d < 3; ++d) limits.required[d] = record->required_local_size[d];
  }
  return limits;
}

devices::extent3 choose_local_size(const devices::extent3& global, const local_size_limits& limits) {
  if (limits.required[0] != 0) return limits.required;
  const bool one_row = global[1] == 1 && global[2] == 1;
  if (one_row && !limits.exact && limits.long_row != 0 &&
      global[0] >= limits.long_row) { // the idle items of its last group are negligible
    const std::uint64_t items = std::min({limits.long_items, limits.max_items, limits.max_each[0]});
    const std::uint64_t multiple = std::max<std::uint64_t>(limits.preferred_multiple, 1),
                        whole = items / multiple * multiple;
    if (whole > target_items) return {whole, 1, 1};
  }
  std::uint64_t left = std::max<std::uint64_t>(std::min(limits.max_items, target_items), 1);
  devices::extent3 local{1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    if (d != 0 && global[d] == 1) continue; // avoids divisions, which dominate the cost of this function
    std::uint64_t limit = std::max<std::uint64_t>(std::min(left, limits.max_each[d]), 1);
    if (d == 0 && !one_row) limit = std::min(limit, target_row);
    if (limits.exact || d != 0) {
      // Rows beyond the range would be whole groups of idle items, so groups must divide the range.
      local[d] = largest_divisor(global[d], limit, 1);
    } else {
      const std::uint64_t multiple = std::clamp<std::uint64_t>(limits.preferred_multiple, 1, limit);
      const std::uint64_t rounded = (std::min(global[0], limit) + multiple - 1) / multiple * multiple;
      local[0] = std::min(rounded, limit / multiple * multiple);
      // A group that divides the range has no idle items; prefer it unless it is much smaller.
      const std::uint64_t divisor = largest_divisor(global[0], limit, multiple);
      if (divisor * 2 >= local[0]) local[0] = divisor;
    }
    left = std::max<std::uint64_t>(left / local[d], 1);
  }
  return local;
}

devices::extent3 regroup(const devices::extent3& global, const devices::extent3& local,
                         const local_size_limits& limits) {
  if (limits.required[0] != 0) return local;
  const std::uint64_t items = local[0] * local[1] * local[2], share = group_share(global, limits);
  if (items > share) {
    const std::uint64_t row = largest_divisor(local[0], share / (items / local[0]), vector_of(limits));
    return {row != 0 ? row : local[0], local[1], local[2]};
  }
  // Work-items of a strided loop access one row together: the longer it is, the better memory is read ahead.
  const std::uint64_t most = std::min({limits.max_items, std::max(target_items, limits.long_items), share});
  if (items >= most) return local;
  const std::uint64_t row = std::min(most / items * local[0], limits.max_each[0]);
  const std::uint64_t joined = largest_divisor(global[0], row, local[0]);
  return {std::max(joined, local[0]), local[1], local[2]};
}

devices::extent3 fit_group(devices::extent3 local, std::uint64_t max_items) {
  while (local[0] * local[1] * local[2] > std::max<std::uint64_t>(max_items, 1))
    *std::max_element(local.begin(), local.end()) /= 2;
  return local;
}

} // namespace prism::runtime
