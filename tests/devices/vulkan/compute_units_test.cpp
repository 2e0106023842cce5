// The number of compute units by the extension that has it. No driver of these tests has one of them.
#include "devices/vulkan/compute_units.hpp"

#include <gtest/gtest.h>

using namespace prism::devices::vulkan;

namespace {

TEST(compute_units, are_one_if_the_driver_does_not_say) { EXPECT_EQ(compute_units_of({}), 1u); }

TEST(compute_units, are_the_multiprocessors_of_nvidia_and_the_cores_of_arm) {
  unit_properties h200, mali;
  h200.nvidia.shaderSMCount = 132;
  mali.arm.shaderCoreCount = 10;
  EXPECT_EQ(compute_units_of(h200), 132u);
  EXPECT_EQ(compute_units_of(mali), 10u);
}

TEST(compute_units, of_amd_are_those_that_are_active) {
  unit_properties all;
  all.amd.shaderEngineCount = 4;
  all.amd.shaderArraysPerEngineCount = 2;
  all.amd.computeUnitsPerShaderArray = 10;
  EXPECT_EQ(compute_units_of(all), 80u);
  all.active_amd.activeComputeUnitCount = 72;
  EXPECT_EQ(compute_units_of(all), 72u);
}

} // namespace
