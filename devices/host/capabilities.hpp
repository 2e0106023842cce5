// What the host device can do, from the processor and the limits on this process (affinity, cgroup).
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Reads /proc, /sys/fs/cgroup and sysconf once; takes well under a millisecond. Does not look for NUMA
/// nodes, because prism-info also calls this, and must run without libraries.
capabilities gather_capabilities();
/// For that many threads on that many NUMA nodes: by counts, and by nodes if there are several.
partition_support partition_support_of(unsigned threads, std::size_t nodes);

} // namespace prism::devices::host
