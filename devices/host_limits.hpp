// How much of the machine this process may use: processors by affinity and control groups, memory by control
// groups.
#pragma once

#include <cstdint>
#include <string>

namespace prism::devices {

struct host_limits {
  std::string processor;          // the model's name
  std::uint32_t cores = 1;        // usable at the same time
  std::uint64_t memory_bytes = 0; // usable
  bool sve = false;               // AArch64 only
};

/// Reads /proc, /sys/fs/cgroup and sysconf; takes well under a millisecond. `root`: a prefix of these paths,
/// for tests.
host_limits limits_of_this_process(const std::string& root = "");

/// The first line of a file; empty if it cannot be read.
std::string first_line(const std::string& path);
/// The value X of the line "key : X" of /proc/cpuinfo; empty if there is none.
std::string cpuinfo(const std::string& key);

} // namespace prism::devices
