// Writes the results of the providers in this folder into PRISM's structures. A reason is truncated to the
// size of its field.
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

} // namespace prism_providers
