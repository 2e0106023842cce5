// Calls a function when a thread ends, for what a thread keeps of its own.
//
// Why not the destructor of a thread_local: the first use of one takes the loader's lock, which a thread
// inside dlclose holds while it waits for kernels of the library that goes. Any thread. Header only, so that
// backends made from installed files share it; a library that uses it must stay loaded (-z nodelete), since
// the function is called by threads that end later. Not called for the main thread, whose memory goes with
// the process.
#pragma once

#include <pthread.h>

namespace prism {

/// `end(object)` runs when this thread ends; once a thread and function. False when the process has no key or
/// no memory left: it will not run then.
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
