// The transfer log: lists the copies between memories, with the reason for each. See docs/tracing.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace prism {

namespace detail {
class ledger_listener;
}

/// A copy that was submitted: by the runtime for a buffer, or by the program.
struct transfer {
  std::uint64_t bytes = 0;
  std::string from, to; // "host", "opencl:0"
  std::string reason;   // "first use on device", "written elsewhere", "host read", "host write-back", ...,
                        // "explicit copy"
  std::string command;  // the command that needed the copy: a kernel's name, or file and line of its lambda;
                        // empty if the copy is itself the command
  std::string line;     // "app.cpp:12": the source line of the copy, submission or host accessor; for a
                        // write-back, of the buffer; may be empty
};

/// Records copies during its lifetime: those that the commands of one queue need, or those of the whole
/// process. Copies for host accessors and write-back belong to no queue. Thread-safe. With `PRISM_LEDGER=1`
/// the process prints all of its copies.
class ledger {
public:
  ledger();
  explicit ledger(const sycl::queue& queue);
  ~ledger();
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  std::vector<transfer> copies() const;
  std::uint64_t bytes() const;
  /// Returns a text: each copy, then the sums by reason, each with a hint how to avoid such copies.
  std::string text() const;

private:
  std::unique_ptr<detail::ledger_listener> m_listener;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
