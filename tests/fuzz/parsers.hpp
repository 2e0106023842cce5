// Every reader of text and files from outside, as functions of bytes, for libFuzzer (fuzz_one.cpp) and for
// the inputs in seeds/ (seeds_test.cpp). A reader accepts the bytes or throws its own type of error. Any
// other exception that leaves `read`, above all std::logic_error, is a finding.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace prism_fuzz {

struct parser {
  const char* name; // of the program fuzz_NAME and the folder seeds/NAME
  void (*read)(const std::string& bytes);
};

std::span<const parser> parsers();
/// Null if no reader has this name.
const parser* find(const std::string& name);

} // namespace prism_fuzz
