// The wrappers that PRISM_WRAP or a program asks for, as text: `mask(fp64) opencl:fault(fail=3)
// trace(log.txt)`. The first is the innermost; with a backend before the colon only devices of that backend
// are wrapped.
#pragma once

#include "devices/api/device.hpp"
#include "devices/wrap/described.hpp"

namespace prism::devices::wrap {

struct wrapper {
  std::string backend;   // empty: any
  std::string kind;      // "mask", "trace", "fault", "described"
  std::string arguments; // the text between the parentheses
};

/// Throws device_error{invalid} that names the term and its position.
std::vector<wrapper> read_wrappers(const std::string& text);
std::unique_ptr<device> wrapped(std::unique_ptr<device> whole, const std::string& backend,
                                const std::vector<wrapper>& by);

/// Reads a description for described(arguments); only a higher layer knows the files. Set once, before the
/// first device is opened.
using description_reader = description (*)(const std::string& arguments);
void set_description_reader(description_reader read);

} // namespace prism::devices::wrap
