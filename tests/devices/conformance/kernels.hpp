// The kernels of the kit, in every form a device may take, and how to launch them with one call on all.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices::conformance {

enum class test_kernel { scale_add, identify, reverse };

/// A record and an image of one kernel; both outlive every test.
struct kernel_source {
  const image::kernel_record* record;
  program_source source;
};

/// The best image that `d` accepts; nothing when the kit has none for it (then `why` says what is missing).
std::optional<kernel_source> source_for(test_kernel which, const device& d, std::string& why);

/// A dispatch whose pointer is `target` + offset and whose two argument words are `first`, `second`: through
/// the slot on OpenCL, patched into the block where addresses rule.
dispatch_command make_dispatch(const kernel_source& source, kernel& built, memory& target,
                               std::uint64_t offset, std::uint32_t first, std::uint32_t second,
                               extent3 groups, extent3 local, std::uint64_t local_bytes = 0);

} // namespace prism::devices::conformance
