// The same function in two processes of one program: the file that holds it, known by its contents, and the
// place in that file.
#pragma once

#include <cstdint>
#include <string>

namespace remote {

struct code_place {
  std::string object;       // build id, or path, size and time of the file
  std::uint64_t offset = 0; // from where the file is loaded
};

/// Throws std::invalid_argument when no loaded file holds the address as code.
code_place place_of(const void* function);
/// The address of the place in this process. Throws std::invalid_argument: no such file here, or the place is
/// no code.
const void* function_at(const code_place& place);

} // namespace remote
