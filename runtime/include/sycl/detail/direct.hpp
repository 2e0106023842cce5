// Work on the threads of the host device without a command, for PRISM's libraries: where a caller would
// submit a command to an idle queue and wait for it, this takes a third of the code. Not for programs.
#pragma once

#include <cstdint>

namespace sycl {
inline namespace _V1 {

class queue;

namespace detail {

/// Calls part(owner, begin, end) for ranges that together cover [0, units), on this thread and those of the
/// queue's device, and returns true when all have returned. One unit may start threads of its own. No command
/// of the queue may be unfinished. False, and nothing runs: the device is not the host's, or something
/// observes commands (a trace, a profile, a check), which would miss this work. What a part throws is thrown.
bool run_directly(const queue& idle, std::uint64_t units,
                  void (*part)(const void* owner, std::uint64_t begin, std::uint64_t end), const void* owner);

/// The same for a function object that takes (begin, end).
template <typename Part>
bool run_parts(const queue& idle, std::uint64_t units, const Part& part) {
  return run_directly(idle, units, [](const void* owner, std::uint64_t begin, std::uint64_t end) {
    (*static_cast<const Part*>(owner))(begin, end);
  }, &part);
}

} // namespace detail
} // namespace _V1
} // namespace sycl
