// What commands depend on and keep alive, and its end: destructors may be the user's, so they run outside of
// locks.
#pragma once

#include "runtime/support/small_vector.hpp"

#include <memory>
#include <vector>

namespace prism::runtime {

class scheduled_command;
using command_ref = std::shared_ptr<scheduled_command>;

struct dependency {
  command_ref on;
  bool data = false; // its failure is ours; otherwise it only orders
};

using dependency_list = small_vector<dependency, 2>;
using keep_alive_list = small_vector<std::shared_ptr<void>, 2>;

/// While one lives on this thread, what finished commands kept alive is destroyed at its end instead of at
/// once: put it in front of a lock, since destructors may be the user's.
class deferred_release {
public:
  deferred_release();
  ~deferred_release();
  deferred_release(const deferred_release&) = delete;
  /// False when none is active.
  static bool take(dependency_list& dependencies, keep_alive_list& kept);

private:
  bool m_outermost;
  dependency_list m_dependencies;
  std::vector<std::shared_ptr<void>> m_kept;
};

} // namespace prism::runtime
