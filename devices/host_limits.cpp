#include "devices/host_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace prism::devices {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto colon = line.find(':');
    const auto start = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

namespace {

/// The control groups of this process and all their parents, innermost first; a limit on any of them holds.
/// For version 2 `controller` is empty, for version 1 it is one controller.
std::vector<std::string> cgroup_folders(const std::string& root, const std::string& controller) {
  const std::string mount = root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
  std::vector<std::string> folders;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) { // number:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") == std::string::npos) continue;
    for (std::string path = line.substr(second + 1); path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back(mount + path);
  }
  folders.push_back(mount);
  return folders;
}

std::optional<double> cpu_quota(const std::string& root) {
  std::optional<double> least;
  const auto consider = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = std::min(least.value_or(quota / period), quota / period);
  };
  for (const auto& folder : cgroup_folders(root, "")) {
    std::istringstream line(first_line(folder + "/cpu.max"));
    std::string quota;
    double period = 0;
    if (line >> quota >> period && quota != "max") consider(std::strtod(quota.c_str(), nullptr), period);
  }
  for (const auto& folder : cgroup_folders(root, "cpu"))
    consider(std::strtod(first_line(folder + "/cpu.cfs_quota_us").c_str(), nullptr),
             std::strtod(first_line(folder + "/cpu.cfs_period_us").c_str(), nullptr));
  return least;
}

std::uint64_t usable_memory(const std::string& root) {
  std::uint64_t bytes = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
  const auto consider = [&](const std::string& text) {
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
      if (const auto limit = std::strtoull(text.c_str(), nullptr, 10); limit > 0)
        bytes = std::min<std::uint64_t>(bytes, limit);
  };
  for (const auto& folder : cgroup_folders(root, "")) consider(first_line(folder + "/memory.max"));
  for (const auto& folder : cgroup_folders(root, "memory"))
    consider(first_line(folder + "/memory.limit_in_bytes"));
  return bytes;
}

std::uint32_t usable_processors(const std::string& root) {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : int(sysconf(_SC_NPROCESSORS_ONLN));
  if (const auto quota = cpu_quota(root)) count = std::min(count, int(std::ceil(*quota)));
  return std::uint32_t(std::max(count, 1));
}

} // namespace

host_limits limits_of_this_process(const std::string& root) {
  host_limits limits;
  limits.processor = cpuinfo("model name");
  if (limits.processor.empty()) limits.processor = "host processor";
  limits.cores = usable_processors(root);
  limits.memory_bytes = usable_memory(root);
  limits.sve = (" " + cpuinfo("Features") + " ").find(" sve ") != std::string::npos;
  return limits;
}

} // namespace prism::devices
