// Alternating measurements: ours, theirs, ours, theirs, ..., so that a drift of the machine affects both
// sides alike.
//
// Two clocks for each run: wall time, and the processor time of the process (all threads), which a busy
// machine disturbs less. All drivers here compute on the processor; a separate device affects the wall clock
// only.
#pragma once

#include <functional>
#include <vector>

namespace bench {

/// Seconds. For a child process, the processor time of the child.
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

/// Wall and processor time of one call.
times timed(const std::function<void()>& work);
/// The time of one of the `calls` that `work` makes.
inline times timed_each(std::size_t calls, const std::function<void()>& work) {
  times spent = timed(work);
  spent.wall /= double(calls), spent.processor /= double(calls);
  return spent;
}
/// Processor time of the calling thread only, in both fields: the cost of a submission for its thread.
times thread_timed(const std::function<void()>& work);

/// Waits, for half a second at most, until no thread of this process runs. The threads of some libraries
/// wait actively after a call, OpenBLAS's for up to a tenth of a second and OpenMP's for some milliseconds:
/// on the processors that the other side needs next.
void until_idle();

/// `rounds` pairs after one unmeasured pair; each run begins when the process is idle.
series alternate(int rounds, const std::function<times()>& ours, const std::function<times()>& theirs);

} // namespace bench
