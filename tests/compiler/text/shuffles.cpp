// Shuffles in a line: a work-item stores what it gives to the next shuffle where it leaves the code before, in another
// array than it reads. So each shuffle has one loop over work-items, and three have four with the code before them.
#include "tests/compiler/text/kernel.hpp"

void run(std::uint32_t* y) {
  submit<class line>([=] {
    __prism_dimensions(1);
    const std::uint32_t lane = __prism_sub_group_local_id();
    std::uint32_t value = y[id()];
    value += __prism_sub_group_shuffle_i32(value, lane ^ 1);
    value += __prism_sub_group_shuffle_i32(value, lane ^ 2);
    value += __prism_sub_group_shuffle_i32(value, lane ^ 4);
    y[id()] = value;
  });
}
// GROUP: !llvm.loop{{[\s\S]*}}!llvm.loop{{[\s\S]*}}!llvm.loop{{[\s\S]*}}!llvm.loop
// GROUP-NOT: br {{[^\n]*}}!llvm.loop{{[\s\S]*}}br {{[^\n]*}}!llvm.loop{{[\s\S]*}}br {{[^\n]*}}!llvm.loop{{[\s\S]*}}br {{[^\n]*}}!llvm.loop{{[\s\S]*}}br {{[^\n]*}}!llvm.loop
