// Accelerations of n bodies (x, y, z, mass; 4 floats each) by direct summation; softening 1e-2.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer bodies { vec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer arguments { bodies position, acceleration; uint n; };
layout(push_constant, std430) uniform block { arguments args; uint group_count[3], group_base[3]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint n = args.n;
  if (i >= n) return;
  bodies position = args.position; // read once: a driver would reload it in the loop
  const vec3 here = position.at[i].xyz;
  vec3 sum = vec3(0.0);
  for (uint j = 0; j < n; ++j) {
    const vec4 other = position.at[j];
    const vec3 d = other.xyz - here;
    const float r2 = dot(d, d) + 1e-2;
    const float inverse = 1.0 / sqrt(r2);
    sum += d * (other.w * inverse * inverse * inverse);
  }
  args.acceleration.at[i] = vec4(sum, 0.0);
}
