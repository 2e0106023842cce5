// Which builds may be made and trusted, by what the compiler says of a kernel and the device of itself.
#pragma once

#include "runtime/device/device_state.hpp"

#include <string>

namespace prism::runtime {

/// Its builds for known values give the same bits.
bool takes_values(const image::kernel_record& record, image::kind kind, const devices::capabilities& info);
/// Why no build for known values can be made or trusted; empty when it can.
std::string refusal_of(const image::kernel_record& record, const images::built_kernel& built,
                       device_state& device);
/// A work-group function and the plain text may be measured against each other where both give the same bits:
/// sub-groups have other sizes there.
bool may_be_plain(const image::kernel_record& record, const images::built_kernel& built,
                  const devices::capabilities& info);

} // namespace prism::runtime
