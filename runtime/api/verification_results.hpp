// PRISM_VERIFY: its setting, the counts that are printed at the end of the process, and the order of commands
// that use the same USM allocation. Thread-safe.
#pragma once

#include "runtime/engine/engine.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {
namespace verification {

/// Reads PRISM_VERIFY. Returns the tolerance; empty: verification is off. Logs a value that is not valid.
std::optional<double> wanted_tolerance();

/// The tolerance of the process, read once; 0 if verification is off.
double tolerance();

/// Counts the results, and prints them at the end of the process. Never destroyed.
class tally {
public:
  static tally& get();
  void compared(bool differs);
  /// Counts a launch that is not verified. Logs each kernel once.
  void left_out(const std::string& kernel, const std::string& why);
  std::mutex order; // held during a submission with its tasks

  // The last command of each USM allocation; the caller holds `order`.
  void follow_last_of(const void* base, std::vector<prism::command_ptr>& dependencies) const;
  void set_last_of(const void* base, prism::command_ptr command);
  prism::command_ptr take_last_of(const void* base);

private:
  void report();
  std::map<const void*, prism::command_ptr> m_last;
  std::mutex m_mutex;
  std::size_t m_compared = 0, m_different = 0;
  std::map<std::string, std::map<std::string, std::size_t>> m_left_out;
};

}
}
}
} // namespace sycl::_V1::detail::verification
