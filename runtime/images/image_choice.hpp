// Which image of a kernel a device gets, or why none: a pure function of the kernel's record and the device's
// facts.
//
// A device names the kinds it takes, best first. The compiler writes work-group functions as OpenCL C only
// for kernels with barriers, local memory, sub-groups or halves, and for loops that it turned inside out; a
// device that prefers them (PoCL, which runs all of these slowly) gets them there and the plain text for all
// others.
#pragma once

#include "devices/api/types.hpp"

#include <string>

namespace prism::images {

struct image_choice {
  const image::kernel_image* image = nullptr; // null: `refusal` says why, for people
  std::string refusal;
  std::string reason; // why this one, for the log
};

/// The first kind the device prefers whose features it has. `without`: a kind that does not fit the launch,
/// with why.
struct excluded_kind {
  image::kind kind;
  std::string why;
};
image_choice choose_image(const image::kernel_record& record, const devices::capabilities& device,
                          const excluded_kind* without = nullptr);

/// "fp64, int64_atomics" of the bits in `features`.
std::string feature_names(std::uint64_t features);
const char* kind_name(image::kind kind);

} // namespace prism::images
