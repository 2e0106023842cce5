#include "runtime/device/device_failure.hpp"

#include "runtime/engine/engine.hpp"

namespace prism::runtime {

std::exception_ptr as_error(const devices::device_error& failed, const std::string& command) {
  try {
    rethrow(failed, command);
  } catch (...) {
    return std::current_exception();
  }
}

void rethrow(const devices::device_error& failed, const std::string& command) {
  error_code code = error_code::runtime;
  switch (failed.category()) {
    case devices::error_category::out_of_memory: code = error_code::memory_allocation; break;
    case devices::error_category::unsupported: code = error_code::feature_not_supported; break;
    case devices::error_category::invalid: code = error_code::invalid; break;
    case devices::error_category::build: code = error_code::build; break;
    case devices::error_category::lost:
    case devices::error_category::timeout:
    case devices::error_category::other: break;
  }
  throw error(code, command.empty() ? failed.what() : failed.what() + (" (in " + command + ')'));
}

} // namespace prism::runtime
