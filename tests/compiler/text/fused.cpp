// fma for devices that round it once: SPIR-V's own, in an image before the two that compute it in double and in integers.
#include "tests/compiler/text/kernel.hpp"

void run(float* y) {
  submit<class chain>([=] { y[id()] = __builtin_fmaf(y[id()], y[id()], -1.0f); });
}
// OPENCL: fma(
// SPIRV: OpExtInst %float {{%\d+}} Fma
// SPIRV: OpCapability Float64
// SPIRV-NOT: OpExtInst %float {{%\d+}} Fma {{[\s\S]*}}OpExtInst %float {{%\d+}} Fma
