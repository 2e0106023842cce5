// From the user's command line to clang's. A pure function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/places.hpp"

namespace prism::driver {

struct request {
  bool help = false;
  bool version = false;
  bool links = true; // no -c, -S, -E, -fsyntax-only, -M
  bool has_input = false;
  std::string targets;                // "" = all
  std::string target_warnings = "on"; // off | on | error
  bool warns_of_names = true;         // of two kernels with one name
  std::vector<std::string> warnings;  // of options that have no effect here
  bool checks_access = false;         // indices of accessors, what host code reads and writes
  std::vector<std::string> rest;      // passed on as they are
};

/// Throws std::invalid_argument for an unknown target, with the known ones.
request parse(const std::vector<std::string>& arguments);

/// The arguments for clang++, the program itself first.
std::vector<std::string> clang_command(const request& asked, const places& where);

std::string help_text();

} // namespace prism::driver
