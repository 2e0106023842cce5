// The skip of tests that need shared memory, by the name of the device that lacks it.
#pragma once

#include "tests/sycl/common.hpp"

#include <string>

/// The name of the queue's device. No template, so that typed tests call it without `template`.
inline std::string device_name(const sycl::queue& queue) {
  return queue.get_device().get_info<sycl::info::device::name>();
}

/// Skips the test on a device without shared memory, which the other tests try over buffers.
#define REQUIRE_SHARED_MEMORY(queue)                                                                         \
  if (!(queue).get_device().has(sycl::aspect::usm_shared_allocations))                                       \
  GTEST_SKIP() << device_name(queue) << " has no shared memory"
