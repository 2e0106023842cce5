// Releases the dependencies and retained objects of finished commands. Their destructors may be user code, so
// they run outside of locks.
#pragma once

#include "runtime/support/small_vector.hpp"

#include <memory>

namespace prism::runtime {

class scheduled_command;
using command_ref = std::shared_ptr<scheduled_command>;

struct dependency {
  command_ref on;
  bool data = false; // if `on` fails, this command fails; otherwise `on` only orders it
};

using dependency_list = small_vector<dependency, 2>;
using keep_alive_list = small_vector<std::shared_ptr<void>, 2>;

/// While one exists on this thread, objects retained by finished commands are destroyed in its destructor
/// instead of at once. Declare it before taking a lock, because destructors may be user code.
class deferred_release {
public:
  deferred_release();
  ~deferred_release();
  deferred_release(const deferred_release&) = delete;
  /// Moves the objects into the active deferred_release; returns false when this thread has none.
  static bool take(dependency_list& dependencies, keep_alive_list& retained);

private:
  bool m_outermost;
  dependency_list m_dependencies;
  keep_alive_list m_retained;
};

} // namespace prism::runtime
