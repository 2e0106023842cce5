// A kernel that reads clocks before and behind a loop; a work-group's clock is the device's.
#include "tests/compiler/text/kernel.hpp"

void measure(std::uint64_t* times, float* values, int steps) {
  submit<class measured>([=] {
    const std::uint64_t begin = __prism_clock(1);
    for (int k = 0; k < steps; ++k) values[id()] = values[id()] * 0.5f + 1.0f;
    times[id()] = __prism_clock(2) - begin;
  });
}
// OPENCL: = clock_read_sub_group();
// OPENCL: = clock_read_device();
// SPIRV: OpCapability ShaderClockKHR
// SPIRV: OpExtension "SPV_KHR_shader_clock"
// SPIRV: OpReadClockKHR %ulong %uint_3
// SPIRV: OpReadClockKHR %ulong %uint_1
// HOST: @llvm.readcyclecounter()
// HOST-NOT: readsteadycounter
