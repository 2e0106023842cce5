// A pack of what a run of a program builds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prism::pack_tool {

struct make_request {
  std::filesystem::path file;
  std::vector<std::string> program; // with its arguments
  bool only_used = false;           // not all kernels of the program, but those that the run launches
};

struct made_pack {
  std::size_t entries = 0;
  std::uintmax_t bytes = 0;
  int program_status = 0;
};

/// Runs the program with a cache of its own and writes what it left there. Throws std::runtime_error.
made_pack make(const make_request& request);

} // namespace prism::pack_tool
