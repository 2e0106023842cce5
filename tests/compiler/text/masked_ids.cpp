// The stages of a transform in local memory: a work-item finds its elements by masking its id with bits that
// are the same for all. If these bits leave long strips of adjacent work-items, and the group consists of
// whole strips, the loop over work-items is strip-mined. Its inner loop is then vectorised without gathers
// and scatters; a strip of four is one vector. Otherwise the original loop runs. Stores at distances that are
// only known at run time do not prevent that, because none is moved past another.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, const float* turns, unsigned size) {
  submit<class stages>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const unsigned l = unsigned(__prism_local_id(0));
    unsigned from = 0;
    parts[2 * l] = x[2 * id()];
    parts[2 * l + 1] = x[2 * id() + 1];
    __prism_barrier(1);
    for (unsigned m = 1; m < size; m *= 2) {
      const unsigned first = l & ~(m - 1), to = 2 * size - from + l + first;
      const float a = parts[2 * (from + l)], b = parts[2 * (from + l) + 1], turn = turns[first];
      parts[2 * to] = a + turn * b;
      parts[2 * to + 1] = a - turn * b;
      parts[2 * (to + m)] = a * b;
      parts[2 * (to + m) + 1] = a - b;
      from = 2 * size - from;
      __prism_barrier(1);
    }
    out[id()] = parts[2 * (from + l)];
  });
}
// OPENCL: uint lx, uint ly
// OPENCL: & 4294967288ul{{(?:(?!for \(bool)[\s\S])*}}#pragma clang loop vectorize(assume_safety){{\n}}  for (bool again = true; again;) {
// OPENCL: #pragma clang loop vectorize(assume_safety){{\n}}#pragma clang loop unroll(disable){{\n}}  for (bool again = true; again;) {
// OPENCL: < 3ul;
// OPENCL: {{;\n}}  for (bool again = true; again;) {
// GROUP: {{and i(32|64) [^\n]*, (-8|4294967288)\n}}
// REMARKS: vectorized loop (vectorization width: 4
// REMARKS: vectorized loop (vectorization width: 8
