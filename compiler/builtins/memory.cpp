// The functions of <cstring> that only read: memcmp, bcmp, memchr, strlen, strcmp, strncmp. The standard
// library's algorithms and char_traits call them for characters. They work byte by byte, because neither the
// alignment nor the bytes behind the range are known. Copies and fills are LLVM's intrinsics
// (compiler/passes/memory.cpp). These functions are linked before the pointer analysis, so that their loads
// count as the kernel's own. This file is compiled with -fno-builtin: otherwise a loop would become a call of
// the function that contains it.
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

/// The difference of the first two bytes that differ, within `bytes`. With `to_end` the comparison ends at a
/// zero byte.
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
