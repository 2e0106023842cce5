// The providers there are, and why one is not. A provider is a file NAME.so in one of the folders; it is
// tried in a child process, loaded and opened when somebody first asks for it, and stays open until the
// process ends.
//
// Any thread; a first question may load libraries, later ones take a lock for some nanoseconds.
#pragma once

#include "kernels/provider/trial.hpp"

#include <prism/provider.h>

#include <memory>
#include <mutex>
#include <optional>

namespace prism::provider {

/// A provider that is open. Lives as long as the registry.
struct open_provider {
  const prism_provider* table = nullptr;
  prism_provider_state* state = nullptr;
  std::string name, version, library, library_version;
  std::filesystem::path file;

  bool serves(int native) const { return (table->natives >> native & 1u) != 0; }
};

/// What people are told of a file.
struct listed_provider {
  std::string name;
  std::filesystem::path file;
  const open_provider* open = nullptr; // null: left out for `reason`
  std::string reason;
};

struct registry_settings {
  std::vector<std::filesystem::path> folders; // an earlier one wins where two have the same name
  trial_settings trial;
};
/// The folders of PRISM_PROVIDER_PATH, then prism/providers beside the library.
registry_settings default_registry_settings();

class registry {
public:
  explicit registry(registry_settings settings);
  registry(const registry&) = delete;
  ~registry(); // closes what it opened

  /// All of them, in order of folder and name; opens what was not tried yet.
  std::vector<listed_provider> list();
  /// The usable ones in the same order.
  std::vector<const open_provider*> all();
  /// Null with the reason when there is no such provider or it cannot be used.
  const open_provider* find(const std::string& name, std::string* reason = nullptr);

private:
  struct entry {
    std::string name;
    std::filesystem::path file;
    std::string reason;
    bool tried = false;
    std::optional<open_provider> open;
  };
  void scan();
  void try_one(entry& one);

  registry_settings m_settings;
  std::mutex m_mutex;
  std::vector<std::unique_ptr<entry>> m_entries;
};

/// The process's own, by the default settings at the first call; never destroyed, as work may still run at
/// exit.
registry& process_registry();

} // namespace prism::provider
