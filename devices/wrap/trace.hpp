// A device that logs its calls, one line each: allocations, programs, submissions with each command and what
// they wait for, and how each ended. Changes nothing else. Lines of one device are in order.
#pragma once

#include "devices/api/device.hpp"

#include <functional>

namespace prism::devices::wrap {

/// Called with a line, without its end; from any thread, one at a time.
using trace_sink = std::function<void(const std::string&)>;
/// Replaces the file, or writes to standard error if `file` is empty. Throws device_error{invalid} if it
/// cannot be written.
trace_sink trace_to(const std::string& file);
std::unique_ptr<device> make_traced(std::unique_ptr<device> whole, trace_sink sink);

} // namespace prism::devices::wrap
