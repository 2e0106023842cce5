#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) buffer captured { uvec2 data; uint n, rounds; };
// Takes time that grows with `rounds`, then adds one to every word.
void main() {
  captured c = captured(push.arguments);
  const uint i = global_id().x;
  if (i >= c.n) return;
  uint state = i;
  for (uint r = 0; r < c.rounds; ++r) state = state * 1664525u + 1013904223u;
  words(c.data).at[i] += state == 0x12345678u && c.rounds == 0xffffffffu ? 2u : 1u;
}
