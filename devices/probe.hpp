// Finds out whether a driver works. A child process (`prism-probe <backend>`) tries it, because a broken
// driver crashes or hangs. If the backend has several drivers and one of them crashes or hangs, each is tried
// alone, and the backend uses those that work. The verdict is cached on disk under a fingerprint of
// everything that could change it (drivers, variables, folders that drivers write to, limits of the process),
// so only the first start after such a change pays for a child process. verdict_lifetime() says when a cached
// verdict expires.
#pragma once

#include "devices/api/backend.hpp"
#include "devices/driver_files.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

namespace prism::devices {

/// A value, so that tests can use other programs and folders.
struct probe_settings {
  std::filesystem::path program;      // prism-probe; empty: none, the probe runs in this process
  std::filesystem::path cache_folder; // empty: no cache
  std::chrono::milliseconds limit{10'000};
};

/// Reads PRISM_PROBE, PRISM_PROBE_TIMEOUT_MS, PRISM_CACHE_DIR, XDG_CACHE_HOME and HOME. Looks for prism-probe
/// next to this library and the executable, then in ../bin and ../libexec/prism of either.
probe_settings default_probe_settings();

enum class probe_end {
  answered,
  crashed,   // or ended without a verdict
  timed_out, // perhaps only because the machine was busy
  not_started
};

struct verdict : probe_result {
  bool broken = false; // a driver crashed, hung or did not answer; if also usable, other drivers work
  std::vector<std::filesystem::path> drivers; // the only drivers to use; empty: all
  environment_changes environment; // limits the loader to `drivers`; set it before devices are opened
  probe_end how = probe_end::answered;
  unsigned timeouts = 0; // in a row, of probes that timed out
};

/// How long a cached verdict is valid. With devices: until the fingerprint changes. Without devices:
/// a minute, since what a driver lacks may be installed, which the fingerprint does not see. After a crash:
/// an hour, since memory may have been short. After a time-out: one minute, then 4, 16 and 60 minutes for the
/// next ones in a row. A probe that could not be started is not cached.
std::chrono::seconds verdict_lifetime(const verdict& found);

/// Why PRISM_PROBE_TIMEOUT_MS is invalid; empty if it is a number of milliseconds or not set.
std::string wrong_probe_limit();

/// The verdict on `b`, from the cache, a child, or (without prism-probe) this process.
verdict probe_backend(const backend& b, const probe_settings& settings);

/// Starts `program name` and reads its verdict. A crash, a time-out or garbled output gives an unusable
/// result with a reason.
verdict probe_in_child(const std::filesystem::path& program, const std::string& name,
                       std::chrono::milliseconds limit, const environment_changes& environment = {});

/// Calls the probe; turns exceptions into reasons.
probe_result probe_here(const backend& b);

/// Loads a library and does not unload it; why it cannot be loaded, in the dynamic linker's words, or empty.
/// A driver may crash or hang meanwhile: for a child process.
std::string why_not_loaded(const std::string& library);

/// What a verdict depends on: driver description files, library times, environment variables.
std::string driver_fingerprint();

/// Converts between a result and the line that prism-probe prints (also the first of a cache file); from_text
/// returns empty for a damaged line.
std::string to_text(const probe_result& result);
std::optional<probe_result> from_text(const std::string& text);

} // namespace prism::devices
