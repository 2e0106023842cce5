// Kernels that failed in the past, found by random_kernels and then reduced. Their names describe the fault.
#include "tests/random/harness.hpp"

#include <algorithm>

using namespace prism_random;
namespace {

/// A case as a function of a work-item's id, launched over all items and called as plain code.
#define PRISM_RANDOM_CASE(name)                                                                              \
  template <class In>                                                                                        \
  u64 name(const In& in, u32 gid);                                                                           \
  void device_##name(sycl::queue& q, data& d) {                                                              \
    buffers b(d);                                                                                            \
    q.submit([&](sycl::handler& h) {                                                                         \
      sycl::accessor in(b.in, h, sycl::read_only);                                                           \
      sycl::accessor words(b.words, h, sycl::write_only);                                                    \
      h.parallel_for(sycl::range<1>(item_count),                                                             \
                     [=](sycl::id<1> i) { words[i] = name(in, static_cast<u32>(i[0])); });                   \
    });                                                                                                      \
  }                                                                                                          \
  void plain_##name(data& d) {                                                                               \
    for (u32 gid = 0; gid < item_count; ++gid) d.words[gid] = name(d.in, gid);                               \
  }                                                                                                          \
  template <class In>                                                                                        \
  u64 name([[maybe_unused]] const In& in, [[maybe_unused]] u32 gid)

/// A product in one statement and a sum in the next are never one fused operation.
PRISM_RANDOM_CASE(product_and_sum_are_not_contracted) {
  const f32 a = 1.0f + f32(in[gid & 63] & 4095) / 4096.0f, b = 1.0f + f32(gid) / 8192.0f;
  const f32 product = a * b;
  const f32 sum = product - 1.0f;
  return mix(gid, sum);
}

/// One load for both alternatives is a load through a pointer to global or private memory; also a store and a
/// loop.
PRISM_RANDOM_CASE(one_access_to_global_or_private_memory) {
  u32 array[8] = {in[gid & 63], 1, gid, 7, 6, 5, 4, 3};
  array[in[(gid + 1) & 63] & 7] += gid;
  u64 h = (gid & 1) ? in[gid & 63] : array[in[gid & 63] & 7];
  for (u32 k = 0; k < 8; ++k)
    h = mix(h, (in[k] >> (gid & 7) & 1) ? in[(k + gid) & 63] : array[(k + in[gid & 63]) & 7]);
  return h;
}

/// Mesa 22.3 turned 1.5f, as the alternative to a converted 16-bit integer, into 15872.0f, the bits of a
/// half.
PRISM_RANDOM_CASE(narrow_integer_as_float_or_constant) {
  u64 other = 0;
  f32 chosen = 1.5f;
  if (in[gid & 63] & 1) {
    chosen = f32(static_cast<i16>(in[gid & 15]));
    if (in[gid & 31] & 1) other = in[(gid + 1) & 63];
  }
  return mix(other, chosen);
}

/// Mesa 22.3 also narrowed 300 to 8 bits.
PRISM_RANDOM_CASE(narrow_integer_or_wider_constant) {
  i8 table[8];
  for (u32 k = 0; k < 8; ++k) table[k] = static_cast<i8>(in[k]);
  u64 other = 0;
  u32 chosen = 300;
  if (in[gid & 63] & 1) {
    chosen = static_cast<u32>(table[in[gid & 15] & 7]);
    if (in[gid & 31] & 1) other = in[(gid + 1) & 63];
  }
  return mix(other, chosen);
}

/// A range of five dimensions divided into tiles, as by Kokkos' MDRangePolicy: two dimensions share the id of
/// a block and of a thread, blocks take tiles at a fixed distance, and tiles exceed the range. LLVM makes
/// llvm.smin of the numbers of blocks, which the Vulkan target refused.
PRISM_RANDOM_CASE(tiles_of_a_range_of_five_dimensions) {
  constexpr i32 most = 3;
  const i32 tile[5] = {4, 2, 2, 1, 3};
  i32 upper[5], end[5], blocks[5];
  for (u32 d = 0; d < 5; ++d) {
    upper[d] = i32(in[d] % 7u) + 2;
    end[d] = (upper[d] + tile[d] - 1) / tile[d];
    blocks[d] = std::min(end[d], most);
  }
  const i32 x = i32(gid & 7), y = i32(gid >> 3 & 3), z = i32(gid >> 5) % blocks[4];
  const i32 thread[5] = {x % tile[0], x / tile[0], y % tile[2], y / tile[2] % tile[3], i32(gid % 3u)};
  const i32 first[5] = {y % blocks[0], y / blocks[0] % blocks[1], x % blocks[2], x / blocks[2] % blocks[3],
                        z};
  u64 h = gid;
  const auto at = [&](u32 d, i32 number) { return number * tile[d] + thread[d]; };
  for (i32 m = first[4]; m < end[4]; m += blocks[4])
    if (at(4, m) < upper[4] && thread[4] < tile[4])
      for (i32 l = first[3]; l < end[3]; l += blocks[3])
        if (at(3, l) < upper[3] && thread[3] < tile[3])
          for (i32 k = first[2]; k < end[2]; k += blocks[2])
            if (at(2, k) < upper[2] && thread[2] < tile[2])
              for (i32 j = first[1]; j < end[1]; j += blocks[1])
                if (at(1, j) < upper[1] && thread[1] < tile[1])
                  for (i32 i = first[0]; i < end[0]; i += blocks[0])
                    if (at(0, i) < upper[0])
                      h = mix(h, u64(at(0, i) + 10 * at(1, j) + 100 * at(2, k) + 1000 * at(3, l)) +
                                     u64(at(4, m)));
  return h;
}

