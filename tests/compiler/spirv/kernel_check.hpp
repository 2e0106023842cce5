// Functions that the emitter's tests share: from LLVM text to a run on the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/opencl/emit.hpp"
#include "compiler/spirv/emit.hpp"
#include "vulkan_runner.hpp"

namespace prism::test {

/// Emits the function `k` of an LLVM text in the contract's form, after the given LLVM passes
/// ("sroa,instcombine"). `float_adds`: of emit_spirv.
compiler::spirv_result emit_text(const std::string& llvm_text, const std::string& passes = "",
                                 bool float_adds = false);

/// The OpenCL C text of such a function.
compiler::opencl_result emit_opencl_text(const std::string& llvm_text);

/// The runner that all tests of the process share; null if there is no device.
vulkan_runner* shared_runner();
const std::string& why_no_runner();
/// Of kernels from emit_text: 1 if PRISM_TEST_LACKS names sub_groups, else the runner's.
std::uint32_t sub_group_size();

} // namespace prism::test
