// Errors of the engine, and locations in the program's source.
#pragma once

#include <stdexcept>
#include <string>

namespace prism {

/// Mirrors sycl::errc in order; runtime/api turns it into sycl::exception.
enum class error_code {
  success,
  runtime,
  kernel,
  accessor,
  nd_range,
  event,
  kernel_argument,
  build,
  invalid,
  memory_allocation,
  platform,
  profiling,
  feature_not_supported,
  kernel_not_supported,
  backend_mismatch
};
class error : public std::runtime_error {
public:
  error(error_code code, const std::string& what) : std::runtime_error(what), m_code(code) {}
  error_code code() const noexcept { return m_code; }

private:
  error_code m_code;
};

/// The program's source line that made a call. The text lives until the process ends. Null: not known.
struct source_line {
  const char* file = nullptr;
  unsigned line = 0;
};
/// "app.cpp:12"; empty when the line is not known.
std::string text_of(const source_line& at);

} // namespace prism