/// Guards by the id in one branch of a condition, in front of a barrier: work-items of one group waited at
/// two copies of the barrier.
template <class Local, class In>
void before_barrier(Local& local, const In& in, u32 gid, u32 lid) {
  local[lid] = 0;
  if (in[gid & 63] & 1) local[lid] = in[lid];
  else if (gid < 93) local[lid] = lid * 3 + 1;
}
template <class Local, class In>
void before_next_barrier(Local& local, const In& in, u32 gid, u32 lid) {
  if (in[gid & 63] & 2) local[lid] += in[lid];
  else if (gid != 5) local[lid] += gid;
}
void device_guards_in_a_branch_before_barriers(sycl::queue& q, data& d) {
  buffers b(d);
  q.submit([&](sycl::handler& h) {
    sycl::accessor in(b.in, h, sycl::read_only);
    sycl::accessor words(b.words, h, sycl::write_only);
    sycl::local_accessor<u32> local(sycl::range<1>(16), h);
    h.parallel_for(sycl::nd_range<1>(item_count, 16), [=](sycl::nd_item<1> it) {
      const u32 gid = static_cast<u32>(it.get_global_id(0)), lid = static_cast<u32>(it.get_local_id(0));
      before_barrier(local, in, gid, lid);
      sycl::group_barrier(it.get_group());
      const u32 other = local[15 - lid];
      sycl::group_barrier(it.get_group());
      before_next_barrier(local, in, gid, lid);
      sycl::group_barrier(it.get_group());
      words[gid] = mix(other, local[15 - lid]);
    });
  });
}
void plain_guards_in_a_branch_before_barriers(data& d) {
  for (u32 group = 0; group < item_count; group += 16) {
    u32 first[16], next[16];
    for (u32 lid = 0; lid < 16; ++lid) before_barrier(first, d.in, group + lid, lid);
    std::copy(first, first + 16, next);
    for (u32 lid = 0; lid < 16; ++lid) before_next_barrier(next, d.in, group + lid, lid);
    for (u32 lid = 0; lid < 16; ++lid) d.words[group + lid] = mix(first[15 - lid], next[15 - lid]);
  }
}

/// The compiler computes the last number after the loop, from the counter of the last iteration. llvmpipe
/// gave work-items that left early the counter of their next one (compiler/device_ir/loop_results.hpp).
template <class In, class Shorts>
u32 last_of_the_loop(const In& in, Shorts& shorts, u32 begin, u64 step) {
  u32 last = 0;
  for (u32 k = begin; k < item_count - 3; k += step) {
    shorts[k] = static_cast<i16>(shorts[k] * 3 + 1);
    last = in[k & 63];
  }
  return last;
}
void device_counter_of_the_last_iteration(sycl::queue& q, data& d) {
  buffers b(d);
  q.submit([&](sycl::handler& h) {
    sycl::accessor in(b.in, h, sycl::read_only);
    sycl::accessor words(b.words, h, sycl::read_write);
    sycl::accessor shorts(b.shorts, h, sycl::read_write);
    h.parallel_for(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
      const u32 lid = static_cast<u32>(it.get_local_id(0));
      words[lid] = last_of_the_loop(in, shorts, lid, it.get_local_range(0));
    });
  });
}
void plain_counter_of_the_last_iteration(data& d) {
  for (u32 lid = 0; lid < 20; ++lid) d.words[lid] = last_of_the_loop(d.in, d.shorts, lid, 20);
}

} // namespace

int main() {
  return compare_all({
      {"counter_of_the_last_iteration", 7, device_counter_of_the_last_iteration,
       plain_counter_of_the_last_iteration},
      {"guards_in_a_branch_before_barriers", 6, device_guards_in_a_branch_before_barriers,
       plain_guards_in_a_branch_before_barriers},
      {"tiles_of_a_range_of_five_dimensions", 5, device_tiles_of_a_range_of_five_dimensions,
       plain_tiles_of_a_range_of_five_dimensions},
      {"narrow_integer_as_float_or_constant", 3, device_narrow_integer_as_float_or_constant,
       plain_narrow_integer_as_float_or_constant},
      {"narrow_integer_or_wider_constant", 4, device_narrow_integer_or_wider_constant,
       plain_narrow_integer_or_wider_constant},
      {"one_access_to_global_or_private_memory", 2, device_one_access_to_global_or_private_memory,
       plain_one_access_to_global_or_private_memory},
      {"product_and_sum_are_not_contracted", 1, device_product_and_sum_are_not_contracted,
       plain_product_and_sum_are_not_contracted},
  });
}
