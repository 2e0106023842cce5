// A short spin before a thread sleeps: worth it because work usually comes or ends within microseconds,
// bounded because a core is the user's.
#pragma once

#include <chrono>

namespace prism::devices::host {

inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `done()` for about eight microseconds (the cost of one sleep and wake-up); returns what done()
/// said.
template <typename Done>
bool spin_until(const Done& done) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::microseconds(8);
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < limit);
  return done();
}

} // namespace prism::devices::host
