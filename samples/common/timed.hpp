// What every job of the demo measures: the time of the first run, which includes the build, and the best of a
// few later ones.
#pragma once

#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>

namespace samples {

struct timing {
  double first_ms = 0;  // first run, with build and warm-up
  double kernel_ms = 0; // best of the later runs, submission to completion
};

/// Calls `launch` (which must return after the work is complete) once, then `runs` times.
template <typename Launch>
timing timed(int runs, Launch&& launch) {
  using clock = std::chrono::steady_clock;
  const auto once = [&] {
    const auto begin = clock::now();
    launch();
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  };
  timing t;
  t.first_ms = once();
  t.kernel_ms = t.first_ms;
  for (int i = 0; i < runs; ++i) t.kernel_ms = i ? std::min(t.kernel_ms, once()) : once();
  return t;
}

} // namespace samples
