// The libFuzzer entry of the reader that PRISM_FUZZ_PARSER names. An exception that leaves the reader ends
// the program and is a finding.
#include "tests/fuzz/parsers.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const prism_fuzz::parser& reader = *prism_fuzz::find(PRISM_FUZZ_PARSER);
  try {
    reader.read(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s: %s\n", reader.name, wrong.what());
    std::abort();
  }
  return 0;
}
