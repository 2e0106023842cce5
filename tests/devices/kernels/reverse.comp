// Each group of one dimension reverses `stride` words of local memory per item into words: needs arena and barrier.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const uint arena_elements = 1;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer block { uvec2 out_address; uint stride, unused; };
layout(push_constant) uniform constants { uvec2 arguments; uint group_count[3]; uint group_base[3]; };
shared uint arena[arena_elements];
void main() {
  block b = block(arguments);
  uint group = gl_WorkGroupID.x + group_base[0], local = gl_LocalInvocationID.x, total = gl_WorkGroupSize.x * b.stride;
  for (uint i = local; i < total; i += gl_WorkGroupSize.x)
    arena[i] = group * total + i;
  barrier();
  for (uint i = local; i < total; i += gl_WorkGroupSize.x)
    words(b.out_address).w[group * total + i] = arena[total - 1 - i];
}
