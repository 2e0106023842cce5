// Sums by hand whose guards scale the id, `2 * s * lid < size`: the loop over work-items ends behind the last one
// that passes.
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x) {
  submit<class scaled_int>([=] {
    auto* sums = static_cast<float*>(__prism_local_arena());
    const int l = int(__prism_local_id(0)), size = int(__prism_local_size(0));
    sums[l] = x[id()];
    for (int s = 1; s < size; s *= 2) {
      __prism_barrier(1);
      if (2 * s * l < size) sums[2 * s * l] += sums[2 * s * l + s];
    }
    out[id()] = sums[0];
  });
  submit<class scaled_size>([=] {
    auto* sums = static_cast<float*>(__prism_local_arena());
    const std::size_t l = __prism_local_id(0), size = __prism_local_size(0);
    sums[l] = x[id()];
    for (std::size_t s = 1; s < size; s *= 2) {
      __prism_barrier(1);
      const std::size_t at = 2 * s * l;
      if (at < size) sums[at] += sums[at + s];
    }
    out[id()] = sums[0];
  });
}
// GROUP: @prism.group.prism_k0_{{\w*}}scaled_int(
// GROUP: icmp ugt i64 {{[^\n]*}}, 2147483647
// GROUP: icmp ugt i32 {{[^\n]*}}, 65535
// GROUP: {{(%\d+) = or i1 [^\n]*\n  %\d+ = and i1 [^\n]*\1\n  br i1}}
// GROUP: @prism.group.prism_k1_{{\w*}}scaled_size(
// GROUP: icmp ugt i64 {{[^\n]*}}, 2147483647
// GROUP: icmp ugt i64 {{[^\n]*}}, 65535
// GROUP: {{(%\d+) = or i1 [^\n]*\n  %\d+ = and i1 [^\n]*\1\n  br i1}}
