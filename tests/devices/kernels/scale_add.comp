// words[i] = words[i] * factor + i for i < count; one dimension.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer block { uvec2 out_address; uint factor, count; };
layout(push_constant) uniform constants { uvec2 arguments; uint group_count[3]; uint group_base[3]; };
void main() {
  block b = block(arguments);
  uint i = (gl_WorkGroupID.x + group_base[0]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  words o = words(b.out_address);
  if (i < b.count)
    o.w[i] = o.w[i] * b.factor + i;
}
