// Rules which builds may be made and trusted, from the compiler's and the device's information.
#pragma once

#include "runtime/device/device_state.hpp"

#include <string>

namespace prism::runtime {

/// Whether builds specialised for values produce the same bits.
bool takes_values(const image::kernel_record& record, image::kind kind, const devices::capabilities& info);
/// The reason why no specialised build can be made or trusted; empty when it can.
std::string refusal_of(const image::kernel_record& record, const images::built_kernel& built,
                       device_state& device);
/// Whether the work-group function and the plain text may be compared by measurement: both must produce the
/// same bits. They do not with sub-groups, whose sizes differ.
bool may_be_plain(const image::kernel_record& record, const images::built_kernel& built,
                  const devices::capabilities& info);

} // namespace prism::runtime
