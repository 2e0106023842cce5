#include "runtime/execution/wait_watch.hpp"

#include "runtime/observe/observer.hpp"
#include "runtime/support/settings.hpp"

namespace prism::runtime {

namespace {

class label_requester final : public observe::observer {
public:
  std::uint32_t interests() const noexcept override { return observe::labels; }
};

} // namespace

std::optional<std::chrono::nanoseconds> wait_limit() {
  static const std::chrono::seconds period = support::seconds_of(support::variables::timeout);
  if (period == period.zero()) return std::nullopt;
  return period;
}

void label_what_is_waited_for() {
  if (wait_limit()) observe::add(*new label_requester);
}

} // namespace prism::runtime
