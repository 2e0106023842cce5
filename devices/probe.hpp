// Probing: whether a driver works at all, found out in a child process (`prism-probe <backend>`) because a broken driver
// crashes or hangs. The verdict is kept on disk under a fingerprint of everything that could change it, so only the
// first start after such a change pays for a child.
#pragma once

#include "devices/api/backend.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

namespace prism::devices {

/// Kept by value so that tests can aim it elsewhere.
struct probe_settings {
  std::filesystem::path program;           // prism-probe; empty: none, the probe runs in this process
  std::filesystem::path cache_folder;      // empty: no cache
  std::chrono::milliseconds limit{10'000};
};

/// From the environment: PRISM_PROBE, PRISM_PROBE_TIMEOUT_MS, PRISM_CACHE_DIR, XDG_CACHE_HOME, HOME; prism-probe is
/// looked for beside this library and the executable, then in ../bin and ../libexec/prism of either.
probe_settings default_probe_settings();

/// The verdict on `b`, from the cache, a child, or (without prism-probe) this process.
probe_result probe_backend(const backend& b, const probe_settings& settings);

/// Starts `program name` and reads its verdict. A crash, a time-out or garbled output is a result with its reason.
probe_result probe_in_child(const std::filesystem::path& program, const std::string& name,
                            std::chrono::milliseconds limit);

/// Calls the probe; exceptions become reasons.
probe_result probe_here(const backend& b);

/// What a verdict depends on: driver description files, library times, environment variables.
std::string driver_fingerprint();

/// The line prism-probe prints and the cache holds, and its inverse (empty when damaged).
std::string to_text(const probe_result& result);
std::optional<probe_result> from_text(const std::string& text);

} // namespace prism::devices
