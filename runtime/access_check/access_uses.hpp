// The memory that a command group uses, for PRISM_CHECK=access.
#pragma once

#include "runtime/engine/engine.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace prism::memory {
class usm_registry;
}

namespace prism::runtime {

struct access_uses {
  struct memory_use {
    std::uint64_t base = 0, begin = 0,
                  // base: of the USM allocation; 0: ordinary host memory. begin, end: of the accessed bytes
        end = 0;
    bool writes = false;
    bool open = false; // a kernel's: the end of the accessed bytes is not known
  };
  /// Bytes that a command reads. The host must not change them until it knows that the command is complete.
  struct watch {
    std::uint64_t begin = 0, bytes = 0, rows = 1, pitch = 0;
    std::uint64_t content = 0; // hash of the bytes at submission
  };
  /// Bytes that a kernel may write, copied at submission. Bytes that differ afterwards were written by the
  /// kernel.
  struct snapshot {
    std::uint64_t begin = 0;
    std::vector<std::byte> bytes;
    std::uint64_t end() const { return begin + bytes.size(); }
  };
  struct buffer_use {
    const void* root = nullptr;
    std::uint64_t begin = 0, end = 0;
    bool writes = false;
  };

  std::string name, line; // line: "app.cpp:12" in the program; empty when it is not known
  std::vector<memory_use> memory;
  std::vector<buffer_use> buffers;
  std::vector<watch> watched;
  std::vector<snapshot> snapshots;
  // it may write memory that is not listed: host tasks, pointers found in memory, kernels of other compilers
  bool unknown = false;
};
/// Adds the memory that a command group uses.
void add_uses(const memory::usm_registry& usm, const command_group& group, access_uses& out);

/// Copies the bytes; returns false if the memory is not accessible.
bool read_memory(std::uint64_t begin, std::span<std::byte> to);
/// A hash of the bytes; empty if the memory is not accessible.
std::optional<std::uint64_t> content_of(const access_uses::watch& what);

} // namespace prism::runtime
