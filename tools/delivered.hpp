// The end of a program that prints: its exit status says whether the output was written.
#pragma once

#include <cstdio>
#include <iostream>

namespace prism {

/// `status`, or 2 after an error message if standard output could not be written (full disk, closed pipe).
inline int delivered(const char* program, int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout) return status;
  std::fprintf(stderr, "%s: standard output cannot be written\n", program);
  return 2;
}

} // namespace prism
