// Runs programs of the oracle in a child process: faults are set before the first device is opened, and a
// lost device stays lost.
#pragma once

#include "tests/sycl/oracle_runner.hpp"

namespace oracle {

/// Like run_beside, in this program started again under these wrappers (PRISM_WRAP).
outcome run_under(const std::string& wrappers, const std::vector<std::vector<op>>& programs,
                  std::size_t batch);

} // namespace oracle
