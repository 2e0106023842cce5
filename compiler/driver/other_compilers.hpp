// Translates options for other SYCL compilers, so that their build files work unchanged. A pure function of
// one word. Sources: the users' manuals of DPC++ and AdaptiveCpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace prism::driver {

struct translation {
  std::vector<std::string> options; // the equivalent options of clang
  bool takes_the_next_word = false; // as a value, which is ignored
  std::string warning;              // "" if the translation loses nothing
};

/// No value for what is no option of another SYCL compiler: clang's business. Throws std::invalid_argument,
/// with the reason, for an option that asks for a result which prism++ does not have.
std::optional<translation> translate(const std::string& argument);

/// Whether another compiler accepts the name in -fsycl-targets=. PRISM reaches the devices of such a target
/// by OpenCL, Vulkan or on the host, so the name never reduces the set of images that are built.
bool is_target_of_others(const std::string& name);

} // namespace prism::driver
