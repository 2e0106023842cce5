// Prefix sums: each work-group of 256 scans its chunk of x from the sums of the chunks before (Hillis and Steele, 1986).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { floats x, sums, result; uint chunk; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
shared float parts[512];

void main() {
  const uint l = gl_LocalInvocationID.x, chunk = args.chunk, begin = gl_WorkGroupID.x * chunk;
  floats x = args.x, sums = args.sums, result = args.result; // read once: a driver would reload them in the loop
  float before = 0.0;
  for (uint i = 0; i < gl_WorkGroupID.x; ++i) before += sums.at[i];
  for (uint i = 0; i < chunk; i += 256) {
    uint from = 0;
    parts[l] = x.at[begin + i + l];
    barrier();
    for (uint apart = 1; apart < 256; apart *= 2) {
      float here = parts[from + l];
      if (l >= apart) here += parts[from + l - apart];
      parts[(256 - from) + l] = here;
      from = 256 - from;
      barrier();
    }
    result.at[begin + i + l] = before + parts[from + l];
    before += parts[from + 255];
    barrier();
  }
}
