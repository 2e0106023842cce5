// The calling convention of devices/api/image.hpp, for shaders written by hand.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const uint arena_elements = 1;
layout(push_constant) uniform push_constants {
  uvec2 arguments;
  uint count_x, count_y, count_z;
  uint base_x, base_y, base_z;
} push;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer floats { float at[]; };
uvec3 group_id() { return gl_WorkGroupID + uvec3(push.base_x, push.base_y, push.base_z); }
uvec3 global_id() { return group_id() * gl_WorkGroupSize + gl_LocalInvocationID; }
