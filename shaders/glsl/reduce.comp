// Partial sums: each work-group of 256 adds its grid-stride share of n floats into partial[group].
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats x, partial; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
shared float sums[256];

void main() {
  const uint l = gl_LocalInvocationID.x, stride = group_count[0] * 256, n = args.n;
  floats x = args.x; // read once: a driver would reload it in the loop, since the loop writes memory
  float sum = 0.0;
  for (uint i = gl_GlobalInvocationID.x; i < n; i += stride) sum += x.at[i];
  sums[l] = sum;
  barrier();
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) sums[l] += sums[l + half_size];
    barrier();
  }
  if (l == 0) args.partial.at[gl_WorkGroupID.x] = sums[0];
}
