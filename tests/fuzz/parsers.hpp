// Every reader of text and files from outside, as functions of bytes, for libFuzzer (fuzz_one.cpp) and for
// the inputs that are kept in seeds/ (seeds_test.cpp). A reader takes the bytes or refuses them by its own
// kind of error; whatever else leaves `read`, and std::logic_error above all, is a finding.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace prism_fuzz {

struct parser {
  const char* name; // of the program fuzz_NAME and of the folder seeds/NAME
  void (*read)(const std::string& bytes);
};

std::span<const parser> parsers();
/// Null when there is none of that name.
const parser* find(const std::string& name);

} // namespace prism_fuzz
