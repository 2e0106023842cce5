// A device that fails on a schedule or at random from a seed: the same run fails at the same calls. For
// testing what a program, and PRISM itself, does about it. A failed submission's commands do not run, and
// what waits for its point fails too. A run of commands that the device keeps (queue::execute) is a
// submission like others.
#pragma once

#include "devices/api/device.hpp"

#include <chrono>

namespace prism::devices::wrap {

enum class fault_kind {
  memory,  // an allocation, or keeping commands: out of memory
  build,   // a program: does not build
  refuse,  // a submission: the driver does not take it
  fail,    // a submission: fails for an unknown reason
  timeout, // a submission: the device gave up on it
  copy,    // a copy: the submission with it fails
  lost,    // a submission and everything after it: the device is gone
  delay,   // a submission: complete, for all that ask, only `length` later
  hang,    // a submission: never complete
  skip,    // a kernel: silently not run, so that its results are wrong
  wrong,   // a copy: its first bytes silently arrive as others
};
/// "kind=n": the n-th of its kind, from 1; "kind=n+": all from there on; "kind=n*": every n-th; "kind=n~":
/// one in n, at random.
struct fault {
  fault_kind kind{};
  std::uint64_t number = 1;
  enum class reach { once, onwards, every, random } how = reach::once;
  std::chrono::milliseconds length{10}; // delay
  std::uint64_t seed = 1;               // random
  bool strikes(std::uint64_t count) const noexcept;
};

/// Reads "memory=3, fail=10*, copy=20~, delay=2*:5, seed=7". Throws device_error{invalid} that names the
/// term.
std::vector<fault> read_faults(const std::string& text);
std::unique_ptr<device> make_faulty(std::unique_ptr<device> whole, std::vector<fault> faults);

} // namespace prism::devices::wrap
