#include "runtime/launch/local_size.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace prism::runtime {

namespace {

// Enough items to amortise a group's start on CPU drivers and to fill a GPU's schedulers, but small enough
// that a thousand items still make several groups.
constexpr std::uint64_t target_items = 256;
constexpr std::uint64_t target_row = 64; // of dimension 0 if there are several rows, or few groups
constexpr std::uint64_t vector_of_cpus = 8;
// So few groups cost less than the compilation of a kernel for one more size of groups.
constexpr std::uint64_t few_groups = 256;
// Groups of a compute unit from which a short line has groups of several vectors.
constexpr std::uint64_t groups_of_short_line = 4;

/// The largest multiple of `step` up to `limit` that divides n; 0 when there is none.
std::uint64_t largest_divisor(std::uint64_t n, std::uint64_t limit, std::uint64_t step) {
  for (std::uint64_t d = std::min(n, limit) / step * step; d >= step; d -= step)
    if (n % d == 0) return d;
  return 0;
}

/// Work-items that a device computes together.
std::uint64_t vector_of(const local_size_limits& limits) {
  return std::max(vector_of_cpus, limits.preferred_multiple);
}

/// Most items of a group if each compute unit is to have several, so that all units finish at about the same
/// time.
std::uint64_t group_share(const devices::extent3& global, const local_size_limits& limits) {
  constexpr std::uint64_t groups_of_a_unit = 8;
  const std::uint64_t items = global[0] * global[1] * global[2];
  return limits.units == 1 ? items : items / (groups_of_a_unit * limits.units);
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

namespace {

/// The largest of `sizes`, descending, whose groups have few idle items in a row of n; else the last.
std::uint64_t few_idle_items(std::uint64_t n, std::span<const std::uint64_t> sizes) {
  const auto rounded = [&](std::uint64_t size) { return (n + size - 1) / size * size; };
  const std::uint64_t most = rounded(sizes.back()) * 5 / 4;
  return *std::find_if(sizes.begin(), sizes.end() - 1,
                       [&](std::uint64_t size) { return rounded(size) <= most; });
}

/// Dimension 0, whose last group may have idle items, of a range of `rows` rows of n items.
std::uint64_t choose_row(std::uint64_t n, std::uint64_t rows, std::uint64_t limit, std::uint64_t multiple,
                         std::uint64_t units) {
  const auto whole = [&](std::uint64_t size) {
    return std::max(std::min(size, limit) / multiple * multiple, multiple);
  };
  // Small ranges have few sizes. If a step of all work-items is a row of memory (a product of a matrix by its
  // columns), a group of one vector reads one cache line of each row: five times slower than four.
  const std::uint64_t smallest = whole(vector_of_cpus), several = whole(target_row);
  if ((n + smallest - 1) / smallest * rows <= few_groups)
    return rows == 1 && n >= several * groups_of_short_line * units ? several : smallest;
  if (rows == 1) return whole(target_items);
  const std::array<std::uint64_t, 4> of_several{whole(target_row), whole(32), whole(16), multiple};
  return few_idle_items(n, of_several);
}

/// Groups that divide the range, where the kernel demands it.
devices::extent3 divide(const devices::extent3& global, const local_size_limits& limits, bool one_row) {
  std::uint64_t left = std::max<std::uint64_t>(std::min(limits.max_items, target_items), 1);
  devices::extent3 local{1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    std::uint64_t limit = std::max<std::uint64_t>(std::min(left, limits.max_each[d]), 1);
    if (d == 0 && !one_row) limit = std::min(limit, target_row);
    local[d] = largest_divisor(global[d], limit, 1);
    left = std::max<std::uint64_t>(left / local[d], 1);
  }
  return local;
}

} // namespace

devices::extent3 choose_local_size(const devices::extent3& global, const local_size_limits& limits) {
  if (limits.required[0] != 0) return limits.required;
  const bool one_row = global[1] == 1 && global[2] == 1;
  if (limits.exact) return divide(global, limits, one_row);
  const std::uint64_t preferred = std::max<std::uint64_t>(limits.preferred_multiple, 1);
  if (one_row && limits.long_row != 0 && global[0] >= limits.long_row) {
    const std::uint64_t items = std::min({limits.long_items, limits.max_items, limits.max_each[0]}),
                        whole = items / preferred * preferred;
    if (whole > target_items) return {whole, 1, 1};
  }
  const std::uint64_t most = std::max<std::uint64_t>(std::min(limits.max_items, target_items), 1),
                      limit = std::max<std::uint64_t>(std::min(most, limits.max_each[0]), 1);
  devices::extent3 local{
      choose_row(global[0], global[1] * global[2], limit, std::min(preferred, limit), limits.units), 1, 1};
  if (one_row) return local;
  std::uint64_t left = most / local[0],
                groups = (global[0] + local[0] - 1) / local[0] * global[1] * global[2];
  for (int d = 1; d < 3; ++d) {
    // Rows beyond the range would be whole groups of idle items, so groups must divide the range.
    for (std::uint64_t rows = 16; rows > 1; rows /= 2)
      if (groups > few_groups && local[d] == 1 && rows <= std::min(left, limits.max_each[d]) &&
          global[d] % rows == 0)
        local[d] = rows;
    left /= local[d];
    groups /= local[d];
  }
  return local;
}

devices::extent3 regroup(const devices::extent3& global, const devices::extent3& local,
                         const local_size_limits& limits) {
  if (limits.required[0] != 0) return local;
  constexpr std::uint64_t vectors_of_a_group = 4; // of one that is divided
  const std::uint64_t items = local[0] * local[1] * local[2], share = group_share(global, limits),
                      least = limits.units == 1 ? share : vectors_of_a_group * vector_of(limits);
  if (items > std::max(share, least)) {
    const std::uint64_t row =
        largest_divisor(local[0], std::max(share, least) / (items / local[0]), vector_of(limits));
    return {row != 0 ? row : local[0], local[1], local[2]};
  }
  // A few items may each be much work, so that each unit should have some.
  // Work-items of a strided loop access one row together: the longer it is, the better memory is read ahead.
  const std::uint64_t most = std::min({limits.max_items, std::max(target_items, limits.long_items), share});
  if (items >= most) return local;
  const std::uint64_t row = std::min(most / items * local[0], limits.max_each[0]);
  if (!limits.compiles_for_sizes)
    return {std::max(largest_divisor(global[0], row, local[0]), local[0]), local[1], local[2]};
  if (global[0] * global[1] * global[2] / items <= few_groups) return local;
  std::uint64_t wider = local[0];
  while (wider * 2 <= row && global[0] % (wider * 2) == 0) wider *= 2;
  return {wider, local[1], local[2]};
}

devices::extent3 fit_group(devices::extent3 local, std::uint64_t max_items) {
  while (local[0] * local[1] * local[2] > std::max<std::uint64_t>(max_items, 1))
    *std::max_element(local.begin(), local.end()) /= 2;
  return local;
}

} // namespace prism::runtime
