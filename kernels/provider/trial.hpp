// Tests in a child process (`prism-provider-trial FILE`) whether a provider can be opened, because a broken
// library may crash or hang. The verdict is cached on disk under a fingerprint of the file and of the
// installed libraries, so only the first use after a change starts a child. A verdict "broken" expires after
// an hour.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace prism::provider {

/// Passed by value, so that tests can change them.
struct trial_settings {
  std::filesystem::path program;           // prism-provider-trial; empty: no trial
  std::filesystem::path cache_folder;      // empty: verdicts are not cached
  std::chrono::milliseconds limit{10'000}; // after this time the provider counts as hanging
};

/// From PRISM_PROBE_TIMEOUT_MS and PRISM_CACHE_DIR. The program is searched for next to this library and next
/// to the executable.
trial_settings default_trial_settings();

/// Why opening the provider would end or block this process; empty if it would not. A provider that only
/// refuses has passed.
std::string failed_trial(const std::filesystem::path& file, const trial_settings& settings);

/// Folders in which components of an installation or a build are searched: those of the library with this
/// code and of the executable.
std::vector<std::filesystem::path> own_folders();

} // namespace prism::provider
