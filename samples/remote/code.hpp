// Identifies a function in two processes of one program: by the file that contains it, recognised by its
// contents, and the offset in that file.
#pragma once

#include <cstdint>
#include <string>

namespace remote {

struct code_location {
  std::string object;       // build id, or path, size and time of the file
  std::uint64_t offset = 0; // from the file's load address
};

/// Throws std::invalid_argument if the address is not in the code of a loaded file.
code_location location_of(const void* function);
/// The address in this process. Throws std::invalid_argument if the file is not loaded, or the offset is not
/// in its code.
const void* function_at(const code_location& where);

} // namespace remote
