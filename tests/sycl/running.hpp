// Counts how many work-items run at the same time.
#pragma once

#include <sycl/sycl.hpp>

namespace prism_test {

/// For kernels. counters: how many run now, and the most that ran together; both begin with 0.
inline void count_running(int* counters) {
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> running(counters[0]),
      most(counters[1]);
  most.fetch_max(++running);
  volatile int rounds = 0;
  while (rounds < 20000) rounds = rounds + 1;
  --running;
}

} // namespace prism_test
