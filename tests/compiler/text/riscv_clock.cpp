// On RISC-V the cycle counter differs between cores; all of them share the one that counts time.
// FLAGS: --target=riscv64-linux-gnu -ffreestanding -nostdinc++ -I{root}/tests/compiler/freestanding
#include "tests/compiler/text/kernel.hpp"

void measure(std::uint64_t* times) {
  submit<class measured>([=] { times[id()] = __prism_clock(3); });
}
// HOST: asm sideeffect "rdtime $0"
// HOST-NOT: readcyclecounter
