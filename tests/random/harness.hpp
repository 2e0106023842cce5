// The environment of a generated program of random kernels: arithmetic without undefined behaviour, the data
// that a kernel uses, and the comparison of the selected device with the host device and with the same
// functions called as plain C++.
#pragma once

#include <sycl/sycl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace prism_random {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

template <typename T>
using wide = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <typename T>
inline T add(T a, T b) {
  return static_cast<T>(static_cast<wide<T>>(a) + static_cast<wide<T>>(b));
}
template <typename T>
inline T sub(T a, T b) {
  return static_cast<T>(static_cast<wide<T>>(a) - static_cast<wide<T>>(b));
}
template <typename T>
inline T mul(T a, T b) {
  return static_cast<T>(static_cast<wide<T>>(a) * static_cast<wide<T>>(b));
}
template <typename T>
inline T quotient(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed<T>::value && b == static_cast<T>(-1)) return sub(T(0), a);
  return static_cast<T>(a / b);
}
template <typename T>
inline T remainder(T a, T b) {
  if (b == 0 || (std::is_signed<T>::value && b == static_cast<T>(-1))) return T(0);
  return static_cast<T>(a % b);
}
template <typename T>
inline T left(T a, u32 n) {
  return static_cast<T>(static_cast<wide<T>>(a) << (n & (sizeof(T) * 8 - 1)));
}
template <typename T>
inline T right(T a, u32 n) {
  return static_cast<T>(a >> (n & (sizeof(T) * 8 - 1)));
}
/// Signed arithmetic that the compiler may assume not to overflow.
inline i32 bounded(i32 a, i32 b) { return (a % 1000) * (b % 999) - (a % 77); }

/// Keeps floating-point values away from NaN, infinity, zero and subnormal values, which devices may treat
/// differently. It also separates a product from a sum, so that no compiler may contract them.
template <typename F>
inline F tame(F x) {
  const F size = x < 0 ? -x : x;
  return size > F(1e-6) && size < F(1e6) ? x : F(1.5);
}

inline u64 mixed(u64 h, u64 v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}
template <typename T>
inline std::enable_if_t<std::is_integral<T>::value, u64> mix(u64 h, T v) {
  return mixed(h, static_cast<u64>(v));
}
inline u64 mix(u64 h, f32 v) { return mixed(h, sycl::bit_cast<u32>(v)); }
inline u64 mix(u64 h, f64 v) { return mixed(h, sycl::bit_cast<u64>(v)); }

template <int Steps, typename T>
inline T twist(T x) { // recursion at compile time
  if constexpr (Steps == 0) return x;
  else return add(mul(twist<Steps - 1>(x), T(3)), T(Steps));
}

/// Counters, in the three kinds of memory that a generated function can access.
template <typename A>
inline void count_add(A& counters, std::size_t i, u32 v) {
  if constexpr (std::is_same<std::remove_const_t<A>, std::vector<u32>>::value) counters[i] += v;
  else
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device>(counters[i]).fetch_add(v);
}
template <typename A>
inline void count_max(A& counters, std::size_t i, u32 v) {
  if constexpr (std::is_same<std::remove_const_t<A>, std::vector<u32>>::value)
    counters[i] = counters[i] < v ? v : counters[i];
  else
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device>(counters[i]).fetch_max(v);
}
template <typename A>
inline void count_xor(A& counters, std::size_t i, u32 v) {
  if constexpr (std::is_same<std::remove_const_t<A>, std::vector<u32>>::value) counters[i] ^= v;
  else
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device>(counters[i]).fetch_xor(v);
}
/// Exchanges a value for itself where it is found, so that a value that another work-item sees in between
/// does not matter.
template <typename A>
inline void count_same(A& counters, std::size_t i, u32 v) {
  if constexpr (!std::is_same<std::remove_const_t<A>, std::vector<u32>>::value) {
    const u32 same = v;
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device>(counters[i])
        .compare_exchange_strong(v, same);
  }
}

