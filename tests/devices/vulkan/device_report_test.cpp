// Reports of other devices: what their lines change in the description of a device.
#include "devices/vulkan/device_report.hpp"

#include <gtest/gtest.h>

namespace {

using prism::devices::matrix_component;
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

/// A device with all that kernels with matrix units need, and a product of bytes, one of bfloat16.
void give_matrix_units(physical& device) {
  auto& f = device.features;
  f.root.features.shaderInt64 = f.root.features.shaderInt16 = VK_TRUE;
  f.storage16.storageBuffer16BitAccess = f.storage8.storageBuffer8BitAccess = VK_TRUE;
  f.small.shaderInt8 = f.model.vulkanMemoryModel = f.address.bufferDeviceAddress = VK_TRUE;
  f.matrices.cooperativeMatrix = f.subgroup_size.computeFullSubgroups = VK_TRUE;
  f.bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
  device.sub_group_size = 32;
  device.sub_group_operations =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  using enum matrix_component;
  device.matrix_products = {{16, 16, 32, sint8, sint8, sint32, sint32},
                            {16, 16, 16, bfloat16, bfloat16, float32, float32}};
}

TEST(device_report, takes_products_of_bfloat16_or_all_products_away) {
  physical device;
  give_matrix_units(device);
  EXPECT_EQ(describe(device).matrix_products, device.matrix_products);
  EXPECT_EQ(apply_report("shaderBFloat16CooperativeMatrix: false", device), "");
  const auto left = describe(device).matrix_products;
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0], device.matrix_products[0]);
  EXPECT_EQ(apply_report("cooperativeMatrix: false", device), "");
  EXPECT_EQ(describe(device).matrix_products.size(), 0u);
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
