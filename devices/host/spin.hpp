// A short spin before a thread sleeps. It pays because work usually arrives or ends within microseconds; it
// is short because the core belongs to the user.
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

/// Spins until `done()` is true, for at most about eight microseconds (the cost of one sleep and wake-up).
/// Returns the last result of done().
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
