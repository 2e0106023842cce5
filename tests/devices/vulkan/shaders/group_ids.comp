#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) buffer captured { uvec2 data; };
// Each group writes its linear id plus one.
void main() {
  const uvec3 g = group_id();
  const uint linear = (g.z * push.count_y + g.y) * push.count_x + g.x;
  words(captured(push.arguments).data).at[linear] += linear + 1;
}
