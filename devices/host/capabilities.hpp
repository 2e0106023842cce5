// What the processor and the limits put on this process (affinity, cgroup) let the host device offer.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Reads /proc, /sys/fs/cgroup and sysconf once; costs well under a millisecond.
capabilities gather_capabilities();
/// Of so many threads: into any number of parts. Threads are not bound to processors, so there are no domains.
divisibility divisibility_of(unsigned threads);

} // namespace prism::devices::host
