// The extension sycl_ext_intel_device_info: a device's address on its bus, and what its sensors report. A
// query is answered on every device whose system or driver reports the value, as aspect::ext_intel_* states;
// otherwise it throws errc::feature_not_supported. No device of PRISM reports an Intel GPU's units
// (gpu_slices and the like). prism::readings in <prism/readings.hpp> has temperature and power too.
// Thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace intel {

/// Why the clocks are lower than they could be.
enum class throttle_reason { power_cap, current_limit, thermal_limit, psu_alert, sw_range, hw_range, other };

} // namespace intel
} // namespace ext

#define PRISM_INTEL_INFO(name, ...)                                                                          \
  namespace ext {                                                                                            \
  namespace intel {                                                                                          \
  namespace info {                                                                                           \
  namespace device {                                                                                         \
  struct name {                                                                                              \
    using return_type = __VA_ARGS__;                                                                         \
  };                                                                                                         \
  }                                                                                                          \
  }                                                                                                          \
  }                                                                                                          \
  }                                                                                                          \
  namespace detail {                                                                                         \
  template <>                                                                                                \
  struct device_descriptor<ext::intel::info::device::name> {                                                 \
    using return_type = __VA_ARGS__;                                                                         \
  };                                                                                                         \
  }                                                                                                          \
  template <>                                                                                                \
  __VA_ARGS__ device::get_info<ext::intel::info::device::name>() const;

PRISM_INTEL_INFO(device_id, std::uint32_t) // the model's number on the PCI bus
PRISM_INTEL_INFO(pci_address, std::string) // "0000:01:00.0"
PRISM_INTEL_INFO(uuid, std::array<unsigned char, 16>)
PRISM_INTEL_INFO(free_memory, std::uint64_t)       // bytes
PRISM_INTEL_INFO(memory_clock_rate, std::uint32_t) // MHz
PRISM_INTEL_INFO(memory_bus_width, std::uint32_t)  // bits
PRISM_INTEL_INFO(fan_speed, std::int32_t)          // per cent of the largest
PRISM_INTEL_INFO(min_power_limit, std::int32_t)    // milliwatts
PRISM_INTEL_INFO(max_power_limit, std::int32_t)    // milliwatts
PRISM_INTEL_INFO(current_clock_throttle_reasons, std::vector<ext::intel::throttle_reason>)
PRISM_INTEL_INFO(gpu_eu_count, std::uint32_t)
PRISM_INTEL_INFO(gpu_eu_simd_width, std::uint32_t)
PRISM_INTEL_INFO(gpu_slices, std::uint32_t)
PRISM_INTEL_INFO(gpu_subslices_per_slice, std::uint32_t)
PRISM_INTEL_INFO(gpu_eu_count_per_subslice, std::uint32_t)
PRISM_INTEL_INFO(gpu_hw_threads_per_eu, std::uint32_t)
PRISM_INTEL_INFO(max_mem_bandwidth, std::uint64_t) // bytes each second
#undef PRISM_INTEL_INFO

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
