#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
shared uint arena[arena_elements];
layout(buffer_reference, std430, buffer_reference_align = 16) buffer captured { uvec2 data; };
// Reverses each work-group's words through local memory.
void main() {
  words data = words(captured(push.arguments).data);
  const uint local = gl_LocalInvocationID.x, size = gl_WorkGroupSize.x;
  arena[local] = data.at[global_id().x];
  barrier();
  data.at[global_id().x] = arena[size - 1 - local];
}
