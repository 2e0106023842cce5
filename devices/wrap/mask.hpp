// A device with less than it has: features hidden, limits lowered, everything else its own. For testing what
// a program does without them, on any device; from code or by PRISM_WRAP. What is hidden is hidden from
// decisions and refused in kernels that say they need it; nothing keeps the driver itself from knowing
// better.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices::wrap {

/// What a mask hides; "fp64", "subgroups", "usm_shared", "local_memory=1024", ...
struct mask {
  std::vector<std::string> terms;
};

/// Reads "fp64, local_memory=1024". Throws device_error{invalid} that names the term.
mask read_mask(const std::string& text);
/// The capabilities that are left. Pure. Throws device_error{invalid} for a term it does not know.
capabilities masked(capabilities whole, const mask& by);
std::unique_ptr<device> make_masked(std::unique_ptr<device> whole, const mask& by);

} // namespace prism::devices::wrap
