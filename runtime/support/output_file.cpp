#include "runtime/support/output_file.hpp"

#include "runtime/support/log.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace prism::support {

void finish_output(std::FILE* file, std::string_view variable, std::string_view name) noexcept try {
  const bool had_failed = std::ferror(file) != 0;
  errno = 0;
  const bool fails = std::fflush(file) != 0;
  if (!had_failed && !fails) return;
  std::string text(variable);
  text += ": \"" + std::string(name) + "\" is not complete: it could not be written";
  if (fails && errno != 0) text += std::string(" (") + std::strerror(errno) + ')';
  log(level::error, text);
} catch (...) { // out of memory: the message is lost
}

} // namespace prism::support
