// What a command group uses, as PRISM_CHECK=access sees it.
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
                  end = 0; // of the USM allocation, 0: the host's own memory; of the bytes
    bool writes = false;
    bool open = false; // a kernel's: it is not known how far it goes
  };
  /// Bytes that a command reads and the host must leave alone until it knows that the command is complete.
  struct watch {
    std::uint64_t begin = 0, bytes = 0, rows = 1, pitch = 0;
    std::uint64_t content = 0; // a hash of them when the command was submitted
  };
  /// What a kernel may write, as it was when the kernel was submitted: what differs afterwards the kernel has
  /// written.
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

  std::string name, line; // line: "app.cpp:12" of the program; empty when it is not known
  std::vector<memory_use> memory;
  std::vector<buffer_use> buffers;
  std::vector<watch> watched;
  std::vector<snapshot> kept;
  bool unknown =
      false; // may write what is not listed: host tasks, pointers found in memory, kernels of other compilers
};
/// Adds what a command group uses.
void add_uses(const memory::usm_registry& usm, const command_group& group, access_uses& out);

/// Copies what is there; false when it is not there any more.
bool read_memory(std::uint64_t begin, std::span<std::byte> to);
/// A hash of the bytes; none when they are not there any more.
std::optional<std::uint64_t> content_of(const access_uses::watch& what);

} // namespace prism::runtime
