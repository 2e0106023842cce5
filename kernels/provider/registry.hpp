// The list of providers, with the reason for each that cannot be used. A provider is a file NAME.so in one of
// the folders. At its first use it is tried in a child process, loaded and opened. It stays open until the
// process ends.
//
// Thread-safe. A first query may load libraries; later ones take a lock for some nanoseconds.
#pragma once

#include "kernels/provider/trial.hpp"

#include <prism/provider.h>

#include <memory>
#include <mutex>
#include <optional>

namespace prism::provider {

/// An open provider. Lives as long as the registry.
struct open_provider {
  const prism_provider* table = nullptr;
  prism_provider_state* state = nullptr;
  std::string name, version, library, library_version;
  std::filesystem::path file;

  bool serves(int native) const { return (table->natives >> native & 1u) != 0; }
};

/// A file's entry in listings.
struct listed_provider {
  std::string name;
  std::filesystem::path file;
  const open_provider* open = nullptr; // null: not usable, see `reason`
  std::string reason;
};

struct registry_settings {
  std::vector<std::filesystem::path> folders; // if two have a file of the same name, the earlier folder wins
  trial_settings trial;
};
/// The folders of PRISM_PROVIDER_PATH, then prism/providers next to the library.
registry_settings default_registry_settings();

class registry {
public:
  explicit registry(registry_settings settings);
  registry(const registry&) = delete;
  ~registry(); // closes the providers that it opened

  /// All providers, by folder and name. Opens those that were not tried yet.
  std::vector<listed_provider> list();
  /// The usable providers, in the same order.
  std::vector<const open_provider*> all();
  /// Null, with the reason, if there is no such provider or it cannot be used.
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

/// The registry of the process, with the default settings at its first call. Never destroyed, because
/// commands may still run at exit.
registry& process_registry();

} // namespace prism::provider
