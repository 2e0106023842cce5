#include "extras/policy/measured.hpp"

#include "devices/api/private_folder.hpp"
#include "extras/policy/description_file.hpp"
#include "extras/policy/problem.hpp"
#include "runtime/support/log.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace prism::policy {

namespace fs = std::filesystem;

namespace {

/// Makes a readable file name: letters, digits and '.' stay, other characters become '-'.
std::string in_a_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (plain) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  return out.substr(0, 80);
}

} // namespace

fs::path measured_file(const fs::path& cache, const std::string& backend, const std::string& name,
                       const std::string& driver) {
  return cache.empty() ? fs::path()
                       : cache / "measured" /
                             (in_a_name(backend) + "_" + in_a_name(name) + "_" + in_a_name(driver) + ".yaml");
}

void apply_measured(device_description& device, const fs::path& file) {
  struct stat info{};
  if (file.empty() || ::lstat(file.c_str(), &info) != 0) return;
  std::string why = why_not_private(file.parent_path());
  if (why.empty() && !is_own_file(info)) why = "it is not a private file of this user";
  if (!why.empty())
    return support::log(support::level::warn, "measurements ignored: " + file.native() + ": " + why);
  try {
    const auto found = read_devices_file(file.native());
    if (found.size() != 1 || found.front().name != device.name)
      return; // another device, whose name differs only in punctuation
    const device_description& measured = found.front();
    for (auto& [type, rate] : device.peak_gflops)
      if (const auto known = measured.peak_gflops.find(type); known != measured.peak_gflops.end())
        rate = known->second;
    device.memory_hierarchy = measured.memory_hierarchy;
    device.launch_latency_us = measured.launch_latency_us;
    device.build_ms = measured.build_ms;
    device.transfer_gbps = measured.transfer_gbps;
    device.estimated = measured.estimated;
    device.sources = measured.sources;
  } catch (const problem& wrong) {
    support::log(support::level::warn, std::string("measurements ignored: ") + wrong.what());
  }
}

void write_measured(const device_description& device, const fs::path& file) {
  if (file.empty())
    throw problem("measurements cannot be stored: there is no cache folder; set PRISM_CACHE_DIR");
  const std::string why =
      make_private_folder(file.parent_path()) ? why_not_private(file.parent_path()) : std::strerror(errno);
  if (!why.empty())
    throw problem("measurements cannot be stored in " + file.parent_path().native() + ": " + why);
  if (!write_private_file(file, write_yaml({device})))
    throw problem("measurements cannot be written to " + file.native());
}

} // namespace prism::policy
