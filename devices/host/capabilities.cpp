#include "devices/host/capabilities.hpp"

#include "devices/host/isa.hpp"
#include "devices/host_limits.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace prism::devices::host {
namespace {

std::uint64_t positive_sysconf(int name) { return std::uint64_t(std::max(0L, sysconf(name))); }

void fill_vector_widths(capabilities& c) {
  const std::uint32_t bytes = vector_bytes(), element[6] = {1, 2, 4, 8, 4, 8};
  for (int i = 0; i < 6; ++i) c.vector_widths_native[i] = c.vector_widths_preferred[i] = bytes / element[i];
  c.vector_widths_native[6] = c.vector_widths_preferred[6] =
      1; // half is computed as float, one value at a time
}

} // namespace

partition_support partition_support_of(unsigned threads, std::size_t nodes) {
  if (threads < 2) return {};
  return {threads, true, true,
          nodes < 2 ? std::vector<affinity_domain>()
                    : std::vector{affinity_domain::numa, affinity_domain::next}};
}

capabilities gather_capabilities() {
  capabilities c;
  const host_limits limits = limits_of_this_process();
  c.name = limits.processor;
  c.vendor = cpuinfo("vendor_id");
  if (c.vendor.empty()) c.vendor = "unknown";
  c.version = "1.0";
  c.driver_version = "0.1.0";
  c.platform_name = "PRISM host";
  c.platform_vendor = "PRISM";
  c.platform_version = "0.1.0";
  c.physical_id = "cpu";
  c.architecture = processor_architecture;
  c.type = device_type::cpu;
  c.compute_units = limits.cores;
  c.partitions = partition_support_of(limits.cores, 1);
  c.max_clock_mhz =
      std::uint32_t(std::strtoull(first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str(),
                                  nullptr, 10) /
                    1000);
  if (c.max_clock_mhz == 0) c.max_clock_mhz = std::uint32_t(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr));
  c.global_memory = c.max_allocation = limits.memory_bytes;
  c.local_memory = 128 * 1024;
  c.max_argument_bytes = 64 * 1024;
  c.global_cache =
      std::max({positive_sysconf(_SC_LEVEL3_CACHE_SIZE), positive_sysconf(_SC_LEVEL2_CACHE_SIZE)});
  c.cache_line = std::uint32_t(positive_sysconf(_SC_LEVEL1_DCACHE_LINESIZE));
  if (c.cache_line == 0) c.cache_line = 64;
  c.base_alignment = 128; // the widest SYCL type
  c.max_group_size = 1024;
  c.long_range_group = 1024;
  c.max_local_size = {1024, 1024, 1024};
  c.features = image::fp16 | image::fp64 | image::int8 | image::int16 | image::int64 | image::int64_atomics |
               image::sub_groups | image::float_atomic_add | image::addresses | image::memory_model |
               image::signed_zero_inf_nan | image::fp16_storage | image::clock_sub_group |
               image::clock_device;
  c.image_kinds = {image::kind::host_group};
  c.sub_group_sizes.assign(std::begin(image::group_sub_group_sizes), std::end(image::group_sub_group_sizes));
  c.usm_device = c.usm_host = c.usm_shared = c.usm_atomic_host = c.usm_atomic_shared = c.usm_system = true;
  c.addresses = c.host_visible = c.adopt_host_memory = true;
  c.adopt_alignment = 1;
  c.profiling = true;
  c.out_of_order = true;
  c.copies_beside_kernels = c.compute_units > 1 ? copy_overlap::all : copy_overlap::none;
  c.atomic_orders = c.fence_orders = c.atomic_scopes = c.fence_scopes = {0, 1, 2, 3, 4};
  fill_vector_widths(c);
  return c;
}

} // namespace prism::devices::host
