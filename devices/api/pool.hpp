// Memory for the short-lived objects of a submission: commands, events, captured blocks.
//
// Blocks of one of eight sizes (64 B to 8 KiB) are cached in free lists, one set for each thread. A thread
// gives its surplus in chains of 16 to a central list, from which threads that run out take them: often one
// thread allocates what another frees. Bounds: 32 blocks for each thread and size, 8 MiB for each size in the
// central list; the rest, and larger blocks, go to operator new and delete. Why: hundreds of commands in
// flight overflow malloc's small caches, and a driver's threads (PoCL's) then hold the lock of malloc's arena
// while we wait for it.
//
// Any thread. Header only, so that backends made from installed files share it. With AddressSanitizer every
// block goes to operator new, so that the sanitizer sees each use.
#pragma once

#include "devices/api/thread_end.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define PRISM_NO_POOL 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRISM_NO_POOL 1
#endif
#endif

namespace prism::pool {

/// Prefetches memory that is about to be written, or read once and freed. With many commands in flight it is
/// in no near cache, and the first atomic operation on it would wait for all of its cache lines. Always
/// inline: GCC considers a call of a function that only prefetches to be without effect, and drops it.
[[gnu::always_inline]] inline void prefetch(const void* at, std::size_t bytes) noexcept {
  for (std::size_t offset = 0; offset < bytes; offset += 64)
    __builtin_prefetch(static_cast<const char*>(at) + offset, 1);
}

namespace detail {

constexpr std::size_t smallest = 64, sizes = 8, chain = 16, most_central_bytes = 8 * 1024 * 1024;

constexpr std::size_t list_of(std::size_t bytes) {
  return bytes <= smallest ? 0 : std::bit_width((bytes - 1) / smallest);
}
constexpr std::size_t size_of(std::size_t list) { return smallest << list; }

struct block {
  block* next;
  block* next_chain; // of the first block of a chain
};

inline void free_all(block* first) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next));
}

/// Chains of `chain` blocks of one size, without a lock. A thread that takes a chain first takes the whole
/// stack, so that it never reads a block that another thread may own by then. A thread that finds the stack
/// empty meanwhile retries a few times.
class depot {
public:
  constexpr depot() = default;
  block* take() noexcept {
    for (int tries = 0; tries < most_tries && m_count.load(std::memory_order_relaxed) != 0; ++tries) {
      block* const first = m_top.load(std::memory_order_relaxed) == nullptr
                               ? nullptr
                               : m_top.exchange(nullptr, std::memory_order_acquire);
      if (first == nullptr) continue;
      m_count.fetch_sub(1, std::memory_order_relaxed);
      put_back(first->next_chain);
      return first;
    }
    return nullptr;
  }
  void give(block* first, std::size_t list) noexcept {
    if ((m_count.load(std::memory_order_relaxed) + 1) * chain * size_of(list) > most_central_bytes)
      return free_all(first);
    block* top = m_top.load(std::memory_order_relaxed);
    do first->next_chain = top;
    while (!m_top.compare_exchange_weak(top, first, std::memory_order_release, std::memory_order_relaxed));
    m_count.fetch_add(1, std::memory_order_relaxed);
  }

private:
  static constexpr int most_tries = 16;
  /// Puts the rest back below the few chains that other threads gave meanwhile.
  void put_back(block* rest) noexcept {
    block* none = nullptr;
    while (rest != nullptr &&
           !m_top.compare_exchange_weak(none, rest, std::memory_order_release, std::memory_order_relaxed)) {
      none = nullptr;
      block* const newer = m_top.exchange(nullptr, std::memory_order_acquire);
      if (newer == nullptr) continue;
      block* last = newer;
      while (last->next_chain != nullptr) last = last->next_chain;
      last->next_chain = rest;
      rest = newer;
    }
  }
  std::atomic<block*> m_top{nullptr};
  std::atomic<std::size_t> m_count{0}; // chains given and not taken
};
inline constinit depot depots[sizes];

struct lists {
  block* open[sizes];    // in use for taking and giving; at most `chain` blocks
  block* full[sizes];    // a whole chain, or null
  unsigned count[sizes]; // in `open`
  enum class life : unsigned char { unused, used, closed } state;
};
// At a fixed distance from the thread pointer, also after dlopen: each submission accesses it some twenty
// times.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local lists mine{};

/// Frees the lists when the thread ends; blocks given back later are deleted at once.
inline void close(void* of_thread) {
  lists& own = *static_cast<lists*>(of_thread);
  own.state = lists::life::closed;
  for (block*& first : own.open) free_all(std::exchange(first, nullptr));
  for (block*& first : own.full) free_all(std::exchange(first, nullptr));
}
inline bool usable() {
  lists& own = mine;
  if (own.state == lists::life::unused)
    own.state = at_thread_end<&close>(&own) ? lists::life::used : lists::life::closed;
  return own.state == lists::life::used;
}

/// Prefetches the block that the next submission will take.
[[gnu::always_inline]] inline void prefetch_next(const lists& own, std::size_t list) noexcept {
  constexpr std::size_t most = 512;
  if (const block* const next = own.open[list] != nullptr ? own.open[list] : own.full[list]; next != nullptr)
    prefetch(next, size_of(list) < most ? size_of(list) : most);
}

inline void* refill(lists& own, std::size_t list) {
  block* first = std::exchange(own.full[list], nullptr);
  if (first == nullptr && usable()) first = depots[list].take();
  if (first == nullptr) return ::operator new(size_of(list));
  own.open[list] = first->next;
  own.count[list] = chain - 1;
  prefetch_next(own, list);
  return first;
}

} // namespace detail

inline void* take(std::size_t bytes) {
  const std::size_t list = detail::list_of(bytes);
#ifndef PRISM_NO_POOL
  if (list < detail::sizes) {
    detail::lists& own = detail::mine;
    detail::block* const first = own.open[list];
    if (first == nullptr) return detail::refill(own, list);
    own.open[list] = first->next;
    --own.count[list];
    detail::prefetch_next(own, list);
    return first;
  }
#endif
  // Without pools a block still has its list's size: a module that was built with pools may put it into a
  // list.
  return ::operator new(list < detail::sizes ? detail::size_of(list) : bytes);
}

inline void give(void* at, [[maybe_unused]] std::size_t bytes) noexcept {
#ifndef PRISM_NO_POOL
  const std::size_t list = detail::list_of(bytes);
  if (list < detail::sizes) {
    detail::lists& own = detail::mine;
    if (detail::usable()) {
      if (own.count[list] == detail::chain) {
        if (own.full[list] != nullptr) detail::depots[list].give(own.full[list], list);
        own.full[list] = std::exchange(own.open[list], nullptr);
        own.count[list] = 0;
      }
      own.open[list] = new (at) detail::block{own.open[list], nullptr};
      ++own.count[list];
      return;
    }
  }
#endif
  ::operator delete(at);
}

template <typename T>
struct allocator {
  using value_type = T;
  allocator() = default;
  template <typename U>
  allocator(const allocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return static_cast<T*>(take(count * sizeof(T)));
  }
  void deallocate(T* at, std::size_t count) noexcept { give(at, count * sizeof(T)); }
  template <typename U>
  bool operator==(const allocator<U>&) const noexcept {
    return true;
  }
};

template <typename T>
using vector = std::vector<T, allocator<T>>;

} // namespace prism::pool
