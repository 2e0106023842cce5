// On ARM a kernel that benefits from wider vectors has a copy for scalable vectors, which runs if the
// processor has them. The baseline of AArch64 fuses a product and a sum itself.
// FLAGS: --target=aarch64-linux-gnu -ffreestanding -nostdinc++ -I{root}/tests/compiler/freestanding
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, unsigned count) {
  submit<class smoothed>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const std::size_t l = __prism_local_id(0);
    parts[l] = x[id()];
    __prism_barrier(1);
    float sum = 0;
    for (unsigned i = 0; i < count; ++i) sum += parts[i & 63] * parts[l];
    if (l % 3 != 0) out[id()] = sum;
  });
}
// HOST: load i32, ptr @__prism_host_isa
// HOST: icmp sgt i32 {{%[0-9]+}}, 0
// HOST: define internal void @{{[^\n]*}}.sve
// HOST: <vscale x 4 x float> @llvm.fmuladd
// HOST: vscale_range(1,16) {{[^\n]*}}"target-features"="{{[^"]*}}+sve"
// HOST-NOT: x86-64
