#version 450
// The colour of a point of the field: red where it is positive, blue where it is negative.
layout(std430, binding = 0) readonly buffer points { float field[]; };
layout(push_constant) uniform constants { uint width; };
layout(location = 0) out vec4 colour;
void main() {
  const float value = field[uint(gl_FragCoord.y) * width + uint(gl_FragCoord.x)];
  colour = vec4(max(value, 0.0), value * value, max(-value, 0.0), 1.0);
}
