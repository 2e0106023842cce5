#include "runtime/support/log.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <string>

namespace prism::support {

namespace {

constexpr std::array names{"off", "error", "warn", "info", "debug", "trace"};

struct sink {
  std::atomic<int> threshold{static_cast<int>(level::warn)};
  std::atomic<std::FILE*> file{stderr};
};

bool configure(sink& to, std::string_view setting) {
  const std::size_t comma = setting.find(',');
  const std::string wanted = to_lower(trim(setting.substr(0, comma)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (wanted != names[i]) continue;
    if (comma != std::string_view::npos) {
      const std::string path(setting.substr(comma + 1));
      // never closed, because exit handlers may log
      if (std::FILE* file = std::fopen(path.c_str(), "ae")) to.file = file;
      else
        std::fprintf(stderr, "prism: warn: PRISM_LOG: cannot write \"%s\"; messages go to standard error\n",
                     path.c_str());
    }
    to.threshold = static_cast<int>(i);
    return true;
  }
  return false;
}

sink& the_sink() {
  // Never destroyed, because exit handlers may log.
  static sink* const made = [] {
    auto* s = new sink;
    const std::string setting = value_of(variables::log);
    if (!configure(*s, setting))
      std::fprintf(
          stderr,
          "prism: warn: PRISM_LOG=\"%s\": unknown level; use off, error, warn, info, debug or trace\n",
          setting.c_str());
    return s;
  }();
  return *made;
}

} // namespace

bool enabled(level l) noexcept {
  return l != level::off && static_cast<int>(l) <= the_sink().threshold.load(std::memory_order_relaxed);
}

void log(level l, std::string_view text) noexcept {
  if (!enabled(l)) return;
  std::FILE* const file = the_sink().file.load(std::memory_order_relaxed);
  try {
    const std::string line = printable(text);
    const auto print = [&](std::FILE* to) {
      return std::fprintf(to, "prism: %s: %s\n", names[static_cast<std::size_t>(l)], line.c_str()) >= 0 &&
             (to == stderr || std::fflush(to) == 0);
    };
    if (print(file) || file == stderr) return;
    if (the_sink().file.exchange(stderr) == file)
      std::fputs("prism: error: PRISM_LOG: its file cannot be written; messages go to standard error\n",
                 stderr);
    print(stderr);
  } catch (const std::bad_alloc&) { // the message is lost, the program goes on
  }
}

} // namespace prism::support
