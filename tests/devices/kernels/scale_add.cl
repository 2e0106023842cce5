// words[i] = words[i] * factor + i for i < count; one dimension. Arguments by value.
typedef struct { ulong w[2]; } block;
__kernel void scale_add(block b, __global uchar* s0, ulong o0) {
  __global uint* words = (__global uint*)(s0 + o0);
  uint factor = (uint)b.w[1], count = (uint)(b.w[1] >> 32);
  uint i = (uint)(get_group_id(0) * get_local_size(0) + get_local_id(0));
  if (i < count)
    words[i] = words[i] * factor + i;
}
