// Runs the oracle's programs on devices and compares what they leave with the model. Where devices fail
// (PRISM_WRAP=fault(...)) the commands of a program end by batches, and the queue that a failure is told to
// says whose it may be: what no failed command wrote must be right. A device that is lost must say so of
// every kernel from then on, and others may fail only in what reached it.
#pragma once

#include "tests/sycl/oracle_program.hpp"

namespace oracle {

bool with_faults();
/// What PRISM_DEVICE_SELECTOR gives.
const world& the_world();

struct outcome {
  std::string wrong;                      // empty: nothing
  std::size_t failures = 0, refusals = 0; // told to queues' handlers; thrown
  std::size_t compared = 0,
              unknown = 0; // memories at the end; the latter had been written by a command that failed
  bool lost = false;
};
/// Runs the programs at the same time, each on a thread and on memory of its own; where devices fail on
/// queues of its own too, with at most `batch` commands in flight.
outcome run_beside(const std::vector<std::vector<op>>& programs, std::size_t batch);

} // namespace oracle
