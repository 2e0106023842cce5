// Fourier transforms of 256 complex numbers, one for each work-group of 128, in shared memory: Stockham, radix 2.
// turns[i] = (cos, -sin) of i/256 of a turn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer pairs { vec2 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { pairs source, turns, result; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };
shared vec2 parts[512];

void main() {
  const uint t = gl_LocalInvocationID.x, begin = gl_WorkGroupID.x * 256;
  pairs source = args.source, turns = args.turns, result = args.result;
  parts[t] = source.at[begin + t];
  parts[t + 128] = source.at[begin + t + 128];
  barrier();
  uint from = 0;
  for (uint m = 1; m < 256; m *= 2) {
    const uint first = t & ~(m - 1), to = 256 - from + t + first;
    const vec2 a = parts[from + t], b = parts[from + t + 128], w = turns.at[first], d = a - b;
    parts[to] = a + b;
    parts[to + m] = vec2(w.x * d.x - w.y * d.y, w.x * d.y + w.y * d.x);
    from = 256 - from;
    barrier();
  }
  result.at[begin + t] = parts[from + t];
  result.at[begin + t + 128] = parts[from + t + 128];
}
