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

} // namespace

int main() {
  return compare_all({
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
