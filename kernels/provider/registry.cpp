#include "kernels/provider/registry.hpp"

#include "devices/api/private_folder.hpp"
#include "kernels/provider/module.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace prism::provider {

namespace fs = std::filesystem;

registry_settings default_registry_settings() {
  registry_settings settings;
  const char* const path = std::getenv("PRISM_PROVIDER_PATH");
  std::istringstream list(path ? path : "");
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) settings.folders.push_back(folder);
  std::error_code code;
  for (const fs::path& place : own_folders())
    for (const char* folder :
         {"prism/providers", "../lib/prism/providers", "../" PRISM_LIBRARY_FOLDER "/prism/providers"}) {
      const fs::path found = fs::weakly_canonical(place / folder, code);
      if (fs::is_directory(found, code) &&
          std::find(settings.folders.begin(), settings.folders.end(), found) == settings.folders.end())
        settings.folders.push_back(found);
    }
  settings.trial = default_trial_settings();
  return settings;
}

registry::registry(registry_settings settings) : m_settings(std::move(settings)) { scan(); }

registry::~registry() {
  for (const auto& one : m_entries)
    if (one->open) one->open->table->close(one->open->state);
}

/// Reads names only; no code of a provider runs.
void registry::scan() {
  const auto taken = [&](const std::string& name) -> const entry* {
    for (const auto& one : m_entries)
      if (one->name == name) return one.get();
    return nullptr;
  };
  for (const fs::path& folder : m_settings.folders) {
    if (const std::string why = why_not_trusted(folder); !why.empty()) {
      m_entries.push_back(std::make_unique<entry>(entry{"", folder, "the folder " + why, true, {}}));
      continue;
    }
    std::vector<fs::path> files;
    std::error_code ignored; // a folder that is removed meanwhile has no providers
    for (const auto& item : fs::directory_iterator(folder, ignored))
      if (item.path().extension() == ".so") files.push_back(item.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      auto one = std::make_unique<entry>(entry{file.stem().string(), file, "", false, {}});
      if (const entry* const first = taken(one->name))
        one->tried = true, one->reason = "the name is taken by " + first->file.string();
      m_entries.push_back(std::move(one));
    }
  }
}

void registry::try_one(entry& one) {
  if (one.tried) return;
  one.tried = true;
  one.reason = why_not_trusted(one.file);
  if (!one.reason.empty()) {
    one.reason = "the file " + one.reason;
    return;
  }
  one.reason = failed_trial(one.file, m_settings.trial);
  if (!one.reason.empty()) return;
  const module loaded = load_module(one.file, one.name);
  if (!loaded.table) {
    one.reason = loaded.reason;
    return;
  }
  open_provider opened{loaded.table,          nullptr, one.name, loaded.table->version,
                       loaded.table->library, "",      one.file};
  const char* version = nullptr;
  prism_message why{sizeof(prism_message), {}};
  if (const prism_status status = loaded.table->open(&opened.state, &version, &why); status != PRISM_OK) {
    why.text[sizeof why.text - 1] = 0;
    one.reason =
        why.text[0] ? std::string(why.text) : "its open failed with status " + std::to_string(status);
    return;
  }
  opened.library_version = version ? version : "";
  one.open = std::move(opened);
}

std::vector<listed_provider> registry::list() {
  const std::lock_guard lock(m_mutex);
  std::vector<listed_provider> out;
  for (const auto& one : m_entries) {
    try_one(*one);
    out.push_back({one->name, one->file, one->open ? &*one->open : nullptr, one->reason});
  }
  return out;
}

std::vector<const open_provider*> registry::all() {
  const std::lock_guard lock(m_mutex);
  std::vector<const open_provider*> out;
  for (const auto& one : m_entries) {
    try_one(*one);
    if (one->open) out.push_back(&*one->open);
  }
  return out;
}

const open_provider* registry::find(const std::string& name, std::string* reason) {
  const std::lock_guard lock(m_mutex);
  for (const auto& one : m_entries) {
    if (one->name != name) continue;
    try_one(*one);
    if (!one->open && reason) *reason = one->reason;
    return one->open ? &*one->open : nullptr;
  }
  if (reason) {
    *reason = "there is no file " + name + ".so in";
    for (const fs::path& folder : m_settings.folders) *reason += " " + folder.string();
    if (m_settings.folders.empty()) *reason += " any folder; set PRISM_PROVIDER_PATH";
  }
  return nullptr;
}

registry& process_registry() {
  static auto* const only = new registry(default_registry_settings());
  return *only;
}

} // namespace prism::provider
