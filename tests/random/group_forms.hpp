// Algorithms over a group of 16, on the states of its work-items and its local memory of 16 words; then the
// same as plain code.
#pragma once

#include "tests/random/harness.hpp"

#include <cstddef>
#include <vector>

namespace prism_random {

template <typename G, typename S, typename L>
inline void group_reduce(const G& g, S& s, L&, u32) {
  s.x0 = sycl::reduce_over_group(g, s.x0, sycl::plus<u32>());
}
template <typename G, typename S, typename L>
inline void group_least(const G& g, S& s, L&, u32 k) {
  s.x0 ^= sycl::reduce_over_group(g, s.x0 >> k, sycl::minimum<u32>());
}
template <typename G, typename S, typename L>
inline void group_inclusive(const G& g, S& s, L&, u32) {
  s.x0 = sycl::inclusive_scan_over_group(g, s.x0, sycl::plus<u32>());
}
template <typename G, typename S, typename L>
inline void group_exclusive(const G& g, S& s, L&, u32 k) {
  s.x0 += sycl::exclusive_scan_over_group(g, u64(s.x0) << k, sycl::bit_xor<u64>()) & 0xffffu;
}
template <typename G, typename S, typename L>
inline void group_any(const G& g, S& s, L&, u32 k) {
  s.x0 += sycl::any_of_group(g, (s.x0 & 7) == k) ? 3 : 5;
}
template <typename G, typename S, typename L>
inline void group_broadcast(const G& g, S& s, L&, u32 k) {
  s.x0 ^= sycl::group_broadcast(g, s.x0, k);
}
template <typename G, typename S, typename L>
inline void group_joint(const G& g, S& s, L& local, u32 k) {
  const u32* first = &local[0];
  s.x0 += sycl::joint_reduce(g, first, first + 16 - k, k, sycl::plus<u32>());
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_tile(const G& g, S& s, L& local, u32 k) {
  const std::size_t lid = g.get_local_id(0), size = g.get_local_range(0);
  for (std::size_t from = 0; from < 16 * (k & 3); from += size) {
    local[lid] = s.x0 + static_cast<u32>(from);
    sycl::group_barrier(g);
    for (std::size_t i = 0; i < size; ++i)
      if (i != lid + k) s.x0 = s.x0 * 3 + local[i];
    sycl::group_barrier(g);
  }
}
template <typename G, typename S, typename L>
inline void group_leader(const G& g, S& s, L& local, u32 k) {
  local[g.get_local_id(0)] = s.x0;
  sycl::group_barrier(g);
  if (g.get_local_id(0) == k) {
    u32 sum = 0;
    for (u32 i = 0; i < 16; ++i) sum = sum * 5 + local[i];
    local[0] = sum;
  }
  sycl::group_barrier(g);
  s.x0 ^= local[0];
  sycl::group_barrier(g);
}
/// Odd k: the elements of a level are at multiples of a step.
template <typename G, typename S, typename L>
inline void group_tree(const G& g, S& s, L& local, u32 k) {
  const std::size_t lid = g.get_local_id(0), size = g.get_local_range(0);
  local[lid] = s.x0;
  if (k % 2 == 0)
    for (std::size_t half = size / 2; half > 0; half /= 2) {
      sycl::group_barrier(g);
      if (lid < half) local[lid] += local[lid + half];
    }
  else
    for (u32 step = 1; step < size; step *= 2) {
      sycl::group_barrier(g);
      const u32 at = 2 * step * static_cast<u32>(lid);
      if (at < size) local[at] += local[at + step];
    }
  sycl::group_barrier(g);
  s.x0 ^= local[0];
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_steps(const G& g, S& s, L& local, u32) {
  const std::size_t lid = g.get_local_id(0);
  local[lid] = s.x0;
  for (std::size_t step = 1; step < g.get_local_range(0); step *= 2) {
    sycl::group_barrier(g);
    const u32 left = lid >= step ? local[lid - step] : 0;
    sycl::group_barrier(g);
    local[lid] += left;
  }
  sycl::group_barrier(g);
  s.x0 = lid > 0 ? local[lid - 1] : 0;
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_reverse(const G& g, S& s, L& local, u32 k) {
  const int lid = static_cast<int>(g.get_local_id(0));
  local[lid] = s.x0;
  sycl::group_barrier(g);
  s.x0 = local[15 - lid] + k;
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_votes(const G& g, S& s, L&, u32 k) {
  s.x0 += sycl::all_of_group(g, s.x0 % 9 != k) ? 3 : 5;
  s.x0 += sycl::none_of_group(g, s.x0 % 9 == k) ? 7 : 11;
}
template <typename G, typename S, typename L>
inline void group_alive(const G& g, S& s, L& local, u32 k) {
  const u32 lid = static_cast<u32>(g.get_local_id(0));
  u32 v[12];
  for (u32 i = 0; i < 12; ++i) v[i] = s.x0 * (i + 1) + k;
  for (u32 round = 0; round < 2; ++round) {
    local[lid] = v[round];
    sycl::group_barrier(g);
    for (u32 i = 0; i < 12; ++i) v[i] = v[i] * 3 + local[(lid + i + k) & 15];
    sycl::group_barrier(g);
  }
  for (u32 i = 0; i < 12; ++i) s.x0 ^= v[i] * i;
}
template <typename G, typename S, typename L>
inline void group_real(const G& g, S& s, L&, u32 k) {
  const f32 own = f32(s.x0 & 0xffffu) * 0.5f;
  s.x0 ^= static_cast<u32>(sycl::reduce_over_group(g, own, sycl::maximum<f32>()) * 2.0f);
  if (k & 1) s.x0 += static_cast<u32>(sycl::inclusive_scan_over_group(g, own, sycl::minimum<f32>()) * 2.0f);
}
template <typename G, typename S, typename L>
inline void group_leaders(const G& g, S& s, L& local, u32 k) {
  local[g.get_local_id(0)] = s.x0;
  sycl::group_barrier(g);
  for (u32 turn = 0; turn <= (k & 3); ++turn) {
    if (g.get_local_id(0) == turn * k) {
      u32 sum = turn;
      for (u32 i = 0; i < 16; ++i) sum = sum * 5 + local[i];
      local[turn] = sum;
    }
    sycl::group_barrier(g);
  }
  s.x0 ^= local[k];
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_scanned(const G& g, S& s, L& local, u32 k) {
  local[g.get_local_id(0)] = s.x0;
  sycl::group_barrier(g);
  u32* first = &local[0];
  sycl::joint_inclusive_scan(g, first, first + 16 - k, first, sycl::plus<u32>());
  sycl::group_barrier(g);
  s.x0 = local[(g.get_local_id(0) + k) & 15];
  sycl::group_barrier(g);
}
template <typename G, typename S, typename L>
inline void group_counted(const G& g, S& s, L& local, u32 k) {
  local[g.get_local_id(0)] = 0;
  sycl::group_barrier(g);
  count_add(local, s.x0 & 15, 1 + k);
  sycl::group_barrier(g);
  s.x0 += local[(g.get_local_id(0) + k) & 15];
  sycl::group_barrier(g);
}
/// Sums in local memory over tiles, with an inner loop whose step is the same for all work-items.
template <typename G, typename S, typename L>
inline void group_summed(const G& g, S& s, L& local, u32 k) {
  const u32 lid = static_cast<u32>(g.get_local_id(0)), size = static_cast<u32>(g.get_local_range(0));
  const u32 step = size * (1 + (k & 1)) - 2;
  local[lid] = s.x0;
  for (u32 t = k & 3; t < 20; t += size / 3)
    if (lid + t < 16 + k)
      for (u32 u = t; u < 12 + k; u += step) local[lid] += t * 3 + lid % (step - 6) + u * lid;
  sycl::group_barrier(g);
  s.x0 ^= local[(lid + k) & 15];
  sycl::group_barrier(g);
}
template <typename S>
inline void group_reduce(std::vector<S>& all, std::vector<u32>&, u32) {
  u32 sum = 0;
  for (S& s : all) sum += s.x0;
  for (S& s : all) s.x0 = sum;
}
template <typename S>
inline void group_least(std::vector<S>& all, std::vector<u32>&, u32 k) {
  u32 least = ~0u;
  for (S& s : all) least = s.x0 >> k < least ? s.x0 >> k : least;
  for (S& s : all) s.x0 ^= least;
}
template <typename S>
inline void group_inclusive(std::vector<S>& all, std::vector<u32>&, u32) {
  u32 sum = 0;
  for (S& s : all) s.x0 = sum += s.x0;
}
template <typename S>
inline void group_exclusive(std::vector<S>& all, std::vector<u32>&, u32 k) {
  u64 bits = 0;
  for (S& s : all) {
    const u64 own = u64(s.x0) << k;
    s.x0 += bits & 0xffffu;
    bits ^= own;
  }
}
template <typename S>
inline void group_any(std::vector<S>& all, std::vector<u32>&, u32 k) {
  bool any = false;
  for (S& s : all) any |= (s.x0 & 7) == k;
  for (S& s : all) s.x0 += any ? 3 : 5;
}
template <typename S>
inline void group_broadcast(std::vector<S>& all, std::vector<u32>&, u32 k) {
  const u32 value = all[k].x0;
  for (S& s : all) s.x0 ^= value;
}
template <typename S>
inline void group_joint(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  u32 sum = k;
  for (u32 i = 0; i < 16 - k; ++i) sum += local[i];
  for (S& s : all) s.x0 += sum;
}
template <typename S>
inline void group_tile(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 from = 0; from < 16 * (k & 3); from += 16) {
    for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0 + from;
    for (u32 lid = 0; lid < 16; ++lid)
      for (u32 i = 0; i < 16; ++i)
        if (i != lid + k) all[lid].x0 = all[lid].x0 * 3 + local[i];
  }
}
template <typename S>
inline void group_leader(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0;
  u32 sum = 0;
  if (k < 16)
    for (u32 i = 0; i < 16; ++i) sum = sum * 5 + local[i];
  local[0] = sum;
  for (S& s : all) s.x0 ^= sum;
}
template <typename S>
inline void group_tree(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0;
  for (u32 half = 8; half > 0 && k % 2 == 0; half /= 2)
    for (u32 i = 0; i < half; ++i) local[i] += local[i + half];
  for (u32 step = 1; step < 16 && k % 2 != 0; step *= 2)
    for (u32 i = 0; i < 16; i += 2 * step) local[i] += local[i + step];
  for (S& s : all) s.x0 ^= local[0];
}
template <typename S>
inline void group_steps(std::vector<S>& all, std::vector<u32>& local, u32) {
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i) {
    local[i] = sum + all[i].x0;
    all[i].x0 = sum;
    sum = local[i];
  }
}
template <typename S>
inline void group_reverse(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0;
  for (u32 i = 0; i < 16; ++i) all[i].x0 = local[15 - i] + k;
}
template <typename S>
inline void group_votes(std::vector<S>& all, std::vector<u32>&, u32 k) {
  bool every = true, none = true;
  for (S& s : all) every &= s.x0 % 9 != k;
  for (S& s : all) s.x0 += every ? 3 : 5;
  for (S& s : all) none &= s.x0 % 9 != k;
  for (S& s : all) s.x0 += none ? 7 : 11;
}
template <typename S>
inline void group_alive(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  std::vector<std::array<u32, 12>> v(16);
  for (u32 lid = 0; lid < 16; ++lid)
    for (u32 i = 0; i < 12; ++i) v[lid][i] = all[lid].x0 * (i + 1) + k;
  for (u32 round = 0; round < 2; ++round) {
    for (u32 lid = 0; lid < 16; ++lid) local[lid] = v[lid][round];
    for (u32 lid = 0; lid < 16; ++lid)
      for (u32 i = 0; i < 12; ++i) v[lid][i] = v[lid][i] * 3 + local[(lid + i + k) & 15];
  }
  for (u32 lid = 0; lid < 16; ++lid)
    for (u32 i = 0; i < 12; ++i) all[lid].x0 ^= v[lid][i] * i;
}
template <typename S>
inline void group_real(std::vector<S>& all, std::vector<u32>&, u32 k) {
  f32 most = 0, least = 1e9f;
  std::vector<f32> own;
  for (S& s : all) own.push_back(f32(s.x0 & 0xffffu) * 0.5f);
  for (f32 each : own) most = each > most ? each : most;
  for (S& s : all) s.x0 ^= static_cast<u32>(most * 2.0f);
  for (u32 i = 0; i < 16 && (k & 1); ++i) {
    least = own[i] < least ? own[i] : least;
    all[i].x0 += static_cast<u32>(least * 2.0f);
  }
}
template <typename S>
inline void group_leaders(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0;
  for (u32 turn = 0; turn <= (k & 3); ++turn) {
    if (turn * k > 15) continue;
    u32 sum = turn;
    for (u32 i = 0; i < 16; ++i) sum = sum * 5 + local[i];
    local[turn] = sum;
  }
  for (S& s : all) s.x0 ^= local[k];
}
template <typename S>
inline void group_scanned(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = all[i].x0;
  for (u32 i = 1; i < 16 - k; ++i) local[i] += local[i - 1];
  for (u32 i = 0; i < 16; ++i) all[i].x0 = local[(i + k) & 15];
}
template <typename S>
inline void group_counted(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  for (u32 i = 0; i < 16; ++i) local[i] = 0;
  for (S& s : all) local[s.x0 & 15] += 1 + k;
  for (u32 i = 0; i < 16; ++i) all[i].x0 += local[(i + k) & 15];
}
template <typename S>
inline void group_summed(std::vector<S>& all, std::vector<u32>& local, u32 k) {
  const u32 step = 16 * (1 + (k & 1)) - 2;
  for (u32 lid = 0; lid < 16; ++lid) {
    local[lid] = all[lid].x0;
    for (u32 t = k & 3; t < 20; t += 5)
      for (u32 u = t; u < 12 + k && lid + t < 16 + k; u += step)
        local[lid] += t * 3 + lid % (step - 6) + u * lid;
  }
  for (u32 lid = 0; lid < 16; ++lid) all[lid].x0 ^= local[(lid + k) & 15];
}

} // namespace prism_random
