// words[linear global id] = linear group id * 4096 + linear local id + bias: every item of any nd_range once.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer block { uvec2 out_address; uint bias, unused; };
layout(push_constant) uniform constants { uvec2 arguments; uint group_count[3]; uint group_base[3]; };
void main() {
  block b = block(arguments);
  uvec3 group = gl_WorkGroupID + uvec3(group_base[0], group_base[1], group_base[2]);
  uint linear_group = group.x + group_count[0] * (group.y + group_count[1] * group.z);
  uint linear_local = gl_LocalInvocationID.x + gl_WorkGroupSize.x * (gl_LocalInvocationID.y + gl_WorkGroupSize.y * gl_LocalInvocationID.z);
  uint items = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
  words(b.out_address).w[linear_group * items + linear_local] = linear_group * 4096 + linear_local + b.bias;
}
