// For the tests of prism++ --stdpar.
#pragma once

#include "tests/sycl/common.hpp"

/// Skips, by name, the tests on a device that shares no memory with the host, after it has refused them.
class on_shared_memory : public testing::Test {
protected:
  void SetUp() override {
    const sycl::device device = sycl::queue().get_device();
    if (device.has(sycl::aspect::usm_shared_allocations)) return;
    EXPECT_EQ(prism_test::error_of([] { prism::stdpar::queue(); }), sycl::errc::feature_not_supported);
    GTEST_SKIP() << device.get_info<sycl::info::device::name>() << " has no shared USM";
  }
};
