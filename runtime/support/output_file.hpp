// The end of a file that PRISM writes for the user: text that could not be written is an error, never
// silence.
#pragma once

#include <cstdio>
#include <string_view>

namespace prism::support {

/// Writes the rest to the file and logs an error if some text could not be written (full disk, closed pipe).
/// Call it once. `variable`: that requested the output, `name`: the file. Never closes the file.
void finish_output(std::FILE* file, std::string_view variable, std::string_view name) noexcept;

} // namespace prism::support
