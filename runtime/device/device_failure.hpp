// Converts driver errors to the engine's errors. Any thread.
#pragma once

#include "devices/api/types.hpp"

#include <exception>

namespace prism::runtime {

/// Throws the failure as prism::error. `command`: what failed, if it was a command; the text then ends with
/// it.
[[noreturn]] void rethrow(const devices::device_error& failed, const std::string& command = {});
std::exception_ptr as_error(const devices::device_error& failed, const std::string& command);

} // namespace prism::runtime
