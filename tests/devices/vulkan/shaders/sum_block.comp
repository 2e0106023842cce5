#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) buffer captured { uvec2 result; uint count, pad; uint values[]; };
// Sums the words that lie in the captured block itself. Few words a work-item: llvmpipe leaves every loop after 65,535
// iterations.
void main() {
  captured c = captured(push.arguments);
  const uint begin = global_id().x * 1024, end = min(begin + 1024, c.count);
  uint sum = 0;
  for (uint i = begin; i < end; ++i) sum += c.values[i];
  atomicAdd(words(c.result).at[0], sum);
}
