// What host code says that it accesses.
#include "runtime/access_check/access_check.hpp"
#include "runtime/execution/command.hpp"

namespace prism {

void look_at_host_code(const host_code_access& what) {
  schedule::access_check* const check = schedule::active_access_check();
  if (check != nullptr && !schedule::command::thread_runs_one())
    check->look_at_host_code(what); // host tasks are ordered as commands
}

} // namespace prism
