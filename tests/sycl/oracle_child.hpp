// Programs of the oracle in a process of their own: faults are set before the first device, and a lost device
// stays lost.
#pragma once

#include "tests/sycl/oracle_runner.hpp"

namespace oracle {

/// As run_beside, in this program started anew under those wrappers (PRISM_WRAP).
outcome run_under(const std::string& wrappers, const std::vector<std::vector<op>>& programs,
                  std::size_t batch);

} // namespace oracle
