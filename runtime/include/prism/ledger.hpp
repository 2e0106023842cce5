// What was copied between memories for a queue, and why. See docs/tracing.md.
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
  std::string command;  // what it was made for: a kernel's name, or file and line of its lambda; empty where
                        // it is the command
  std::string line;     // "app.cpp:12": of the copy, submission or host accessor; of the buffer when it is
                        // written back; may be empty
};

/// Listens while it lives: to the copies that the commands of a queue need, or to all of the process. Copies
/// for host accessors and write-back belong to no queue. Thread-safe. `PRISM_LEDGER=1` prints all of the
/// process.
class ledger {
public:
  ledger();
  explicit ledger(const sycl::queue& queue);
  ~ledger();
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  std::vector<transfer> copies() const;
  std::uint64_t bytes() const;
  /// Each copy, then the sums by reason with what would spare them.
  std::string text() const;

private:
  std::unique_ptr<detail::ledger_listener> m_listener;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
