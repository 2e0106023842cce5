// Reports stack switches to the address and thread sanitizers, and work handed over by oneTBB to the thread
// sanitizer, if PRISM is built with them; does nothing otherwise.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define PRISM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRISM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PRISM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PRISM_TSAN 1
#endif
#endif

#if defined(PRISM_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(PRISM_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace prism::devices::host::sanitizer {

#if defined(PRISM_ASAN)
inline void start_switch(void** saved, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(saved, bottom, size);
}
inline void finish_switch(void* saved, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(saved, bottom, size);
}
inline void forget_stack(const void* bottom, std::size_t size) {
  __asan_unpoison_memory_region(bottom, size);
}
/// Whether the sanitizer moved the variable there from the thread's or fiber's stack.
inline bool is_moved_variable(const void* pointer) {
  void* const moved = __asan_get_current_fake_stack();
  return moved != nullptr &&
         __asan_addr_is_in_fake_stack(moved, const_cast<void*>(pointer), nullptr, nullptr) != nullptr;
}
#else
inline void start_switch(void**, const void*, std::size_t) {}
inline void finish_switch(void*, const void**, std::size_t*) {}
inline void forget_stack(const void*, std::size_t) {}
inline bool is_moved_variable(const void*) { return false; }
#endif

#if defined(PRISM_TSAN)
inline void* create_fiber() { return __tsan_create_fiber(0); }
inline void destroy_fiber(void* fiber) { __tsan_destroy_fiber(fiber); }
inline void* current_fiber() { return __tsan_get_current_fiber(); }
inline void switch_to(void* fiber) { __tsan_switch_to_fiber(fiber, 0); }
inline void publish(void* event) { __tsan_release(event); }
inline void see_published(void* event) { __tsan_acquire(event); }
#else
inline void* create_fiber() { return nullptr; }
inline void destroy_fiber(void*) {}
inline void* current_fiber() { return nullptr; }
inline void switch_to(void*) {}
inline void publish(void*) {}
inline void see_published(void*) {}
#endif

} // namespace prism::devices::host::sanitizer
