// The kernels of the kit in every image format, and functions that launch them on any device.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices::conformance {

enum class test_kernel { scale_add, identify, reverse };

/// The record and the image of one kernel. Both live until the end of the process.
struct kernel_source {
  const image::kernel_record* record;
  program_source source;
};

/// The best image that `d` accepts. Without one the result is empty, and `why` names what is missing.
std::optional<kernel_source> source_for(test_kernel which, const device& d, std::string& why);

/// A dispatch whose pointer is `target` + offset and whose two argument words are `first` and `second`. The
/// pointer is a slot on OpenCL, and is written into the block on devices with addresses.
dispatch_command make_dispatch(const kernel_source& source, kernel& built, memory& target,
                               std::uint64_t offset, std::uint32_t first, std::uint32_t second,
                               extent3 groups, extent3 local, std::uint64_t local_bytes = 0);

} // namespace prism::devices::conformance
