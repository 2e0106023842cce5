// Runs the oracle's programs on devices and compares the results with the model. With faults
// (PRISM_WRAP=fault(...)) a program waits after each batch of commands, and the queue that receives a failure
// shows which commands may have failed. Memories that no failed command wrote must be right. A lost device
// must fail every later kernel; other devices may fail only commands whose memory was on it.
#pragma once

#include "tests/sycl/oracle_program.hpp"

namespace oracle {

bool with_faults();
/// The devices that PRISM_DEVICE_SELECTOR selects.
const world& the_world();

struct outcome {
  std::string wrong;                      // empty if all is right
  std::size_t failures = 0, refusals = 0; // errors that queues' handlers received; errors that calls threw
  std::size_t compared = 0,
              unknown =
                  0; // compared and unknown memories at the end; a failed command had written the latter
  bool lost = false;
};
/// Runs the programs concurrently, each on a thread and on memory of its own. With faults each also has its
/// own queues, with at most `batch` commands in flight.
outcome run_beside(const std::vector<std::vector<op>>& programs, std::size_t batch);

} // namespace oracle
