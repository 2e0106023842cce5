// y = a x + y over n floats, one for each work-item.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats x, y; float a; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };

void main() {
  const uint i = gl_GlobalInvocationID.x + group_base[0] * gl_WorkGroupSize.x;
  if (i < args.n) args.y.at[i] = args.a * args.x.at[i] + args.y.at[i];
}
