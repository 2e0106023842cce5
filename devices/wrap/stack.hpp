// The wrappers that PRISM_WRAP or a program asks for, as text: `mask(fp64) opencl:fault(fail=3)
// trace(log.txt)`. The first is the innermost; a backend before the colon wraps the devices of that backend
// alone.
#pragma once

#include "devices/api/device.hpp"
#include "devices/wrap/described.hpp"

namespace prism::devices::wrap {

struct wrapper {
  std::string backend;   // empty: any
  std::string kind;      // "mask", "trace", "fault", "described"
  std::string arguments; // what stands between the parentheses
};

/// Throws device_error{invalid} that names the term and the place.
std::vector<wrapper> read_wrappers(const std::string& text);
std::unique_ptr<device> wrapped(std::unique_ptr<device> whole, const std::string& backend,
                                const std::vector<wrapper>& by);

/// Reads a description for described(arguments): only what is above this layer knows the files. Set once,
/// before the first device.
using description_reader = description (*)(const std::string& arguments);
void set_description_reader(description_reader read);

} // namespace prism::devices::wrap
