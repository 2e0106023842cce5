#include "devices/readings.hpp"

#include "devices/host_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace prism::devices {

namespace {

namespace fs = std::filesystem;

/// The number in a file, in another unit; nothing if there is none.
std::optional<double> number_in(const fs::path& file, double unit) {
  const std::string text = first_line(file.string());
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value * unit);
}

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& each : fs::directory_iterator(parent, none)) out.push_back(each.path());
  std::sort(out.begin(), out.end());
  return out;
}

constexpr double milli = 1e-3, micro = 1e-6;

/// The highest of temp1_input, temp2_input, ... in millidegrees.
std::optional<double> hottest_in(const fs::path& hwmon) {
  std::optional<double> out;
  for (int i = 1; i <= 16; ++i)
    if (const auto t = number_in(hwmon / ("temp" + std::to_string(i) + "_input"), milli))
      out = std::max(out.value_or(*t), *t);
  return out;
}

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

// https://docs.kernel.org/power/powercap/powercap.html: a package each in intel-rapl:0, intel-rapl:1, ...;
// AMD's processors have the same names. The energy is readable by root only, the limit by all.
void add_powercap(readings& to, const fs::path& root) {
  for (const fs::path& zone : folders_in(root / "sys/class/powercap")) {
    if (first_line((zone / "name").string()).compare(0, 8, "package-") != 0) continue;
    add(to.joules, number_in(zone / "energy_uj", micro));
    add(to.power_limit, number_in(zone / "constraint_0_power_limit_uw", micro));
  }
}

/// MemAvailable, in bytes.
std::optional<std::uint64_t> available_memory(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 13, "MemAvailable:") == 0)
      return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  return std::nullopt;
}

void add_processor(readings& to, const fs::path& root) {
  for (const fs::path& hwmon : folders_in(root / "sys/class/hwmon")) {
    const std::string name = first_line((hwmon / "name").string());
    if (name != "coretemp" && name != "k10temp" && name != "zenpower" && name != "cpu_thermal") continue;
    if (const auto t = hottest_in(hwmon)) to.celsius = std::max(to.celsius.value_or(*t), *t);
  }
  add_powercap(to, root);
  to.free_bytes = available_memory(root);
}

// https://docs.kernel.org/gpu/amdgpu/thermal.html, https://docs.kernel.org/gpu/xe/xe_hwmon.html (Linux's ABI
// documents sysfs-driver-amdgpu and sysfs-driver-intel-i915-hwmon).
void add_gpu(readings& to, const fs::path& device) {
  for (const fs::path& hwmon : folders_in(device / "hwmon")) {
    to.celsius = hottest_in(hwmon);
    to.watts = number_in(hwmon / "power1_average", micro);
    if (!to.watts) to.watts = number_in(hwmon / "power1_input", micro);
    to.joules = number_in(hwmon / "energy1_input", micro);
    to.power_limit = number_in(hwmon / "power1_cap", micro);
    if (!to.power_limit) to.power_limit = number_in(hwmon / "power1_max", micro);
    to.least_limit = number_in(hwmon / "power1_cap_min", micro);
    to.largest_limit = number_in(hwmon / "power1_cap_max", micro);
    if (!to.largest_limit) to.largest_limit = number_in(hwmon / "power1_rated_max", micro);
    if (const auto fan = number_in(hwmon / "pwm1", 1)) to.fan_percent = unsigned(*fan * 100 / 255 + 0.5);
  }
  const auto total = number_in(device / "mem_info_vram_total", 1);
  const auto used = number_in(device / "mem_info_vram_used", 1);
  if (total && used && *used <= *total) to.free_bytes = std::uint64_t(*total - *used);
  if (const std::string id = first_line((device / "device").string()); !id.empty())
    to.pci_device = std::uint32_t(std::strtoul(id.c_str(), nullptr, 16));
}

} // namespace

readings readings_of(const std::string& physical_id, const std::string& root,
                     const char* management_library) {
  readings out;
  const fs::path base = root.empty() ? fs::path("/") : fs::path(root);
  if (physical_id == "cpu") add_processor(out, base);
  else if (physical_id.compare(0, 4, "pci:") == 0) {
    const std::string pci = physical_id.substr(4);
    const fs::path device = base / "sys/bus/pci/devices" / pci;
    add_gpu(out, device);
    if (first_line((device / "vendor").string()) == "0x10de")
      add_nvidia_readings(out, pci, management_library);
  }
  return out;
}

} // namespace prism::devices
