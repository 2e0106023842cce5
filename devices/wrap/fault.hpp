// A device that fails on a schedule: the same run fails at the same calls. For testing what a program, and PRISM itself, does
// about it. A failed submission's commands do not run, and what waits for its point fails too.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices::wrap {

enum class fault_kind {
  memory,   // an allocation: out of memory
  build,    // a program: does not build
  fail,     // a submission: fails for an unknown reason
  timeout,  // a submission: the device gave up on it
  lost,     // a submission and everything after it: the device is gone
  skip,     // a kernel: silently not run, so that its results are wrong
};
/// "kind=n": the n-th of its kind, from 1; "kind=n+": all from there on; "kind=n*": every n-th.
struct fault {
  fault_kind kind{};
  std::uint64_t number = 1;
  enum class reach { once, onwards, every } how = reach::once;
  bool strikes(std::uint64_t count) const noexcept {
    return how == reach::every ? count % number == 0 : how == reach::onwards ? count >= number : count == number;
  }
};

/// Reads "memory=3, fail=10*". Throws device_error{invalid} that names the term.
std::vector<fault> read_faults(const std::string& text);
std::unique_ptr<device> make_faulty(std::unique_ptr<device> whole, std::vector<fault> faults);

} // namespace prism::devices::wrap
