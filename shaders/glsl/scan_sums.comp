// Each work-group of 256 adds up its chunk of x into sums[group].
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats x, sums; uint chunk; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
shared float parts[256];

void main() {
  const uint l = gl_LocalInvocationID.x, chunk = args.chunk, begin = gl_WorkGroupID.x * chunk;
  floats x = args.x;
  float sum = 0.0;
  for (uint i = l; i < chunk; i += 256) sum += x.at[begin + i];
  parts[l] = sum;
  barrier();
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) parts[l] += parts[l + half_size];
    barrier();
  }
  if (l == 0) args.sums.at[gl_WorkGroupID.x] = parts[0];
}
