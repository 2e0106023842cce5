// Runs this program again for what may crash or hang: opening a backend's devices, loading a driver. The
// process itself loads no driver.
#pragma once

#include <chrono>
#include <string>

namespace prism::info {

struct child_output {
  std::string text, fault; // fault: the reason if there is no usable text, else empty
};

/// Runs this program as `option value` and reads what it prints. A fault names `what` it did.
child_output run_child(const std::string& option, const std::string& value, const std::string& what,
                       std::chrono::seconds limit);

/// Prints the text and ends the process without destructors, in which a driver may crash.
[[noreturn]] void end_child(const std::string& text, int status);

} // namespace prism::info
