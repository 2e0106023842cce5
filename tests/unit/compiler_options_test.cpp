#include "devices/opencl/compiler_options.hpp"

#include <gtest/gtest.h>

namespace {

using prism::devices::opencl::options_of_compiler;

TEST(compiler_options, leave_out_two_passes_of_intels_driver_for_processors) {
  const auto options = options_of_compiler("Intel(R) OpenCL", "2026.22.10.0.01_160000");
  ASSERT_TRUE(options);
  EXPECT_STREQ(options->variable, "CL_CONFIG_LLVM_OPTIONS");
  EXPECT_STREQ(options->value, "-opt-disable=sycl-kernel-reduce-cross-barrier-values,auto-vec-dir-insert "
                               "-opt-bisect-verbose=0");
}

TEST(compiler_options, are_not_given_to_versions_that_may_not_know_them) {
  EXPECT_FALSE(options_of_compiler("Intel(R) OpenCL", "2025.20.8.0.06_160000"));
  EXPECT_FALSE(options_of_compiler("Intel(R) OpenCL", "20260.1"));
  EXPECT_FALSE(options_of_compiler("Intel(R) OpenCL", ""));
}

TEST(compiler_options, are_not_given_to_other_drivers) {
  EXPECT_FALSE(options_of_compiler("Intel(R) OpenCL Graphics", "2026.22.10.0.01_160000"));
  EXPECT_FALSE(options_of_compiler("Portable Computing Language", "3.1+debian"));
}

} // namespace
