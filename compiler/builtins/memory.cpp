// Functions of <cstring> that only read, which the standard library's algorithms and char_traits call for
// characters: memcmp, bcmp, memchr, strlen, strcmp, strncmp. Byte by byte, since nothing is known of
// alignment or what lies behind; copies and fills are LLVM's intrinsics (compiler/passes/memory.cpp). Linked
// before pointers are followed, so that their loads are the kernel's own. Compiled with -fno-builtin: a loop
// must not become a call of the function that it is.
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

/// The difference of the first bytes that differ within `bytes`, or, with `to_end`, of what lies up to a
/// zero.
[[clang::always_inline]] inline int difference(const unsigned char* a, const unsigned char* b,
                                               std::uint64_t bytes, bool to_end) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return int(a[i]) - int(b[i]);
    if (to_end && a[i] == 0) return 0;
  }
  return 0;
}

} // namespace prism::builtins

using byte_pointer = const unsigned char*;

extern "C" int PRISM_BUILTIN(memcmp)(const void* a, const void* b, std::uint64_t bytes) {
  return prism::builtins::difference(byte_pointer(a), byte_pointer(b), bytes, false);
}
extern "C" int PRISM_BUILTIN(bcmp)(const void* a, const void* b, std::uint64_t bytes) {
  return prism::builtins::difference(byte_pointer(a), byte_pointer(b), bytes, false);
}
extern "C" int PRISM_BUILTIN(strcmp)(const char* a, const char* b) {
  return prism::builtins::difference(byte_pointer(a), byte_pointer(b), ~std::uint64_t{0}, true);
}
extern "C" int PRISM_BUILTIN(strncmp)(const char* a, const char* b, std::uint64_t bytes) {
  return prism::builtins::difference(byte_pointer(a), byte_pointer(b), bytes, true);
}
extern "C" const void* PRISM_BUILTIN(memchr)(const void* from, int wanted, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (byte_pointer(from)[i] == static_cast<unsigned char>(wanted)) return byte_pointer(from) + i;
  return nullptr;
}
extern "C" std::uint64_t PRISM_BUILTIN(strlen)(const char* text) {
  std::uint64_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
