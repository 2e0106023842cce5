// What options made for other SYCL compilers mean to prism++, so that their build files serve unchanged.
// A pure function of one word. Sources: the users' manuals of DPC++ and AdaptiveCpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace prism::driver {

struct translation {
  std::vector<std::string> options; // clang's own words for it
  bool takes_the_next_word = false; // as its value, without use here
  std::string warning;              // "" where nothing that was asked for is lost
};

/// No value for what is no option of another SYCL compiler: clang's business. Throws std::invalid_argument,
/// with the reason, for an option that asks for a result which prism++ does not have.
std::optional<translation> translate(const std::string& argument);

/// A name of another compiler's -fsycl-targets=. Its kernels are for devices that PRISM reaches by OpenCL,
/// Vulkan or on the host, so such a name never narrows what is built.
bool is_target_of_others(const std::string& name);

} // namespace prism::driver
