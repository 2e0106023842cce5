#include "runtime/support/settings.hpp"

#include "runtime/support/log.hpp"
#include "runtime/support/size_text.hpp"

namespace prism::support {

unsigned long long size_of(const variable& v) {
  const std::string text = value_of(v);
  if (const auto size = parse_size(text)) return *size;
  log(level::warn,
      std::string(v.name) + "=\"" + text + "\" is not a size such as 256M; using " + v.default_value);
  return parse_size(v.default_value).value_or(0);
}

std::chrono::seconds seconds_of(const variable& v) {
  const std::string text = value_of(v);
  if (const auto seconds = parse_seconds(text)) return *seconds;
  const std::string otherwise = v.default_value;
  if (!text.empty()) // no warning for an unset variable without a default
    log(level::warn, std::string(v.name) + "=\"" + text + "\" is not a whole number of seconds such as 30; " +
                         (otherwise.empty() ? "ignored" : "using " + otherwise));
  return parse_seconds(otherwise).value_or(std::chrono::seconds(0));
}

} // namespace prism::support
