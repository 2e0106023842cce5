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
/// Adds by exchanging until no other work-item came between.
template <typename A>
inline void count_by_exchange(A& counters, std::size_t i, u32 v) {
  if constexpr (std::is_same<std::remove_const_t<A>, std::vector<u32>>::value) {
    counters[i] += v;
  } else {
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device> counter(counters[i]);
    u32 seen = counter.load();
    while (!counter.compare_exchange_weak(seen, seen + v)) {}
  }
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

/// Values of work-items that take no part, which leave the result of a reduction as it is.
template <int Operation, typename T>
inline void leave_out(std::array<T, 8>& all, const std::array<bool, 8>& on) {
  T none{};
  for (u32 lane = 8; lane-- > 0;)
    if (Operation < 7 && on[lane]) none = all[lane];
  for (u32 lane = 0; lane < 8; ++lane)
    if (!on[lane]) all[lane] = none;
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

/// The same as memory of the device.
struct pointers {
  const u32* in;
  u64* words;
  i16* shorts;
  f32* reals;
  u32* counters;
};
class usm_copies {
public:
  usm_copies(sycl::queue& q, const data& d)
      : m_queue(q), on{copy(d.in), copy(d.words), copy(d.shorts), copy(d.reals), copy(d.counters)} {}
  usm_copies(const usm_copies&) = delete;
  ~usm_copies() {
    m_queue.wait();
    for (void* memory : m_all) sycl::free(memory, m_queue);
  }
  void copy_back(data& d) {
    m_queue.copy(on.words, d.words.data(), d.words.size());
    m_queue.copy(on.shorts, d.shorts.data(), d.shorts.size());
    m_queue.copy(on.reals, d.reals.data(), d.reals.size());
    m_queue.copy(on.counters, d.counters.data(), d.counters.size());
    m_queue.wait_and_throw();
  }

private:
  template <typename T>
  T* copy(const std::vector<T>& from) {
    T* memory = sycl::malloc_device<T>(from.size(), m_queue);
    m_all.push_back(memory);
    m_queue.copy(from.data(), memory, from.size()).wait();
    return memory;
  }
  sycl::queue& m_queue;
  std::vector<void*> m_all;

public:
  const pointers on; // initialised last
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
