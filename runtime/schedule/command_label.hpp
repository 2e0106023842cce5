// What a command is called in traces, the ledger and reports, and its line in the program.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace prism::schedule {

struct command_label {
  std::string text, line;
};
using label_ref = std::shared_ptr<const command_label>;

/// The labels of a device's last kernels, so that a launch in a loop makes no texts. Any thread.
class known_labels {
public:
  /// `file` and `line`: what tells one place in the program from another.
  template <typename Make>
  label_ref get(std::string_view name, std::string_view file, unsigned line, const Make& make) {
    const std::lock_guard lock(m_mutex);
    known& k = m_known[(name.size() * 31 + file.size() * 7 + line) % m_known.size()];
    if (k.label == nullptr || k.line != line || k.name != name || k.file != file) k = {std::string(name), std::string(file), line, make()};
    return k.label;
  }

private:
  struct known {
    std::string name, file; // copies: what a module's constants say may go with it
    unsigned line = 0;
    label_ref label;
  };
  std::mutex m_mutex;
  std::array<known, 32> m_known;
};

} // namespace prism::schedule
