// Alternating measurements: ours, theirs, ours, theirs, ... so that a drift of the machine meets both alike.
//
// Two clocks a run: wall, and the processor time of the process (all threads), which a busy machine disturbs
// less. All drivers here compute on the processor; a device of its own shows in the wall clock only.
#pragma once

#include <functional>
#include <vector>

namespace bench {

/// Seconds. For a child process, processor time is the child's.
struct times {
  double wall = 0, processor = 0;
};

struct series {
  std::vector<times> ours, theirs;
};

/// Median and quartiles.
struct spread {
  double median = 0, low = 0, high = 0;
};
spread spread_of(std::vector<double> values);

/// Wall and process time of one call.
times timed(const std::function<void()>& work);
/// Processor time of the calling thread alone, in both fields: what a submission costs its thread.
times thread_timed(const std::function<void()>& work);

/// `rounds` pairs after one unmeasured pair.
series alternate(int rounds, const std::function<times()>& ours, const std::function<times()>& theirs);

} // namespace bench
