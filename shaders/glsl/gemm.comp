// C = A B for row-major n x n floats, n a multiple of 16: 16 x 16 tiles in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats a, b, c; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
const uint tile = 16;
shared float ta[tile][tile], tb[tile][tile];

void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, n = args.n;
  const uint column = gl_WorkGroupID.x * tile + x, row = gl_WorkGroupID.y * tile + y;
  floats a = args.a, b = args.b; // read once: a driver would reload them in the loop, since the loop writes memory
  float sum = 0.0;
  for (uint k = 0; k < n; k += tile) {
    ta[y][x] = a.at[row * n + k + x];
    tb[y][x] = b.at[(k + y) * n + column];
    barrier();
    for (uint i = 0; i < tile; ++i) sum += ta[y][i] * tb[i][x];
    barrier();
  }
  args.c.at[row * n + column] = sum;
}
