// Which image of a kernel a device gets, or why none: a pure function of the kernel's record and the device's facts.
#pragma once

#include "devices/api/types.hpp"

#include <string>

namespace prism::images {

struct image_choice {
  const image::kernel_image* image = nullptr; // null: `refusal` says why, for people
  std::string refusal;
};

/// The first kind the device prefers whose features it has.
image_choice choose_image(const image::kernel_record& record, const devices::capabilities& device);

/// "fp64, int64_atomics" of the bits in `features`.
std::string feature_names(std::uint64_t features);
const char* kind_name(image::kind kind);

} // namespace prism::images
