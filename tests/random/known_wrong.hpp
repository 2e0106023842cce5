// Random kernels that a driver is known to get wrong, by seed, so that the tests report them by name instead of failing
// or hiding them. Found with Mesa 22.3.6 (LLVM 15.0.6); lavapipe, the same Mesa, POCL and the host are right for all.
#pragma once

#include <string_view>

namespace prism_random {

struct known_wrong {
  const char* platform; // part of its name
  unsigned seed;
  bool crashes;         // inside the driver's compiler: not launched at all
  const char* cause;
};

inline constexpr known_wrong known_wrongs[] = {
    {"rusticl", 42, true, "crashes in the driver's code generator"},
    {"rusticl", 75, true, "crashes in the driver's code generator"},
    {"rusticl", 143, false, "a float chosen between a converted 8- or 16-bit integer and a constant holds the bits of a half"},
    {"rusticl", 195, false, "a float chosen between a converted 8- or 16-bit integer and a constant holds the bits of a half"},
};

inline const known_wrong* find_known_wrong(std::string_view platform, unsigned long long seed) {
  for (const known_wrong& k : known_wrongs)
    if (k.seed == seed && platform.find(k.platform) != platform.npos) return &k;
  return nullptr;
}

} // namespace prism_random
