// The public class of the transfer log.
#include "runtime/api/impl.hpp"
#include "runtime/observe/transfer_log.hpp"

#include <prism/ledger.hpp>

namespace prism {

namespace detail {
class ledger_listener {
public:
  explicit ledger_listener(std::shared_ptr<sycl::detail::queue_impl> queue)
      : m_queue(std::move(queue)), m_transfers(m_queue ? m_queue->node().identity() : nullptr) {}
  std::vector<memory::recorded_transfer> heard() const { return m_transfers.heard(); }

private:
  std::shared_ptr<sycl::detail::queue_impl>
      m_queue; // keeps the queue alive, so that its identity stays unique
  memory::transfer_listener m_transfers;
};
} // namespace detail

ledger::ledger() : m_listener(std::make_unique<detail::ledger_listener>(nullptr)) {}
ledger::ledger(const sycl::queue& queue)
    : m_listener(std::make_unique<detail::ledger_listener>(sycl::detail::access_impl::get(queue))) {}
ledger::~ledger() = default;

std::vector<transfer> ledger::copies() const {
  std::vector<transfer> out;
  for (memory::recorded_transfer& t : m_listener->heard())
    out.push_back({t.bytes, std::move(t.from), std::move(t.to), std::move(t.reason), std::move(t.command),
                   std::move(t.line)});
  return out;
}

std::uint64_t ledger::bytes() const {
  std::uint64_t sum = 0;
  for (const memory::recorded_transfer& t : m_listener->heard()) sum += t.bytes;
  return sum;
}

std::string ledger::text() const {
  const std::vector<memory::recorded_transfer> all = m_listener->heard();
  std::string out;
  for (const memory::recorded_transfer& t : all) out += memory::line_of(t) + '\n';
  return out + memory::summary_of(all);
}

} // namespace prism
