// The record backend: always usable, lowest priority. See device.hpp.
#include "devices/api/backend.hpp"
#include "devices/record/device.hpp"

namespace prism::devices {
namespace record {
namespace {

struct configuration {
  std::mutex mutex;
  std::vector<device_setup> setups;
};

configuration& current() {
  static configuration instance;
  return instance;
}

std::vector<device_setup> default_setups() {
  const auto first = std::make_shared<driver>(), second = std::make_shared<driver>();
  return {
      {first, default_capabilities(0)}, {first, default_capabilities(1)}, {second, default_capabilities(2)}};
}

std::vector<std::unique_ptr<device>> open() {
  std::vector<device_setup> setups;
  {
    std::lock_guard lock(current().mutex);
    setups = current().setups;
  }
  if (setups.empty()) setups = default_setups();
  std::vector<std::unique_ptr<device>> devices;
  for (auto& setup : setups)
    devices.push_back(std::make_unique<record_device>(devices.size(), std::move(setup)));
  return devices;
}

} // namespace

capabilities default_capabilities(std::size_t number) {
  capabilities c;
  c.name = "record device " + std::to_string(number);
  c.vendor = c.platform_vendor = "PRISM";
  c.version = c.driver_version = c.platform_version = "1.0";
  c.platform_name = "PRISM record";
  c.physical_id = "record:" + std::to_string(number);
  c.type = device_type::custom;
  c.compute_units = 4;
  c.global_memory = 1u << 30;
  c.max_allocation = 1u << 30;
  c.local_memory = 64 * 1024;
  c.max_argument_bytes = 64 * 1024;
  c.cache_line = 64;
  c.max_group_size = 1024;
  c.max_local_size = {1024, 1024, 64};
  c.features = (std::uint64_t(image::clock_device) << 1) - 1; // every bit
  c.image_kinds = {image::kind::opencl_c, image::kind::vulkan_spirv, image::kind::host_group};
  c.sub_group_sizes = {8};
  c.usm_device = c.usm_host = c.usm_shared = c.usm_atomic_host = c.usm_atomic_shared = true;
  c.addresses = true;
  c.adopt_host_memory = false;
  c.profiling = true;
  c.atomic_orders = c.fence_orders = c.atomic_scopes = c.fence_scopes = {0, 1, 2, 3, 4};
  return c;
}

void configure(std::vector<device_setup> setups) {
  std::lock_guard lock(current().mutex);
  current().setups = std::move(setups);
}

} // namespace record

const backend& record_backend() {
  static const backend instance = [] {
    backend b;
    b.name = "record";
    b.display_name = "PRISM record device";
    b.type = "test";
    b.priority = -100;
    b.open = record::open;
    return b;
  }();
  return instance;
}

} // namespace prism::devices
