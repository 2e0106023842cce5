// Each group of one dimension reverses `stride` words of local memory per item into words: needs arena and barrier.
typedef struct { ulong w[2]; } block;
__kernel void reverse(block b, __local ulong16* local_arena, __global uchar* s0, ulong o0) {
  __global uint* words = (__global uint*)(s0 + o0);
  __local uint* arena = (__local uint*)local_arena;
  uint group = (uint)get_group_id(0), local_id = (uint)get_local_id(0), size = (uint)get_local_size(0);
  uint total = size * (uint)b.w[1];
  for (uint i = local_id; i < total; i += size)
    arena[i] = group * total + i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = local_id; i < total; i += size)
    words[group * total + i] = arena[total - 1 - i];
}
