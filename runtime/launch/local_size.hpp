// The work-group size of a range kernel, chosen by the engine: pure. The kernel guards against the items
// beyond the range, so rounding up is allowed unless `exact`.
#pragma once

#include "devices/api/device.hpp"

namespace prism::runtime {

struct local_size_limits {
  std::uint64_t max_items = 1; // of a group, for this kernel on this device
  devices::extent3 max_each{1, 1, 1};
  std::uint64_t preferred_multiple = 1; // of dimension 0 (sub-group or vector width)
  devices::extent3 required{0, 0, 0};   // by the kernel; zero: none
  bool exact = false;                   // the kernel has group operations: groups must divide the range
  std::uint64_t long_row = 0,
                long_items =
                    0; // groups of so many items for a single row of at least this length; 0: no such
};

/// For a kernel on a device; null: it has no image there, no record.
local_size_limits limits_of(const devices::capabilities& device, const devices::kernel_limits* built,
                            const image::kernel_record* record);

/// Each at least 1, product at most max_items. global: at least 1 in each dimension.
devices::extent3 choose_local_size(const devices::extent3& global, const local_size_limits& limits);

/// For a kernel that cannot tell how its work-items are grouped (image::any_group_size): several of the
/// groups that were asked for as one, where these are smaller than PRISM's own. `local` divides `global`, and
/// so does the result.
devices::extent3 join_groups(const devices::extent3& global, const devices::extent3& local,
                             const local_size_limits& limits);

/// The size of groups that may be smaller than `local` (hierarchical kernels): its largest dimension is
/// halved until the kernel can have such groups.
devices::extent3 fit_group(devices::extent3 local, std::uint64_t max_items);

} // namespace prism::runtime
