// Reports copies: every copy that the runtime makes for buffers, and every explicit one. PRISM_LEDGER prints
// a line for each to standard error or to a file, and at the end a summary of bytes by reason, with advice on
// avoidable copies. Listeners (prism::ledger) record them.
//
// Any thread.
#pragma once

#include "runtime/observe/observer.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace prism::memory {

/// Whether PRISM_LEDGER or a listener requests reports.
bool reports_transfers() noexcept;
/// Reads PRISM_LEDGER ("1", or a file) and registers the summary for the end of the process. Called once, by
/// the process runtime.
void report_transfers_if_asked();

using transfer = observe::transfer_event;

struct recorded_transfer {
  std::uint64_t bytes;
  std::string from, to, reason, command, line;
};
/// One line, without a line break.
std::string line_of(const recorded_transfer& made);
/// Bytes by reason and direction, and how to avoid the copies.
std::string summary_of(const std::vector<recorded_transfer>& all);

/// Records the transfers of one queue, or of all queues, while it exists.
class transfer_listener {
public:
  explicit transfer_listener(const void* queue); // null: of all queues
  ~transfer_listener();
  transfer_listener(const transfer_listener&) = delete;
  std::vector<recorded_transfer> heard() const;
  void hear(const transfer& made);

private:
  const void* m_queue;
  mutable std::mutex m_mutex;
  std::vector<recorded_transfer> m_heard;
};

} // namespace prism::memory
