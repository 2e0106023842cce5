// A kernel of more than 48 loops over work-items: on the host each is a function of its own
// (compiler/host/separate_regions.hpp). Drivers take many seconds to build it, so it runs on the host only.
#include "tests/random/harness.hpp"

#include <utility>

using namespace prism_random;
namespace {

/// More than 48 regions between barriers: each is a function of its own for the host. Values, private arrays
/// and the results of group functions pass from one to the next.
constexpr u32 regions_group = 16;
struct region_values {
  u32 x, own[4];
};
template <class Local>
void before_region(Local& local, u32 lid, region_values& mine, u32 k) {
  local[lid] = mine.x * (2 * k + 1) + mine.own[(mine.x >> k) & 3];
}
template <class Local, class In>
void after_region(Local& local, const In& in, u32 lid, region_values& mine, u32 k) {
  u32 swapped[4] = {mine.own[1], mine.own[0], mine.x, k};
  mine.own[k & 3] ^= local[(lid + k) % regions_group];
  if (in[k & 63] & 1) mine.x += swapped[mine.own[k & 3] & 3];
}
void after_sum(region_values& mine, u32 sum, u32 k) {
  mine.x ^= sum + k;
  if (sum & 1) mine.own[3] += mine.x;
}
template <u32... K>
void many_regions(const sycl::nd_item<1>& it, const sycl::local_accessor<u32>& local,
                  const sycl::accessor<u32, 1, sycl::access_mode::read>& in, u32 lid, region_values& mine,
                  std::integer_sequence<u32, K...>) {
  const auto one = [&](u32 k) {
    before_region(local, lid, mine, k);
    sycl::group_barrier(it.get_group());
    after_region(local, in, lid, mine, k);
    sycl::group_barrier(it.get_group());
    after_sum(mine, sycl::reduce_over_group(it.get_group(), mine.x, sycl::plus<u32>()), k);
  };
  (one(K), ...);
}
constexpr u32 region_steps = 14; // of four loops over work-items each
void device_many_regions_between_barriers(sycl::queue& q, data& d) {
  buffers b(d);
  q.submit([&](sycl::handler& h) {
    sycl::accessor in(b.in, h, sycl::read_only);
    sycl::accessor words(b.words, h, sycl::write_only);
    sycl::local_accessor<u32> local(sycl::range<1>(regions_group), h);
    h.parallel_for(sycl::nd_range<1>(item_count, regions_group), [=](sycl::nd_item<1> it) {
      const u32 gid = static_cast<u32>(it.get_global_id(0)), lid = static_cast<u32>(it.get_local_id(0));
      region_values mine{gid + in[lid], {gid, 1, in[gid & 63], 3}};
      many_regions(it, local, in, lid, mine, std::make_integer_sequence<u32, region_steps>());
      words[gid] = mix(mine.x, mine.own[mine.x & 3]);
    });
  });
}
void plain_many_regions_between_barriers(data& d) {
  for (u32 group = 0; group < item_count; group += regions_group) {
    u32 local[regions_group];
    region_values all[regions_group];
    for (u32 lid = 0; lid < regions_group; ++lid)
      all[lid] = {group + lid + d.in[lid], {group + lid, 1, d.in[(group + lid) & 63], 3}};
    for (u32 k = 0; k < region_steps; ++k) {
      u32 sum = 0;
      for (u32 lid = 0; lid < regions_group; ++lid) before_region(local, lid, all[lid], k);
      for (u32 lid = 0; lid < regions_group; ++lid) after_region(local, d.in, lid, all[lid], k);
      for (const region_values& each : all) sum += each.x;
      for (region_values& each : all) after_sum(each, sum, k);
    }
    for (u32 lid = 0; lid < regions_group; ++lid)
      d.words[group + lid] = mix(all[lid].x, all[lid].own[all[lid].x & 3]);
  }
}

} // namespace

int main() {
  return compare_all({{"many_regions_between_barriers", 7, device_many_regions_between_barriers,
                       plain_many_regions_between_barriers}});
}
