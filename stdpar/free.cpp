// `free`, `realloc` and their relatives for the whole process. Any code may free memory of the heap: the
// standard library frees strings that the program's code made. Memory of others goes to the C library.
#include "stdpar/heap.hpp"

#include <prism/stdpar/memory.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>

extern "C" {
// The C library's own names of these functions.
void __libc_free(void* memory);
void* __libc_realloc(void* memory, std::size_t bytes);

[[gnu::visibility("default")]] void free(void* memory) {
  if (prism::stdpar::owns(memory)) prism::stdpar::give_back(memory);
  else __libc_free(memory);
}

[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t bytes) {
  if (!prism::stdpar::owns(memory)) return __libc_realloc(memory, bytes);
  if (bytes == 0) return prism::stdpar::give_back(memory), nullptr;
  void* const moved = prism_stdpar_malloc(bytes);
  if (!moved) return nullptr;
  std::memcpy(moved, memory, std::min(bytes, prism::stdpar::size_of(memory)));
  prism::stdpar::give_back(memory);
  return moved;
}

[[gnu::visibility("default")]] void* reallocarray(void* memory, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, nullptr;
  return realloc(memory, bytes);
}

[[gnu::visibility("default")]] std::size_t malloc_usable_size(void* memory) {
  if (prism::stdpar::owns(memory)) return prism::stdpar::size_of(memory);
  static const auto next = reinterpret_cast<std::size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next ? next(memory) : 0;
}
}
