// A device that writes down what it is asked to do, one line a call: allocations, programs, submissions with
// each command and whom they wait for, and how each ended. Changes nothing else. Lines of one device keep
// their order.
#pragma once

#include "devices/api/device.hpp"

#include <functional>

namespace prism::devices::wrap {

/// Called with a line, without its end; from any thread, one at a time.
using trace_sink = std::function<void(const std::string&)>;
/// `file` anew, or standard error when empty. Throws device_error{invalid} when it cannot be written.
trace_sink trace_to(const std::string& file);
std::unique_ptr<device> make_traced(std::unique_ptr<device> whole, trace_sink sink);

} // namespace prism::devices::wrap
