#include "devices/host/capabilities.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace prism::devices::host {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "model name : X" of /proc/cpuinfo.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0)
      continue;
    const auto colon = line.find(':');
    const auto start = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

/// The folders of this process's cgroup and all its parents, innermost first: a limit on any of them holds.
std::vector<std::string> cgroup_folders() {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 3, "0::") != 0)
      continue;
    for (std::string path = line.substr(3); path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back("/sys/fs/cgroup" + path);
  }
  folders.push_back("/sys/fs/cgroup");
  return folders;
}

std::optional<double> cpu_quota() {
  std::optional<double> least;
  const auto consider = [&](double quota, double period) {
    if (quota > 0 && period > 0)
      least = std::min(least.value_or(quota / period), quota / period);
  };
  for (const auto& folder : cgroup_folders()) {
    std::istringstream line(first_line(folder + "/cpu.max"));
    std::string quota;
    double period = 0;
    if (line >> quota >> period && quota != "max")
      consider(std::strtod(quota.c_str(), nullptr), period);
  }
  consider(std::strtod(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").c_str(), nullptr),
           std::strtod(first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us").c_str(), nullptr));
  return least;
}

std::uint64_t usable_memory() {
  std::uint64_t bytes = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
  const auto consider = [&](const std::string& text) {
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
      if (const auto limit = std::strtoull(text.c_str(), nullptr, 10); limit > 0)
        bytes = std::min<std::uint64_t>(bytes, limit);
  };
  for (const auto& folder : cgroup_folders())
    consider(first_line(folder + "/memory.max"));
  consider(first_line("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return bytes;
}

std::uint32_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : int(sysconf(_SC_NPROCESSORS_ONLN));
  if (const auto quota = cpu_quota())
    count = std::min(count, int(std::ceil(*quota)));
  return std::uint32_t(std::max(count, 1));
}

std::uint64_t positive_sysconf(int name) { return std::uint64_t(std::max(0L, sysconf(name))); }

std::uint32_t vector_bytes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
#else
  return 16;
#endif
}

void fill_vector_widths(capabilities& c) {
  const std::uint32_t bytes = vector_bytes(), element[6] = {1, 2, 4, 8, 4, 8};
  for (int i = 0; i < 6; ++i)
    c.vector_widths_native[i] = c.vector_widths_preferred[i] = bytes / element[i];
  c.vector_widths_native[6] = c.vector_widths_preferred[6] = 1; // half is computed as float, one at a time
}

} // namespace

capabilities gather_capabilities() {
  capabilities c;
  c.name = cpuinfo("model name");
  if (c.name.empty())
    c.name = "host processor";
  c.vendor = cpuinfo("vendor_id");
  if (c.vendor.empty())
    c.vendor = "unknown";
  c.version = "1.0";
  c.driver_version = "0.1.0";
  c.platform_name = "PRISM host";
  c.platform_vendor = "PRISM";
  c.platform_version = "0.1.0";
  c.physical_id = "cpu";
  c.type = device_type::cpu;
  c.compute_units = usable_processors();
  c.max_clock_mhz = std::uint32_t(
      std::strtoull(first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str(), nullptr, 10) / 1000);
  if (c.max_clock_mhz == 0)
    c.max_clock_mhz = std::uint32_t(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr));
  c.global_memory = c.max_allocation = usable_memory();
  c.local_memory = 128 * 1024;
  c.max_argument_bytes = 64 * 1024;
  c.global_cache = std::max({positive_sysconf(_SC_LEVEL3_CACHE_SIZE), positive_sysconf(_SC_LEVEL2_CACHE_SIZE)});
  c.cache_line = std::uint32_t(positive_sysconf(_SC_LEVEL1_DCACHE_LINESIZE));
  if (c.cache_line == 0)
    c.cache_line = 64;
  c.base_alignment = 128; // the widest SYCL type
  c.max_group_size = 1024;
  c.max_local_size = {1024, 1024, 1024};
  c.features = image::fp16 | image::fp64 | image::int8 | image::int16 | image::int64 | image::int64_atomics | image::sub_groups |
               image::float_atomic_add | image::addresses | image::memory_model | image::signed_zero_inf_nan |
               image::fp16_storage;
  c.image_kinds = {image::kind::host_group};
  c.sub_group_sizes.assign(std::begin(image::group_sub_group_sizes), std::end(image::group_sub_group_sizes));
  c.usm_device = c.usm_host = c.usm_shared = c.usm_atomic_host = c.usm_atomic_shared = c.usm_system = true;
  c.addresses = c.host_visible = c.adopt_host_memory = true;
  c.adopt_alignment = 1;
  c.profiling = true;
  c.out_of_order = true;
  c.atomic_orders = c.fence_orders = c.atomic_scopes = c.fence_scopes = {0, 1, 2, 3, 4};
  fill_vector_widths(c);
  return c;
}

} // namespace prism::devices::host