/// The operations of sub-groups of 8, by number: 0 select, 1 shift left, 2 shift right (the own value if
/// there is no other), 3 exchange by xor, 4 broadcast, 5 minimum, 6 maximum, 7 sum, 8 exclusive sum, 9 bits
/// that differ.
template <typename T>
using summed = std::conditional_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, wide<T>, T>;
template <int Operation, typename T>
inline T exchanged(sycl::sub_group sg, T own, u32 which) {
  const u32 lane = static_cast<u32>(sg.get_local_linear_id());
  if constexpr (Operation == 0) return sycl::select_from_group(sg, own, which);
  if constexpr (Operation == 1) {
    const T other = sycl::shift_group_left(sg, own, which);
    return lane + which < 8 ? other : own;
  }
  if constexpr (Operation == 2) {
    const T other = sycl::shift_group_right(sg, own, which);
    return lane >= which ? other : own;
  }
  if constexpr (Operation == 3) return sycl::permute_group_by_xor(sg, own, which);
  if constexpr (Operation == 4) return sycl::group_broadcast(sg, own, which);
  if constexpr (Operation == 5) return sycl::reduce_over_group(sg, own, sycl::minimum<T>());
  if constexpr (Operation == 6) return sycl::reduce_over_group(sg, own, sycl::maximum<T>());
  if constexpr (Operation == 7)
    return static_cast<T>(sycl::reduce_over_group(sg, static_cast<summed<T>>(own), sycl::plus<summed<T>>()));
  if constexpr (Operation == 8)
    return static_cast<T>(
        sycl::exclusive_scan_over_group(sg, static_cast<summed<T>>(own), sycl::plus<summed<T>>()));
  if constexpr (Operation == 9)
    return static_cast<T>(
        sycl::reduce_over_group(sg, static_cast<summed<T>>(own), sycl::bit_xor<summed<T>>()));
}
/// The same as plain code, for the values of all work-items.
template <int Operation, typename T>
inline T exchanged(const std::array<T, 8>& all, u32 lane, u32 which) {
  if constexpr (Operation == 0 || Operation == 4) return all[which];
  if constexpr (Operation == 1) return all[lane + which < 8 ? lane + which : lane];
  if constexpr (Operation == 2) return all[lane >= which ? lane - which : lane];
  if constexpr (Operation == 3) return all[lane ^ which];
  T least = all[0], most = all[0];
  summed<T> sum = 0, before = 0;
  u64 bits = 0;
  for (u32 k = 0; k < 8; ++k) {
    least = all[k] < least ? all[k] : least;
    most = most < all[k] ? all[k] : most;
    if constexpr (Operation > 6) {
      if (k == lane) before = sum;
      sum = static_cast<summed<T>>(sum + static_cast<summed<T>>(all[k]));
      bits ^= static_cast<u64>(all[k]);
    }
  }
  return Operation == 5   ? least
         : Operation == 6 ? most
                          : static_cast<T>(Operation == 7   ? sum
                                           : Operation == 8 ? before
                                                            : static_cast<summed<T>>(bits));
}

/// Algorithms over a group of 16, on the states of its work-items and its local memory of 16 words; then as
/// plain code.
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

constexpr std::size_t item_count = 96, input_count = 64, counter_count = 24;

/// Inputs and results of one kernel. Counters 0 to 7 are added to, 8 to 15 take maxima, 16 to 23 are xored.
struct data {
  std::vector<u32> in;
  std::vector<u64> words;
  std::vector<i16> shorts;
  std::vector<f32> reals;
  std::vector<u32> counters;
  explicit data(u64 seed);
};

/// The buffers of one launch; their destruction writes back.
struct buffers {
  sycl::buffer<u32> in, counters;
  sycl::buffer<u64> words;
  sycl::buffer<i16> shorts;
  sycl::buffer<f32> reals;
  explicit buffers(data& d)
      : in(d.in.data(), sycl::range<1>(d.in.size())),
        counters(d.counters.data(), sycl::range<1>(d.counters.size())),
        words(d.words.data(), sycl::range<1>(d.words.size())),
        shorts(d.shorts.data(), sycl::range<1>(d.shorts.size())),
        reals(d.reals.data(), sycl::range<1>(d.reals.size())) {}
};

struct kernel {
  const char* name; // shows how to generate it again
  u64 seed;
  void (*on_device)(sycl::queue&, data&);
  void (*as_plain_code)(data&);
};

/// Exit status of a program: 0 all equal, 1 differences or errors, 77 no such device.
int compare_all(const std::vector<kernel>& kernels);

} // namespace prism_random
