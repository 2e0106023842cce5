// A scan in local memory with unsigned indices, as CUDA programs write it. The sums may wrap in 32 bits, but
// all loops over work-items are marked as parallel, and the copies for AVX-512 use the widest vectors. The
// test whether a work-item adds is done in 32 bits, although its id has 64. The OpenCL C for CPU drivers also
// states that the sums do not wrap: they are extended in front of the loop. Its loops are not do-while loops,
// whose accesses clang does not mark.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, unsigned size) {
  submit<class scan>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const unsigned l = unsigned(__prism_local_id(0));
    unsigned from = 0;
    parts[l] = x[id()];
    __prism_barrier(1);
    for (unsigned apart = 1; apart < size; apart *= 2) {
      const float here = parts[from + l];
      parts[(size - from) + l] = l >= apart ? here + parts[from + l - apart] : here;
      from = size - from;
      __prism_barrier(1);
    }
    out[id()] = parts[from + l];
  });
}
// OPENCL: uint lx, uint ly
// OPENCL: (ulong)(long)(int)v{{[0-9]+;\n(?:  v[^\n]*;\n)*(?:b[0-9]+:;\n)?}}#pragma clang loop vectorize(assume_safety){{\n}}  for (bool again = true; again;) {
// OPENCL-NOT: {{\n  \} while \(v}}
// GROUP: define void @prism.group.
// GROUP: sext i32
// GROUP-NOT: store float {{[^\n]*!tbaa ![0-9]+\n}}
// REMARKS: vectorized loop (vectorization width: 16
// HOST: define internal void @prism.group.{{[^\n]*}}.v4
// HOST: icmp {{[^\n]*}} <16 x i32>
// HOST-NOT: icmp {{[^\n]*}} <16 x i64>
