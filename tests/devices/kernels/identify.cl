// words[linear global id] = linear group id * 4096 + linear local id + bias: every item of any nd_range once.
// Arguments through a pointer.
__kernel void identify(__global const uchar* b, __global uchar* s0, ulong o0) {
  __global uint* words = (__global uint*)(s0 + o0);
  uint bias = ((__global const uint*)b)[2];
  uint linear_group = (uint)(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)));
  uint linear_local = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  words[linear_group * items + linear_local] = linear_group * 4096 + linear_local + bias;
}
