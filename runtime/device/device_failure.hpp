// Converts driver errors to the engine's errors. Any thread.
#pragma once

#include "devices/api/types.hpp"

#include <exception>

namespace prism::runtime {

/// Throws the failure as prism::error.
[[noreturn]] void rethrow(const devices::device_error& failed);
std::exception_ptr as_error(const devices::device_error& failed);

} // namespace prism::runtime
