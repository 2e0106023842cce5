// On AArch64 programs may not read the cycle counter, but the one that counts time.
// FLAGS: --target=aarch64-linux-gnu -ffreestanding -nostdinc++ -I{root}/tests/compiler/freestanding
#include "tests/compiler/text/kernel.hpp"

void measure(std::uint64_t* times) {
  submit<class measured>([=] { times[id()] = __prism_clock(3); });
}
// HOST: asm sideeffect "mrs $0, cntvct_el0"
// HOST-NOT: readcyclecounter
