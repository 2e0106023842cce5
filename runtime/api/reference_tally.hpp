// What runs after a kernel on request (reference.hpp), and the counts of its results, which are printed at
// the end of the process. Thread-safe unless a function says otherwise.
#pragma once

#include "runtime/engine/engine.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

struct verification_checks {
  bool reference = false; // PRISM_VERIFY=reference
  bool orders = false;    // PRISM_CHECK=order
};

/// What the environment asks for. Logs a value that is not valid, once.
const verification_checks& wanted_checks();
/// Of float; from PRISM_VERIFY.
double verification_tolerance();

/// Never destroyed.
class verification_tally {
public:
  static verification_tally& get();
  void compared(bool differs);
  void compared_orders(bool differ);
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
  std::mutex m_mutex; // guards all below
  std::size_t m_compared = 0, m_different = 0, m_ordered = 0, m_depend_on_order = 0;
  std::map<std::string, std::map<std::string, std::size_t>> m_left_out;
};

}
}
} // namespace sycl::_V1::detail
