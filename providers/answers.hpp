// What the providers in this folder have in common: results in PRISM's structures, with a reason truncated to
// the size of its field, and the processor's vectors, which their estimates depend on.
#pragma once

#include <prism/provider.h>

#include <cstdio>
#include <string>

namespace prism_providers {

/// The reason of a call that fails. `to` may be null, or end earlier than this version of the structure.
inline void say(prism_message* to, const char* text) {
  if (to && to->struct_size > sizeof(std::size_t))
    std::snprintf(to->text, to->struct_size - sizeof(std::size_t), "%s", text);
}
inline void say(prism_message* to, const std::string& text) { say(to, text.c_str()); }

/// Answers whether the operation is supported, which it is if there is no reason against it. Returns the
/// answer.
inline bool supports(prism_provider_support* answer, const char* reason) {
  answer->supported = reason == nullptr;
  if (reason) std::snprintf(answer->reason, sizeof answer->reason, "%s", reason);
  return reason == nullptr;
}

/// Whether the processor has vectors of 64 bytes.
inline bool has_wide_vectors() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

} // namespace prism_providers
