// Calls a function when a thread ends, to free what the thread owns.
//
// Why not the destructor of a thread_local: its first use takes the loader's lock. A thread inside dlclose
// holds that lock while it waits for kernels of the library being unloaded. Any thread. Header only, so that
// backends made from installed files share it. A library that uses it must stay loaded (-z nodelete), since
// threads that end later call the function. Not called for the main thread, whose memory is freed with the
// process.
#pragma once

#include <pthread.h>

namespace prism {

/// Runs `end(object)` when this thread ends; call it once for each thread and function. False if the process
/// has no key or no memory left: `end` will not run then.
template <void (*end)(void*)>
bool at_thread_end(void* object) noexcept {
  struct key {
    pthread_key_t value{};
    bool made = false;
  };
  static const key own = [] {
    key k;
    k.made = pthread_key_create(&k.value, end) == 0;
    return k;
  }();
  return own.made && pthread_setspecific(own.value, object) == 0;
}

} // namespace prism
