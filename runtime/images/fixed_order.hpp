// Records of kernels whose programs sum in the fixed order (docs/reproducible.md). A kernel that is launched
// with and without that order has two programs on a device. The second one is built from a copy of the
// kernel's record, which differs in its flags and its hash, so that caches, packs and trials see two kernels.
// Any thread.
#pragma once

#include "devices/api/image.hpp"

#include <memory>
#include <string>
#include <vector>

namespace prism::images {

/// Why the order of the kernel's sums cannot be fixed; empty if it can. `on_host`: whether the host device
/// may run it. `record` is null for a kernel compiled without the plugin.
std::string why_no_fixed_order(const image::kernel_record* record, bool on_host);

/// The copy of the record with image::asks_fixed_order; the same one for each call. Valid until
/// forget_fixed_orders.
const image::kernel_record& fixed_order_of(const image::kernel_record& record);
/// The copy if there is one, else null.
const image::kernel_record* known_fixed_order_of(const image::kernel_record& record);
/// Removes the copies of records in [first, first + count), whose module is unloaded.
void forget_fixed_orders(const image::kernel_record* first, std::uint64_t count);

} // namespace prism::images
