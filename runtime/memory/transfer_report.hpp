// PRISM_LEDGER: every copy that the runtime makes for buffers, and every explicit one, a line each on standard error or in
// a file, and in the end how many bytes moved why, and which of them a program could have spared.
//
// Any thread. When the variable is unset everything here is one load and a branch.
#pragma once

#include <cstdint>
#include <string_view>

namespace prism::memory {

/// The first call reads PRISM_LEDGER ("1", or a file) and registers the summary for the end of the process.
bool reports_transfers() noexcept;

struct transfer {
  std::uint64_t bytes;
  std::string_view from, to; // "host", "opencl:0"
  std::string_view reason;   // of the ledger (copy_reason), or "explicit copy"
  std::string_view command;  // what it was made for; may be empty
};
void report_transfer(const transfer& made) noexcept;

} // namespace prism::memory
