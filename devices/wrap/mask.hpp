// A device with features hidden and limits lowered; everything else is unchanged. For testing how a program
// behaves without them, on any device; used from code or by PRISM_WRAP. PRISM decides as if the features were
// missing, and refuses kernels that require them; but the driver itself does not know of the mask.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices::wrap {

/// What a mask hides; "fp64", "subgroups", "usm_shared", "local_memory=1024", ...
struct mask {
  std::vector<std::string> terms;
};

/// Reads "fp64, local_memory=1024". Throws device_error{invalid} that names the malformed term.
mask read_mask(const std::string& text);
/// The capabilities that remain. Pure. Throws device_error{invalid} for an unknown term.
capabilities masked(capabilities whole, const mask& by);
std::unique_ptr<device> make_masked(std::unique_ptr<device> whole, const mask& by);

} // namespace prism::devices::wrap
