// A processor whose clock PRISM does not know: the kernel has no work-group function, and the message names it.
// FLAGS: --target=loongarch64-linux-gnu -ffreestanding -nostdinc++ -I{root}/tests/compiler/freestanding
#include "tests/compiler/text/kernel.hpp"

void measure(std::uint64_t* times) {
  submit<class measured>([=] { times[id()] = __prism_clock(3); });
}
void add(std::uint64_t* numbers) {
  submit<class added>([=] { numbers[id()] += 1; });
}
// REMARKS: unknown_clock.cpp:6:46: warning: kernel 'measure{{.*}}' has no host image: it reads a clock (sycl_ext_oneapi_clock)
// REMARKS: none on loongarch64; the host device runs its work-items one by one
// REMARKS-NOT: kernel 'add
// HOST-NOT: rdtime
// HOST: @__prism_clock(i32
