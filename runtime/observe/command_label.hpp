// The name of a command in traces, the transfer log and reports, and its line in the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

namespace prism::runtime {

struct command_label {
  std::string text, line;
};
using label_ref = std::shared_ptr<const command_label>;

/// Caches the labels of a device's most recent kernels, so that launches in a loop create no strings. Any
/// thread.
class known_labels {
public:
  /// `file` and `line` identify the location in the program.
  template <typename Make>
  label_ref get(const char* name, const char* file, unsigned line, const Make& make) {
    const std::size_t slot =
        (reinterpret_cast<std::uintptr_t>(name) / 16 + reinterpret_cast<std::uintptr_t>(file) / 16 + line) %
        most;
    const std::lock_guard lock(m_mutex);
    known& k = m_known[slot];
    if (k.label == nullptr || k.line != line || std::strcmp(k.name.c_str(), name) != 0 ||
        std::strcmp(k.file.c_str(), file) != 0)
      k = {name, file, line, make()};
    return k.label;
  }

private:
  struct known {
    std::string name, file; // copies, because constants of a module are freed when it is unloaded
    unsigned line = 0;
    label_ref label;
  };
  static constexpr std::size_t most = 32;
  std::mutex m_mutex;
  std::array<known, most> m_known;
};

} // namespace prism::runtime
