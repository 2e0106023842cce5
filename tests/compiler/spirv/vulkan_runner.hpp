// Runs one SPIR-V kernel on a Vulkan device by raw Vulkan calls, with the calling convention of
// devices/api/image.hpp.
//
// It uses nothing of the runtime, so that each error that it finds is the emitter's or the driver's. Slow,
// because each run makes its pipeline; single-threaded. Memory is host-visible, and its addresses are device
// addresses.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace prism::test {

struct launch_shape {
  std::uint32_t groups[3] = {1, 1, 1};
  std::uint32_t local[3] = {1, 1, 1};
  std::uint32_t local_elements = 1;
};

class vulkan_runner {
public:
  /// Null if there is no usable device; `why` is the reason.
  static std::unique_ptr<vulkan_runner> open(std::string& why);
  virtual ~vulkan_runner() = default;

  struct memory {
    void* host = nullptr;
    std::uint64_t address = 0; // on the device
  };
  /// The size for compute shaders; 0 if they have no ballots and shuffles.
  virtual std::uint32_t sub_group_size() = 0;

  /// Lives until the runner is destroyed.
  virtual memory allocate(std::uint64_t bytes) = 0;

  /// Empty, or the error.
  virtual std::string run(const std::vector<std::uint32_t>& words, const std::string& entry,
                          const launch_shape& shape, const std::vector<std::uint64_t>& captured) = 0;
};

/// Empty, or the error of SPIR-V's validator for a module for Vulkan 1.2. In this process: the tests validate
/// some hundred modules, and a start of spirv-val takes ten times as long.
std::string validate(const std::vector<std::uint32_t>& words);

} // namespace prism::test
