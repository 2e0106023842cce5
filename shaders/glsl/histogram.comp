// Counts n floats in [-0.5, 0.5) into 256 bins: each work-group of 256 counts its grid-stride share into counts[group].
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats x, counts; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
shared uint mine[256];

void main() {
  const uint l = gl_LocalInvocationID.x, stride = group_count[0] * 256, n = args.n;
  floats x = args.x; // read once: a driver would reload it in the loop, since the loop writes memory
  mine[l] = 0;
  barrier();
  for (uint i = gl_GlobalInvocationID.x; i < n; i += stride) atomicAdd(mine[min(uint((x.at[i] + 0.5) * 256.0), 255u)], 1);
  barrier();
  args.counts.at[gl_WorkGroupID.x * 256 + l] = float(mine[l]);
}
