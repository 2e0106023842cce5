// A team of work-items times a vector of local_size(0), which is mostly 1: for groups of one column the host has
// a function whose innermost loop runs over the team, so that it becomes vectors.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, unsigned n) {
  submit<class team>([=] {
    __prism_dimensions(2);
    const auto rank = static_cast<unsigned>(__prism_local_id(1)), team = static_cast<unsigned>(__prism_local_size(1));
    const auto vector = static_cast<unsigned>(__prism_local_size(0));
    float sum = 0;
    for (unsigned i = rank * vector; i < n; i += team * vector) sum += x[i];
    for (unsigned shift = 1; shift * vector < __prism_sub_group_local_size(); shift <<= 1) {
      const unsigned lane = __prism_sub_group_local_id() + shift * vector;
      const unsigned word = __prism_sub_group_shuffle_i32(__builtin_bit_cast(unsigned, sum), lane);
      if (rank + shift < team) sum += __builtin_bit_cast(float, word);
    }
    out[__prism_group_id(1) * team + rank] = sum;
  });
}
// GROUP: define void @prism.group.{{\w*}}.column(
// GROUP: define void @prism.group.
// GROUP: call void @prism.group.{{\w*}}.column(
// REMARKS: vectorized loop
