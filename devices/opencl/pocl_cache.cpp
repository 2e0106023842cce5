#include "devices/opencl/pocl_cache.hpp"

#include "devices/api/signal_line.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace prism::devices::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t least_bytes = 1 << 20; // the smallest kernel's files have 92 KiB

constinit thread_local bool builds = false;

void report_exit() { // exit() calls it on the thread that calls exit()
  if (!builds) return;
  signal_line text;
  text.add("prism: error: PoCL ends this process while it builds a kernel");
  if (const std::string full = full_pocl_cache(); !full.empty()) {
    text.add(": ");
    text.add(full);
  }
  text.add("; PRISM_DEVICE_SELECTOR=host runs the program without drivers");
  text.write();
}

fs::path pocl_cache_folder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (const std::string own = value("POCL_CACHE_DIR"); !own.empty()) return own;
  if (const std::string user = value("XDG_CACHE_HOME"); !user.empty()) return fs::path(user) / "pocl";
  if (const std::string home = value("HOME"); !home.empty()) return fs::path(home) / ".cache/pocl";
  return "/tmp"; // PoCL's own choice, in a folder there
}

} // namespace

pocl_building::pocl_building() {
  [[maybe_unused]] static const int registered = std::atexit(&report_exit);
  builds = true;
}

pocl_building::~pocl_building() { builds = false; }

std::string full_pocl_cache() {
  const fs::path folder = pocl_cache_folder();
  std::error_code error;
  fs::path there = folder; // the folder itself may not exist yet
  while (!there.empty() && !fs::exists(there, error) && there != there.parent_path())
    there = there.parent_path();
  const fs::space_info space = fs::space(there.empty() ? "." : there, error);
  if (error || space.available >= least_bytes) return {};
  return "the disk of PoCL's cache, " + folder.string() + ", is full (" +
         std::to_string(space.available / 1024) + " KiB are free); " + pocl_needs_a_cache;
}

} // namespace prism::devices::opencl
