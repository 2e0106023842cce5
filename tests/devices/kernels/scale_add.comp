// words[i] = words[i] * factor + i for i < count; one dimension.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer block { uvec2 out_address; uint factor, count; };
layout(push_constant) uniform constants {
  uvec2 arguments;
  uint group_count[3], group_base[3];
  uvec2 fault, window_base, window_bytes, window_delta;
};
layout(constant_id = 5) const bool has_window = false;
uvec2 sum(uvec2 a, uvec2 b) {
  uint carry, low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
uvec2 difference(uvec2 a, uvec2 b) {
  uint borrow, low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}
// The device's address for a host pointer into the window (devices/api/image.hpp, specialisation constant 5).
uvec2 translated(uvec2 address) {
  uvec2 at = difference(address, window_base);
  bool is_inside = at.y < window_bytes.y || (at.y == window_bytes.y && at.x < window_bytes.x);
  return has_window && is_inside ? sum(address, window_delta) : address;
}
void main() {
  block b = block(arguments);
  uint i = (gl_WorkGroupID.x + group_base[0]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  words o = words(translated(b.out_address));
  if (i < b.count)
    o.w[i] = o.w[i] * b.factor + i;
}
