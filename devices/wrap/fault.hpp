// A device that fails on a schedule, or at random from a seed: the same run fails at the same calls. For
// testing how a program, and PRISM itself, handle failures. The commands of a failed submission do not run,
// and submissions that wait for its point fail too. Executing a command buffer (queue::execute) is a
// submission like others.
#pragma once

#include "devices/api/device.hpp"

#include <chrono>

namespace prism::devices::wrap {

enum class fault_kind {
  memory,  // an allocation or a command buffer: out of memory
  build,   // a program: does not build
  queue,   // a queue: the driver makes no more
  refuse,  // a submission: the driver refuses it
  fail,    // a submission: fails for an unknown reason
  timeout, // a submission: the device times out
  copy,    // a copy: the submission with it fails
  lost,    // a submission and everything after it: the device is lost
  delay,   // a submission: completes `length` later
  hang,    // a submission: never completes
  skip,    // a kernel: silently not run, so that its results are wrong
  wrong,   // a copy: its first bytes silently arrive changed
};
/// "kind=n": the n-th of its kind, from 1; "kind=n+": the n-th and all later ones; "kind=n*": every n-th;
/// "kind=n~": one in n, at random.
struct fault {
  fault_kind kind{};
  std::uint64_t number = 1;
  enum class reach { once, onwards, every, random } how = reach::once;
  std::chrono::milliseconds length{10}; // delay
  std::uint64_t seed = 1;               // random
  bool strikes(std::uint64_t count) const noexcept;
};

/// Reads "memory=3, fail=10*, copy=20~, delay=2*:5, seed=7". Throws device_error{invalid} that names the
/// malformed term.
std::vector<fault> read_faults(const std::string& text);
std::unique_ptr<device> make_faulty(std::unique_ptr<device> whole, std::vector<fault> faults);

} // namespace prism::devices::wrap
