#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) buffer captured { uvec2 x, y; float a; uint n; };
void main() {
  captured c = captured(push.arguments);
  const uint i = global_id().x;
  if (i < c.n) floats(c.y).at[i] = c.a * floats(c.x).at[i] + floats(c.y).at[i];
}
