// Runs one SPIR-V kernel on a Vulkan device with raw Vulkan calls, by the calling convention of
// devices/api/image.hpp.
//
// Stands alone on purpose: what it finds wrong is the emitter's fault or the driver's, never the runtime's.
// Slow (each run makes its pipeline anew); single-threaded. Memory is host-visible and its addresses are
// device addresses.
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
  /// Null when there is no usable device; `why` says what lacks.
  static std::unique_ptr<vulkan_runner> open(std::string& why);
  virtual ~vulkan_runner() = default;

  struct memory {
    void* host = nullptr;
    std::uint64_t address = 0; // on the device
  };
  /// Of compute shaders; 0 where they have no ballots and shuffles.
  virtual std::uint32_t sub_group_size() = 0;

  /// Lives as long as the runner.
  virtual memory allocate(std::uint64_t bytes) = 0;

  /// Empty, or what failed.
  virtual std::string run(const std::vector<std::uint32_t>& words, const std::string& entry,
                          const launch_shape& shape, const std::vector<std::uint64_t>& captured) = 0;
};

/// Empty, or what spirv-val says against a module for Vulkan 1.2. Names the missing tool when there is none.
std::string validate(const std::vector<std::uint32_t>& words);

} // namespace prism::test
