// More elements than 31 bits count, and the memory that a machine has for them.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace prism_test {

inline constexpr std::size_t beyond = (std::size_t(1) << 31) + 12'345;

/// What the machine has left, from the kernel's estimate.
inline std::size_t available_bytes() {
  std::ifstream all("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kibibytes = 0; all >> name >> kibibytes; std::getline(all, unit))
    if (name == "MemAvailable:") return kibibytes * 1024;
  return 0;
}

} // namespace prism_test
