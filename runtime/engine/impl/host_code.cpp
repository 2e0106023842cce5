// Passes accesses of instrumented host code to the access check.
#include "runtime/access_check/access_check.hpp"
#include "runtime/execution/scheduled_command.hpp"

namespace prism {

void look_at_host_code(const host_code_access& what) {
  runtime::access_check* const check = runtime::active_access_check();
  if (check != nullptr && !runtime::scheduled_command::thread_runs_one())
    check->look_at_host_code(what); // host tasks are commands, which are ordered as such
}

} // namespace prism
