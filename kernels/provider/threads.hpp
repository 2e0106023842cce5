// Grants the processors' threads to runs on the host. A single run gets all of them; concurrent runs get the
// remaining ones, at least one. A grant takes some nanoseconds. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>

namespace prism::provider {

class thread_budget {
public:
  explicit thread_budget(unsigned all) : m_all(std::max(1u, all)) {}
  /// There are at least so many: a part of the processors may be known before all of them.
  void has(unsigned all) noexcept {
    unsigned known = m_all.load(std::memory_order_relaxed);
    while (known < all && !m_all.compare_exchange_weak(known, all, std::memory_order_relaxed)) {}
  }

  class grant {
  public:
    grant(thread_budget& of, unsigned wanted) : m_of(of) {
      unsigned used = of.m_used.load(std::memory_order_relaxed);
      do {
        const unsigned all = of.m_all.load(std::memory_order_relaxed), left = used < all ? all - used : 1;
        m_threads = std::clamp(wanted, 1u, left);
      } while (!of.m_used.compare_exchange_weak(used, used + m_threads, std::memory_order_relaxed));
    }
    ~grant() { m_of.m_used.fetch_sub(m_threads, std::memory_order_relaxed); }
    grant(const grant&) = delete;
    unsigned threads() const noexcept { return m_threads; }

  private:
    thread_budget& m_of;
    unsigned m_threads = 1;
  };
  unsigned used() const noexcept { return m_used.load(std::memory_order_relaxed); }

private:
  std::atomic<unsigned> m_all;
  std::atomic<unsigned> m_used{0};
};

} // namespace prism::provider
