// Makes a kernel pack from the kernels that a run of a program builds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prism::pack_tool {

struct make_request {
  std::filesystem::path file;
  std::vector<std::string> program; // with its arguments
  bool only_used = false; // only kernels that the run launches, instead of all kernels of the program
};

struct made_pack {
  std::size_t entries = 0;
  std::uintmax_t bytes = 0;
  int program_status = 0;
};

/// Runs the program with an empty cache folder and writes the programs in that folder to the pack. Throws
/// std::runtime_error.
made_pack make(const make_request& request);

} // namespace prism::pack_tool
