// What this process may use of the machine: processors by affinity and control groups, memory by control
// groups.
#pragma once

#include <cstdint>
#include <string>

namespace prism::devices {

struct host_limits {
  std::string processor;          // the model's name
  std::uint32_t cores = 1;        // that can be kept busy
  std::uint64_t memory_bytes = 0; // that can be used
  bool sve = false;               // AArch64 only
};

/// Reads /proc, /sys/fs/cgroup and sysconf; costs well under a millisecond. `root`: where these folders are,
/// for tests.
host_limits limits_of_this_process(const std::string& root = "");

/// The first line of a file, empty when it cannot be read.
std::string first_line(const std::string& path);
/// "model name : X" of /proc/cpuinfo: the X of a key, empty when there is none.
std::string cpuinfo(const std::string& key);

} // namespace prism::devices
