// Converts driver errors to the engine's errors, and stored failures to text. Any thread.
#pragma once

#include "devices/api/types.hpp"

#include <exception>
#include <string>

namespace prism::runtime {

/// Throws the failure as prism::error. `command`: what failed, if it was a command; the text then ends with
/// it.
[[noreturn]] void rethrow(const devices::device_error& failed, const std::string& command = {});
std::exception_ptr as_error(const devices::device_error& failed, const std::string& command);
/// what() of any stored exception.
std::string text_of(const std::exception_ptr& failure);

} // namespace prism::runtime
