// Translates the user's command line to clang's. A pure function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/places.hpp"

namespace prism::driver {

struct request {
  bool help = false;
  bool version = false;
  bool links = true; // false after -c, -S, -E, -fsyntax-only, -M
  bool has_input = false;
  std::string targets;                        // "": all
  std::string target_warnings = "on";         // off | on | error
  bool warns_of_names = true;                 // whether to warn of two kernels with one name
  std::vector<std::string> warnings;          // about options that have no effect here
  bool reproducible = false;                  // fixed orders of sums, no contraction
  bool checks_access = false;                 // of accessors' indices, and of the memory that host code uses
  bool offloads_standard_algorithms = false;  // --stdpar
  bool has_device_pass = false;               // device code is compiled by a pass of its own
  bool keeps_headers_parsed = false;          // no precompiled headers (header_cache.hpp)
  bool preprocesses = false, compiles = true; // -E; false for -E, -M, -MM, -fsyntax-only and the like
  std::vector<std::string> sources;           // the inputs in C++
  std::vector<std::string> rest;              // passed on unchanged
};

/// Throws std::invalid_argument for an unknown target; the message lists the known ones.
request parse(const std::vector<std::string>& arguments);

/// The arguments for clang++; the first is clang++ itself.
std::vector<std::string> clang_command(const request& asked, const places& where);

/// Whether the option's next word is its value, not an input.
bool takes_a_value(const std::string& argument);

std::string help_text();

} // namespace prism::driver
