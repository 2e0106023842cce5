// Copies told to those who ask: every one that the runtime makes for buffers, and every explicit one.
// PRISM_LEDGER prints a line each on standard error or in a file, and in the end how many bytes moved why,
// and which of them a program could have spared; listeners (prism::ledger) keep them.
//
// Any thread.
#pragma once

#include "runtime/observe/observer.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace prism::memory {

/// Whether PRISM_LEDGER or a listener asks.
bool reports_transfers() noexcept;
/// Reads PRISM_LEDGER ("1", or a file) and registers the summary for the end of the process. Once, by the
/// root.
void report_transfers_if_asked();

using transfer = observe::transfer_event;

struct recorded_transfer {
  std::uint64_t bytes;
  std::string from, to, reason, command, line;
};
/// A line without its end.
std::string line_of(const recorded_transfer& made);
/// Bytes by reason and way, and how to spare them.
std::string summary_of(const std::vector<recorded_transfer>& all);

/// Keeps the transfers of one queue, or of all, while it lives.
class transfer_listener {
public:
  explicit transfer_listener(const void* queue); // null: of all
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
