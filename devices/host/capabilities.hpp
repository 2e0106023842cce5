// What the processor and the limits put on this process (affinity, cgroup) let the host device offer.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Reads /proc, /sys/fs/cgroup and sysconf once; costs well under a millisecond. Of NUMA nodes it knows
/// nothing: prism-info, which reports this, must run where no library is.
capabilities gather_capabilities();
/// Of so many threads on so many NUMA nodes: into any number of parts, and by nodes where there are several.
partition_support partition_support_of(unsigned threads, std::size_t nodes);

} // namespace prism::devices::host
