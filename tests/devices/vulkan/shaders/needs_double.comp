#version 460
#extension GL_GOOGLE_include_directive : require
#include "convention.glsl"
layout(buffer_reference, std430, buffer_reference_align = 8) buffer doubles { double at[]; };
void main() { doubles(push.arguments).at[global_id().x] *= 2.0lf; }
