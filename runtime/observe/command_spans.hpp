// Writes commands to the trace: when a device's queue or a thread of the runtime executed them.
#pragma once

namespace prism::observe {

/// Starts tracing if PRISM_TRACE is set. Once per process.
void trace_commands();

} // namespace prism::observe
