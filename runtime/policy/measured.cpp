#include "runtime/policy/measured.hpp"

#include "runtime/policy/description_file.hpp"
#include "runtime/policy/problem.hpp"
#include "runtime/support/log.hpp"

#include <fstream>
#include <unistd.h>

namespace prism::policy {

namespace fs = std::filesystem;

namespace {

/// Letters and digits stay, so that a person finds the file; the rest becomes a line.
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

fs::path measured_file(const fs::path& cache, const std::string& backend, const std::string& name, const std::string& driver) {
  return cache.empty() ? fs::path() : cache / "measured" / (in_a_name(backend) + "_" + in_a_name(name) + "_" + in_a_name(driver) + ".yaml");
}

void apply_measured(device_description& device, const fs::path& file) {
  std::error_code unknown;
  if (file.empty() || !fs::exists(file, unknown)) return;
  try {
    const auto found = read_devices_file(file.native());
    if (found.size() != 1 || found.front().name != device.name) return; // two devices whose names differ in signs alone
    const device_description& measured = found.front();
    for (auto& [type, rate] : device.peak_gflops)
      if (const auto known = measured.peak_gflops.find(type); known != measured.peak_gflops.end()) rate = known->second;
    device.memory_hierarchy = measured.memory_hierarchy;
    device.launch_latency_us = measured.launch_latency_us;
    device.build_ms = measured.build_ms;
    device.transfer_gbps = measured.transfer_gbps;
    device.estimated = measured.estimated;
    device.sources = measured.sources;
  } catch (const problem& wrong) {
    support::log(support::level::warn, std::string("measurements are left out: ") + wrong.what());
  }
}

void write_measured(const device_description& device, const fs::path& file) {
  if (file.empty()) throw problem("measurements cannot be kept: there is no folder for them; set PRISM_CACHE_DIR");
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const fs::path fresh = file.native() + "." + std::to_string(getpid());
  std::ofstream out(fresh, std::ios::binary);
  out << write_yaml({device});
  out.close();
  if (!out || std::rename(fresh.c_str(), file.c_str()) != 0) {
    std::remove(fresh.c_str());
    throw problem("measurements cannot be written to " + file.native());
  }
}

} // namespace prism::policy
