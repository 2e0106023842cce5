#include "runtime/specialise/kernel_state.hpp"

#include <cstdio>

namespace prism::runtime {

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

} // namespace prism::runtime
