// Copies told to those who ask: every one that the runtime makes for buffers, and every explicit one. PRISM_LEDGER prints a
// line each on standard error or in a file, and in the end how many bytes moved why, and which of them a program could have
// spared; listeners (prism::ledger) keep them.
//
// Any thread. When nobody asks everything here is two loads and a branch.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace prism::memory {

/// The first call reads PRISM_LEDGER ("1", or a file) and registers the summary for the end of the process.
bool reports_transfers() noexcept;

struct transfer {
  std::uint64_t bytes;
  std::string_view from, to; // "host", "opencl:0"
  std::string_view reason;   // of the ledger (copy_reason), or "explicit copy"
  std::string_view command;  // what it was made for; may be empty
  std::string_view line;     // of the program: "app.cpp:12"; empty when it is not known
  const void* queue;         // of that command, to be compared only; null: none
};
void report_transfer(const transfer& made) noexcept;

struct kept_transfer {
  std::uint64_t bytes;
  std::string from, to, reason, command, line;
};
/// A line without its end.
std::string line_of(const kept_transfer& made);
/// Bytes by reason and way, and how to spare them.
std::string summary_of(const std::vector<kept_transfer>& all);

/// Keeps the transfers of one queue, or of all, while it lives.
class transfer_listener {
public:
  explicit transfer_listener(const void* queue); // null: of all
  ~transfer_listener();
  transfer_listener(const transfer_listener&) = delete;
  std::vector<kept_transfer> heard() const;
  void hear(const transfer& made);

private:
  const void* m_queue;
  mutable std::mutex m_mutex;
  std::vector<kept_transfer> m_heard;
};

} // namespace prism::memory
