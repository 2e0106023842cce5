// Chooses the image of a kernel for a device, or states why there is none. A pure function of the kernel's
// record and the device's capabilities.
//
// A device lists the image kinds that it accepts, best first. The compiler emits OpenCL C work-group
// functions only for kernels with barriers, local memory, sub-groups, halves or mathematical functions, and
// for kernels with interchanged loops or with ids divided into rows, but not for those that mostly store
// values at barriers. A device that prefers them (PoCL, which executes such kernels slowly otherwise) gets
// them for these kernels and the plain text for all others.
#pragma once

#include "devices/api/types.hpp"

#include <string>

namespace prism::images {

struct image_choice {
  const image::kernel_image* image = nullptr; // null: `refusal` is the reason, as text for messages
  std::string refusal;
  std::string reason; // why this image was chosen, for the log
};

/// Chooses the first kind in the device's order whose features the device has. `without`: a kind that is not
/// suitable for the launch, and the reason.
struct excluded_kind {
  image::kind kind;
  std::string why;
};
image_choice choose_image(const image::kernel_record& record, const devices::capabilities& device,
                          const excluded_kind* without = nullptr);

/// The names of the bits in `features`, such as "fp64, int64_atomics".
std::string feature_names(std::uint64_t features);
const char* kind_name(image::kind kind);

} // namespace prism::images
