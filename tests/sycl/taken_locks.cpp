#include "tests/sycl/taken_locks.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>

namespace {
thread_local prism_test::lock_record* recording = nullptr;
}

namespace prism_test {

std::string file_of(const void* caller) {
  Dl_info found{};
  return dladdr(caller, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "?";
}

std::string place_of(const void* caller) {
  Dl_info found{};
  if (dladdr(caller, &found) == 0) return "?";
  char offset[32];
  std::snprintf(
      offset, sizeof offset, "+0x%zx",
      static_cast<std::size_t>(static_cast<const char*>(caller) - static_cast<const char*>(found.dli_fbase)));
  return std::string(found.dli_fname) + offset +
         (found.dli_sname != nullptr ? std::string(" near ") + found.dli_sname : "");
}

void lock_record::begin() {
  m_depth = 0;
  recording = this;
}

void lock_record::end() { recording = nullptr; }

std::vector<taken_lock> lock_record::all() const {
  std::vector<taken_lock> out;
  for (const taken_lock& each : m_places)
    if (each.lock != nullptr) out.push_back(each);
  return out;
}

void lock_record::took(const void* lock, const void* caller) noexcept {
  const void* const under = m_depth != 0 && m_depth <= deepest ? m_held[m_depth - 1] : nullptr;
  if (m_depth < deepest) m_held[m_depth] = lock;
  ++m_depth;
  std::size_t at =
      (reinterpret_cast<std::uintptr_t>(lock) / 8 + reinterpret_cast<std::uintptr_t>(caller) * 31) % places;
  for (std::size_t tries = 0; tries < places; ++tries, at = (at + 1) % places) {
    taken_lock& place = m_places[at];
    if (place.lock == nullptr) place = {lock, caller, under, 0};
    if (place.lock != lock || place.caller != caller || place.under != under) continue;
    ++place.times;
    return;
  }
  ++m_missed;
}

void lock_record::gave(const void* lock) noexcept {
  // Usually the last one. A lock that was taken before recording started is not in the list.
  for (std::size_t i = m_depth < deepest ? m_depth : deepest; i-- > 0;) {
    if (m_held[i] != lock) continue;
    for (; i + 1 < m_depth && i + 1 < deepest; ++i) m_held[i] = m_held[i + 1];
    --m_depth;
    return;
  }
}

namespace {

/// The C library's function, looked up at the first call. Any thread may be first; all get the same address.
template <typename Function>
Function* next(Function*& known, const char* name) {
  Function* found = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (found != nullptr) return found;
  found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  __atomic_store_n(&known, found, __ATOMIC_RELEASE);
  return found;
}

template <typename Lock>
int take(int result, Lock* lock, const void* caller) {
  if (result == 0 && recording != nullptr) recording->took(lock, caller);
  return result;
}

template <typename Lock>
void give(Lock* lock) {
  if (recording != nullptr) recording->gave(lock);
}

} // namespace

} // namespace prism_test

using namespace prism_test;

#define TAKES(name, type)                                                                                    \
  extern "C" __attribute__((visibility("default"))) int name(type* lock) noexcept {                          \
    static int (*known)(type*) = nullptr;                                                                    \
    return take(next(known, #name)(lock), lock, __builtin_return_address(0));                                \
  }
#define GIVES(name, type)                                                                                    \
  extern "C" __attribute__((visibility("default"))) int name(type* lock) noexcept {                          \
    static int (*known)(type*) = nullptr;                                                                    \
    give(lock);                                                                                              \
    return next(known, #name)(lock);                                                                         \
  }
TAKES(pthread_mutex_lock, pthread_mutex_t)
TAKES(pthread_mutex_trylock, pthread_mutex_t)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t)
TAKES(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TAKES(pthread_rwlock_trywrlock, pthread_rwlock_t)
GIVES(pthread_mutex_unlock, pthread_mutex_t)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t)
