// Chooses the work-group size of a range kernel. Pure functions. The kernel checks for items beyond the
// range, so the global range may be rounded up unless `exact` is set. The sizes are few, because drivers
// compile a kernel again for each: PoCL takes a third of a second for a small kernel.
#pragma once

#include "devices/api/device.hpp"

namespace prism::runtime {

struct local_size_limits {
  std::uint64_t max_items = 1; // per group, for this kernel on this device
  devices::extent3 max_each{1, 1, 1};
  std::uint64_t preferred_multiple = 1; // of dimension 0 (sub-group or vector width)
  devices::extent3 required{0, 0, 0};   // by the kernel's attribute; zero: none
  bool exact = false;                   // the kernel has group operations: groups must divide the range
  std::uint64_t long_row = 0,
                // if there is a single row of at least long_row items, groups have long_items items; 0: no
                // such rule
      long_items = 0;
  std::uint64_t units = 1;         // compute units
  bool compiles_for_sizes = false; // the driver compiles a kernel again for each size
};

/// Limits for a kernel on a device. `built` is null if the kernel has no image for it; `record` is null for a
/// kernel compiled without the plugin.
local_size_limits limits_of(const devices::capabilities& device, const devices::kernel_limits* built,
                            const image::kernel_record* record);

/// Each dimension is at least 1, the product at most max_items. `global` must be at least 1 in each
/// dimension.
devices::extent3 choose_local_size(const devices::extent3& global, const local_size_limits& limits);

/// For a kernel whose results do not depend on the grouping of its work-items (image::any_group_size): merges
/// several requested groups into one, if they are smaller than PRISM's own choice, or divides them, if there
/// are too few for all compute units. `local` divides `global`, and so does the result. Where the driver
/// compiles for sizes, few groups stay as they are, and others are merged by powers of two.
devices::extent3 regroup(const devices::extent3& global, const devices::extent3& local,
                         const local_size_limits& limits);

/// The group size for kernels that allow smaller groups than `local` (hierarchical kernels): halves the
/// largest dimension until the product is at most max_items.
devices::extent3 fit_group(devices::extent3 local, std::uint64_t max_items);

} // namespace prism::runtime
