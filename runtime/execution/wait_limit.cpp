#include "runtime/execution/wait_limit.hpp"

#include "runtime/support/settings.hpp"

namespace prism::runtime {

std::optional<std::chrono::nanoseconds> wait_limit() {
  static const std::chrono::seconds period = support::seconds_of(support::variables::timeout);
  if (period == period.zero()) return std::nullopt;
  return period;
}

} // namespace prism::runtime
