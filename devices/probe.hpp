// Probing: whether a driver works at all, found out in a child process (`prism-probe <backend>`) because a
// broken driver crashes or hangs. Where one of several drivers does, each is tried alone, and the backend
// goes on with those that work. The verdict is stored on disk under a fingerprint of everything that could
// change it (drivers, variables, folders that drivers write to, limits of the process), so only the first
// start after such a change pays for a child. How long a stored verdict holds depends on how the probe ended:
// verdict_lifetime.
#pragma once

#include "devices/api/backend.hpp"
#include "devices/driver_files.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

namespace prism::devices {

/// Kept by value so that tests can aim it elsewhere.
struct probe_settings {
  std::filesystem::path program;      // prism-probe; empty: none, the probe runs in this process
  std::filesystem::path cache_folder; // empty: no cache
  std::chrono::milliseconds limit{10'000};
};

/// From the environment: PRISM_PROBE, PRISM_PROBE_TIMEOUT_MS, PRISM_CACHE_DIR, XDG_CACHE_HOME, HOME;
/// prism-probe is looked for beside this library and the executable, then in ../bin and ../libexec/prism of
/// either.
probe_settings default_probe_settings();

enum class probe_end {
  answered,
  crashed,   // or ended without a verdict
  timed_out, // perhaps only because the machine was busy
  not_started
};

struct verdict : probe_result {
  bool broken = false; // a driver crashed, hung or gave no answer; usable: others are left
  std::vector<std::filesystem::path> drivers; // the only ones to use; empty: all
  environment_changes environment; // so that the loader keeps to them; set it before devices are opened
  probe_end how = probe_end::answered;
  unsigned timeouts = 0; // in a row, of probes that timed out
};

/// How long a verdict with devices, without devices, of a crash, or of the n-th time-out in a row holds. A
/// working driver's holds until the fingerprint changes; no devices and a crash an hour, since memory may
/// have been short; a time-out a minute, then 4, 16 and 60 minutes; a probe that could not be started is not
/// stored.
std::chrono::seconds verdict_lifetime(const verdict& found);

/// Why PRISM_PROBE_TIMEOUT_MS cannot be meant; empty when it is a number of milliseconds or not set.
std::string wrong_probe_limit();

/// The verdict on `b`, from the cache, a child, or (without prism-probe) this process.
verdict probe_backend(const backend& b, const probe_settings& settings);

/// Starts `program name` and reads its verdict. A crash, a time-out or garbled output is a result with its
/// reason.
verdict probe_in_child(const std::filesystem::path& program, const std::string& name,
                       std::chrono::milliseconds limit, const environment_changes& environment = {});

/// Calls the probe; exceptions become reasons.
probe_result probe_here(const backend& b);

/// What a verdict depends on: driver description files, library times, environment variables.
std::string driver_fingerprint();

/// The line prism-probe prints and the cache's first, and its inverse (empty when damaged).
std::string to_text(const probe_result& result);
std::optional<probe_result> from_text(const std::string& text);

} // namespace prism::devices
