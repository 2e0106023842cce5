#include "runtime/api/reference_tally.hpp"

#include "runtime/memory/difference.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

using prism::support::level;

/// Reads PRISM_VERIFY. Returns the tolerance; empty: verification is off.
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
          " is not valid, so nothing is verified: use reference, or reference:1e-3 for another tolerance of "
          "float (0 to 1)");
  return std::nullopt;
}

/// For messages about kernels that are left out.
const char* variables_in_use() { return wanted_checks().reference ? "PRISM_VERIFY" : "PRISM_CHECK=order"; }

} // namespace

const verification_checks& wanted_checks() {
  static const verification_checks asked{
      wanted_tolerance().has_value(), prism::support::value_of(prism::support::variables::check) == "order"};
  return asked;
}

double verification_tolerance() {
  static const double value = wanted_tolerance().value_or(prism::memory::comparison().tolerance);
  return value;
}

verification_tally& verification_tally::get() {
  static verification_tally& made = *[] {
    static const pid_t process = ::getpid();
    std::atexit([] {
      if (::getpid() != process) return;
      prism::finish_work();
      get().report();
    });
    return new verification_tally;
  }();
  return made;
}

void verification_tally::compared(bool differs) {
  const std::lock_guard hold(m_mutex);
  ++m_compared;
  m_different += differs;
}

void verification_tally::compared_orders(bool differ) {
  const std::lock_guard hold(m_mutex);
  ++m_ordered;
  m_depend_on_order += differ;
}

void verification_tally::left_out(const std::string& kernel, const std::string& why) {
  const std::lock_guard hold(m_mutex);
  const bool is_new = m_left_out[why][kernel]++ == 0;
  if (is_new && prism::support::enabled(level::warn))
    prism::support::log(level::warn, std::string(variables_in_use()) + ": kernel \"" + kernel +
                                         "\" is not verified: " + why);
}

void verification_tally::follow_last_of(const void* base,
                                        std::vector<prism::command_ptr>& dependencies) const {
  if (const auto last = m_last.find(base); last != m_last.end()) dependencies.push_back(last->second);
}

void verification_tally::set_last_of(const void* base, prism::command_ptr command) {
  constexpr std::size_t most = 4096;
  if (m_last.size() >= most)
    std::erase_if(m_last, [](const auto& each) {
      return each.second->query() == prism::command_node::status::complete;
    });
  m_last[base] = std::move(command);
}

prism::command_ptr verification_tally::take_last_of(const void* base) {
  const auto last = m_last.find(base);
  if (last == m_last.end()) return nullptr;
  prism::command_ptr command = std::move(last->second);
  m_last.erase(last);
  return command;
}

void verification_tally::report() {
  const std::lock_guard hold(m_mutex);
  std::string text = "prism: ";
  if (wanted_checks().reference)
    text += "PRISM_VERIFY: " + std::to_string(m_compared) + " kernels were verified, " +
            std::to_string(m_different) + " differ";
  if (wanted_checks().orders)
    text += (wanted_checks().reference ? "; PRISM_CHECK=order: " : "PRISM_CHECK=order: ") +
            std::to_string(m_ordered) + " kernels with work-groups ran in several orders, " +
            std::to_string(m_depend_on_order) + " depend on the order";
  for (const auto& [why, kernels] : m_left_out) {
    std::size_t launches = 0;
    for (const auto& [name, count] : kernels) launches += count;
    text += "; " + std::to_string(launches) + " not verified: " + why;
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

}
}
} // namespace sycl::_V1::detail
