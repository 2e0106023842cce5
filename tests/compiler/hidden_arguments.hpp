// Kernels that use arguments which the runtime appends to the captured block; included by kernels_test.cpp.
#pragma once

#include <cassert>

#include "tests/compiler/runner.hpp"

namespace hidden {

struct triple {
  double a;
  std::int16_t b;
};
inline constexpr int factor_id = 0;
constexpr char triple_id = 0; // internal linkage, like constants at namespace scope

template <class T, auto& Id>
const T& constant() {
  return *static_cast<const T*>(__prism_specialization_constant(&Id, sizeof(T)));
}

/// Writes words of text to the output block, as a stream does.
inline void write_word(std::uint32_t word) {
  auto* header = static_cast<prism::image::output_header*>(__prism_output());
  const std::uint32_t at = __atomic_fetch_add(&header->used, 4, __ATOMIC_RELAXED);
  if (at + 4 <= header->capacity)
    *reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(header + 1) + at) = word;
}

inline int checked(int value) {
  assert(value < 100 && "too large");
  return value + 1;
}

} // namespace hidden
