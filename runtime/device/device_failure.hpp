// Converts driver errors to the engine's errors, and stored failures to text. Any thread.
#pragma once

#include "devices/api/types.hpp"

#include <exception>
#include <string>

namespace prism::runtime {

/// Throws the failure as prism::error.
[[noreturn]] void rethrow(const devices::device_error& failed);
std::exception_ptr as_error(const devices::device_error& failed);
/// what() of any stored exception.
std::string text_of(const std::exception_ptr& failure);

} // namespace prism::runtime
