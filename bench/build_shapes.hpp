// Sources of programs whose kernels are slow to build in compilers that are not prepared for them: many
// barriers, many live values, large constant tables, long arithmetic, many templates, device code of other
// files. The rows of builds.cpp compile and run them.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct build_shape {
  const char* name;
  std::string text; // of a C++ file without main
};

/// Files that prism++ and clang++ compile.
std::vector<build_shape> compiled_shapes();

/// One of the files of kernels that call a function of another file, and the file of that function.
std::string callers_text(int file, int kernels);
std::string callee_text();

/// A program that prints the wall and processor seconds of the first launch less those of the second:
/// `table N` and `buffer N` read N numbers from a constant table or a buffer, `live N` and `plain N` keep N
/// values alive with and without barriers. N is of `table_sizes` or `live_counts`.
std::string launched_text();
inline constexpr int table_sizes[] = {256, 1024, 4096}; // numbers of four bytes
inline constexpr int live_counts[] = {100, 300};

} // namespace bench
