// Reports of other devices: what their lines change in the description of a device.
#include "devices/vulkan/device_report.hpp"

#include <gtest/gtest.h>

namespace {

using prism::devices::vulkan::apply_report;
using prism::devices::vulkan::physical;

TEST(device_report, only_takes_features_away) {
  physical device;
  device.features.root.features.shaderInt64 = VK_TRUE;
  EXPECT_EQ(apply_report("shaderInt64: false  # as on a phone\nshaderFloat64: true\n", device), "");
  EXPECT_FALSE(device.features.root.features.shaderInt64);
  EXPECT_FALSE(device.features.root.features.shaderFloat64) << "the device itself has none";
}

TEST(device_report, chooses_between_descriptors_and_addresses) {
  physical device;
  EXPECT_EQ(apply_report("argumentBuffers: true", device), "");
  EXPECT_TRUE(device.argument_buffers);
  EXPECT_EQ(apply_report("argumentBuffers: false", device), "");
  EXPECT_FALSE(device.argument_buffers);
}

TEST(device_report, only_lowers_limits) {
  physical device;
  device.properties.limits.maxComputeSharedMemorySize = 32768;
  EXPECT_EQ(apply_report("maxComputeSharedMemorySize: 65536", device), "");
  EXPECT_EQ(device.properties.limits.maxComputeSharedMemorySize, 32768u);
  EXPECT_EQ(apply_report("maxComputeSharedMemorySize: 16384", device), "");
  EXPECT_EQ(device.properties.limits.maxComputeSharedMemorySize, 16384u);
}

TEST(device_report, is_refused_with_the_line_that_is_wrong) {
  physical device;
  EXPECT_EQ(apply_report("shaderInt64 false", device), "has a line without a colon: shaderInt64 false");
  EXPECT_EQ(apply_report("shaderInt64: no", device), "has shaderInt64: no, not true or false");
  EXPECT_EQ(apply_report("maxPushConstantsSize: many", device),
            "has maxPushConstantsSize: many, not a number");
  EXPECT_EQ(apply_report("shaderInt65: 1", device), "names shaderInt65, which PRISM does not know");
}

} // namespace
