// Kernels that once went wrong, found by random_kernels and reduced; the names say what was wrong.
#include "tests/random/harness.hpp"

using namespace prism_random;
namespace {

/// A case as a function of a work-item's number, launched over all items and called as plain code.
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

/// One load for both places is a load through a pointer to global or private memory; stores and a loop alike.
PRISM_RANDOM_CASE(one_access_to_global_or_private_memory) {
  u32 array[8] = {in[gid & 63], 1, gid, 7, 6, 5, 4, 3};
  array[in[(gid + 1) & 63] & 7] += gid;
  u64 h = (gid & 1) ? in[gid & 63] : array[in[gid & 63] & 7];
  for (u32 k = 0; k < 8; ++k)
    h = mix(h, (in[k] >> (gid & 7) & 1) ? in[(k + gid) & 63] : array[(k + in[gid & 63]) & 7]);
  return h;
}

/// Mesa 22.3 turned 1.5f beside a converted 16-bit integer into 15872.0f, the bits of a half.
PRISM_RANDOM_CASE(narrow_integer_as_float_or_constant) {
  u64 other = 0;
  f32 chosen = 1.5f;
  if (in[gid & 63] & 1) {
    chosen = f32(static_cast<i16>(in[gid & 15]));
    if (in[gid & 31] & 1) other = in[(gid + 1) & 63];
  }
  return mix(other, chosen);
}

/// And narrowed 300 to 8 bits.
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

} // namespace

int main() {
  return compare_all({
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
