// Commands in the trace: when a device's queue or a thread of the runtime ran each of them.
#pragma once

namespace prism::observe {

/// From now on, where PRISM_TRACE is set. Once a process.
void trace_commands();

} // namespace prism::observe
