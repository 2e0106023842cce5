// Messages of the runtime: one line each, "prism: <level>: <text>", to standard error or PRISM_LOG's file.
// Any thread. A disabled level costs one load and a branch, so call `enabled` before composing text.
#pragma once

#include <string_view>

namespace prism::support {

enum class level : int { off, error, warn, info, debug, trace };

bool enabled(level l) noexcept;
void log(level l, std::string_view text) noexcept;

} // namespace prism::support
