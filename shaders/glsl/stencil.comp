// The mean of the four neighbours in a field of n x n floats, one for each work-item; the border stays unchanged.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats source, result; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };

void main() {
  const uint j = gl_GlobalInvocationID.x, i = gl_GlobalInvocationID.y, n = args.n, here = i * n + j;
  floats source = args.source;
  float value = source.at[here];
  if (i != 0 && j != 0 && i != n - 1 && j != n - 1)
    value = 0.25 * (source.at[here - n] + source.at[here + n] + source.at[here - 1] + source.at[here + 1]);
  args.result.at[here] = value;
}
