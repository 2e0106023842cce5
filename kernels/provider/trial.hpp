// Whether a provider can be opened at all, found out in a child process (`prism-provider-trial FILE`),
// because a broken library crashes or hangs. The verdict is kept on disk under a fingerprint of the file and
// of the installed libraries, so only the first use after a change pays for a child. A verdict that it is
// broken holds for an hour.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace prism::provider {

/// By value, so that tests can aim it elsewhere.
struct trial_settings {
  std::filesystem::path program;           // prism-provider-trial; empty: no trial
  std::filesystem::path cache_folder;      // empty: verdicts are not kept
  std::chrono::milliseconds limit{10'000}; // then it hangs
};

/// From PRISM_PROBE_TIMEOUT_MS and PRISM_CACHE_DIR; the program is looked for beside this library and the
/// executable.
trial_settings default_trial_settings();

/// Why opening the provider would end or stop this process; empty when it would not. A provider that merely
/// refuses has passed.
std::string failed_trial(const std::filesystem::path& file, const trial_settings& settings);

/// Folders in which the parts of an installation, or of a build, are looked for: of the library with this
/// code, of the executable.
std::vector<std::filesystem::path> own_folders();

} // namespace prism::provider
