#include "runtime/api/verification_results.hpp"

#include "runtime/memory/difference.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace sycl {
inline namespace _V1 {
namespace detail {
namespace verification {

using prism::support::level;

std::optional<double> wanted_tolerance() {
  const auto text = prism::support::set_value_of(prism::support::variables::verify);
  if (!text || !prism::support::is_on(prism::support::variables::verify)) return std::nullopt;
  constexpr std::string_view word = "reference";
  if (text->compare(0, word.size(), word) == 0) {
    if (text->size() == word.size()) return prism::memory::comparison().tolerance;
    const char* const number = text->c_str() + word.size() + 1;
    char* end = nullptr;
    const double value = (*text)[word.size()] == ':' ? std::strtod(number, &end) : -1;
    if (end != nullptr && end != number && *end == '\0' && value >= 0 && value < 1) return value;
  }
  prism::support::log(
      level::error,
      "PRISM_VERIFY=" + *text +
          " is not valid, so nothing is verified: use reference, or reference:1e-3 for another tolerance of float (0 to 1)");
  return std::nullopt;
}

double tolerance() {
  static const double value = wanted_tolerance().value_or(0);
  return value;
}

tally& tally::get() {
  static tally& made = *[] {
    static const pid_t process = ::getpid();
    std::atexit([] {
      if (::getpid() != process) return;
      prism::finish_work();
      get().report();
    });
    return new tally;
  }();
  return made;
}

void tally::compared(bool differs) {
  const std::lock_guard hold(m_mutex);
  ++m_compared;
  m_different += differs;
}

void tally::left_out(const std::string& kernel, const std::string& why) {
  const std::lock_guard hold(m_mutex);
  const bool is_new = m_left_out[why][kernel]++ == 0;
  if (is_new && prism::support::enabled(level::warn))
    prism::support::log(level::warn, "PRISM_VERIFY: kernel \"" + kernel + "\" is not verified: " + why);
}

void tally::follow_last_of(const void* base, std::vector<prism::command_ptr>& dependencies) const {
  if (const auto last = m_last.find(base); last != m_last.end()) dependencies.push_back(last->second);
}

void tally::set_last_of(const void* base, prism::command_ptr command) {
  constexpr std::size_t most = 4096;
  if (m_last.size() >= most)
    std::erase_if(m_last, [](const auto& each) {
      return each.second->query() == prism::command_node::status::complete;
    });
  m_last[base] = std::move(command);
}

prism::command_ptr tally::take_last_of(const void* base) {
  const auto last = m_last.find(base);
  if (last == m_last.end()) return nullptr;
  prism::command_ptr command = std::move(last->second);
  m_last.erase(last);
  return command;
}

void tally::report() {
  const std::lock_guard hold(m_mutex);
  std::string text = "prism: PRISM_VERIFY: " + std::to_string(m_compared) + " kernels were verified, " +
                     std::to_string(m_different) + " differ";
  for (const auto& [why, kernels] : m_left_out) {
    std::size_t launches = 0;
    for (const auto& [name, count] : kernels) launches += count;
    text += "; " + std::to_string(launches) + " not verified: " + why;
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

}
}
}
} // namespace sycl::_V1::detail::verification
