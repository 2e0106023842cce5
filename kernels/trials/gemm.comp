// C = alpha A B + beta C for row-major floats of any size: each work-item computes 4 x 4 elements of C in
// registers, for k in [first, last) of the sum. With beta 0 it does not read C. `pitch`: floats in a row of A.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer arguments {
  floats a, b, c;
  uint m, n, pitch, first, last;
  float alpha, beta;
};
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };

vec4 columns_of(floats b, uint at, uint count) {
  return vec4(b.at[at], count > 1 ? b.at[at + 1] : 0.0, count > 2 ? b.at[at + 2] : 0.0, count > 3 ? b.at[at + 3] : 0.0);
}

void store(floats c, uint at, uint count, vec4 sum) {
  for (uint x = 0; x < count; ++x) c.at[at + x] = args.beta == 0.0 ? args.alpha * sum[x] : args.alpha * sum[x] + args.beta * c.at[at + x];
}

void main() {
  const uvec2 item = (gl_WorkGroupID.xy + uvec2(group_base[0], group_base[1])) * gl_WorkGroupSize.xy + gl_LocalInvocationID.xy;
  const uint column = item.x * 4, row = item.y * 4, m = args.m, n = args.n, pitch = args.pitch, last = args.last;
  if (row >= m || column >= n) return;
  floats a = args.a, b = args.b;
  const uint count = min(4, n - column), rows = min(4, m - row);
  const uint r0 = row * pitch, r1 = min(row + 1, m - 1) * pitch, r2 = min(row + 2, m - 1) * pitch, r3 = min(row + 3, m - 1) * pitch;
  vec4 s0 = vec4(0), s1 = vec4(0), s2 = vec4(0), s3 = vec4(0);
  for (uint k = args.first; k < last; ++k) {
    const vec4 right = columns_of(b, k * n + column, count);
    s0 += a.at[r0 + k] * right;
    s1 += a.at[r1 + k] * right;
    s2 += a.at[r2 + k] * right;
    s3 += a.at[r3 + k] * right;
  }
  store(args.c, row * n + column, count, s0);
  if (rows > 1) store(args.c, (row + 1) * n + column, count, s1);
  if (rows > 2) store(args.c, (row + 2) * n + column, count, s2);
  if (rows > 3) store(args.c, (row + 3) * n + column, count, s3);
}
