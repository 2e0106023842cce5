// For the tests of prism++ --stdpar.
#pragma once

#include "tests/sycl/common.hpp"

#include <map>
#include <string>

/// How often PRISM's overload of each algorithm has checked the memory of an iterator since the test began.
/// The standard library's own overload would compute the same on the host's threads.
std::map<std::string, int>& checked_iterators();

/// Skips, by name, the tests on a device that shares no memory with the host, after it has refused them.
class on_shared_memory : public testing::Test {
protected:
  void SetUp() override {
    checked_iterators().clear();
    const sycl::device device = sycl::queue().get_device();
    if (device.has(sycl::aspect::usm_shared_allocations)) return;
    EXPECT_EQ(prism_test::error_of([] { prism::stdpar::queue(); }), sycl::errc::feature_not_supported);
    GTEST_SKIP() << device.get_info<sycl::info::device::name>() << " has no shared USM";
  }
};
