// sycl_ext_intel_device_info and the host's part of sycl_ext_oneapi_device_architecture: a device's place on
// the bus, its sensors and its architecture.
#include "devices/readings.hpp"

#include "runtime/api/impl.hpp"

#include <sycl/ext/intel/device_info.hpp>

#include <cmath>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

namespace architectures = ext::oneapi::experimental;
using architectures::architecture;
using ext::intel::throttle_reason;

architecture architecture_named(const std::string& name) {
  static constexpr struct {
    const char* name;
    architecture value;
  } all[] = {
#define PRISM_ARCHITECTURE(name, number) {#name, architecture::name},
#define PRISM_ARCHITECTURE_ALIAS(name, other) {#name, architecture::name},
#include <sycl/detail/architecture_table.hpp>
#undef PRISM_ARCHITECTURE
#undef PRISM_ARCHITECTURE_ALIAS
  };
  for (const auto& each : all)
    if (name == each.name) return each.value;
  return architecture::unknown;
}

/// Vulkan has no query for it, so another driver's answer for the same hardware counts too.
architecture architecture_of(const device_impl& one) {
  const prism::devices::capabilities& own = one.info();
  if (!own.architecture.empty()) return architecture_named(own.architecture);
  for (const device& each : device::get_devices()) {
    const prism::devices::capabilities& other = access_impl::get(each)->info();
    if (other.physical_id == own.physical_id && !other.architecture.empty())
      return architecture_named(other.architecture);
  }
  return architecture::unknown;
}

prism::devices::readings now(const device_impl& one) {
  return guarded([&] { return prism::devices::readings_of(one.info().physical_id); });
}

bool is_on_pci(const device_impl& one) { return one.info().physical_id.compare(0, 4, "pci:") == 0; }

bool has_uuid(const device_impl& one) { return one.info().uuid != std::array<std::uint8_t, 16>{}; }

/// The value, or the error of a query that the device's system does not answer.
template <typename T>
const T& reported(const std::optional<T>& value, const device_impl& one, const char* query,
                  const char* aspect) {
  if (value) return *value;
  throw_error(errc::feature_not_supported, std::string("ext::intel::info::device::") + query +
                                               ": neither the system nor the driver reports it for " +
                                               describe(one) + "; ask for aspect::" + aspect + " first");
}

std::int32_t milliwatts(double watts) { return static_cast<std::int32_t>(std::lround(watts * 1e3)); }

} // namespace

bool has_reading(const device_impl& one, aspect what) {
  if (what == aspect::ext_intel_pci_address) return is_on_pci(one);
  if (what == aspect::ext_intel_device_info_uuid) return has_uuid(one);
  const prism::devices::readings found = now(one);
  switch (what) {
    case aspect::ext_intel_device_id: return found.pci_device.has_value();
    case aspect::ext_intel_free_memory: return found.free_bytes.has_value();
    case aspect::ext_intel_memory_clock_rate: return found.memory_mhz.has_value();
    case aspect::ext_intel_memory_bus_width: return found.memory_bus_bits.has_value();
    case aspect::ext_intel_fan_speed: return found.fan_percent.has_value();
    case aspect::ext_intel_power_limits: return found.least_limit && found.largest_limit;
    case aspect::ext_intel_current_clock_throttle_reasons: return found.throttled.has_value();
    default: return false;
  }
}

} // namespace detail

bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const {
  return detail::architecture_of(*m_impl) == which;
}

bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category which) const {
  using ext::oneapi::experimental::arch_category;
  const auto family = static_cast<detail::architecture_family>(
      static_cast<std::uint64_t>(detail::architecture_of(*m_impl)) >> 32);
  switch (which) {
    case arch_category::intel_gpu: return family == detail::architecture_family::intel_gpu;
    case arch_category::nvidia_gpu: return family == detail::architecture_family::nvidia_gpu;
    case arch_category::amd_gpu: return family == detail::architecture_family::amd_gpu;
  }
  return false;
}

template <>
ext::oneapi::experimental::architecture
device::get_info<ext::oneapi::experimental::info::device::architecture>() const {
  return detail::architecture_of(*m_impl);
}

// One query: `found` has the readings.
#define READING(name, aspect, type, value, ...)                                                              \
  template <>                                                                                                \
  type device::get_info<ext::intel::info::device::name>() const {                                            \
    const prism::devices::readings found = detail::now(*m_impl);                                             \
    const auto& read = detail::reported(value, *m_impl, #name, #aspect);                                     \
    return __VA_ARGS__;                                                                                      \
  }
READING(device_id, ext_intel_device_id, std::uint32_t, found.pci_device, read)
READING(free_memory, ext_intel_free_memory, std::uint64_t, found.free_bytes, read)
READING(memory_clock_rate, ext_intel_memory_clock_rate, std::uint32_t, found.memory_mhz, read)
READING(memory_bus_width, ext_intel_memory_bus_width, std::uint32_t, found.memory_bus_bits, read)
READING(fan_speed, ext_intel_fan_speed, std::int32_t, found.fan_percent, static_cast<std::int32_t>(read))
READING(min_power_limit, ext_intel_power_limits, std::int32_t, found.least_limit, detail::milliwatts(read))
READING(max_power_limit, ext_intel_power_limits, std::int32_t, found.largest_limit, detail::milliwatts(read))
// Queries that no backend answers yet.
#define UNKNOWN(name, type)                                                                                  \
  template <>                                                                                                \
  type device::get_info<ext::intel::info::device::name>() const {                                            \
    return detail::reported(std::optional<type>(), *m_impl, #name, "ext_intel_" #name);                      \
  }
UNKNOWN(gpu_eu_count, std::uint32_t)
UNKNOWN(gpu_eu_simd_width, std::uint32_t)
UNKNOWN(gpu_slices, std::uint32_t)
UNKNOWN(gpu_subslices_per_slice, std::uint32_t)
UNKNOWN(gpu_eu_count_per_subslice, std::uint32_t)
UNKNOWN(gpu_hw_threads_per_eu, std::uint32_t)
UNKNOWN(max_mem_bandwidth, std::uint64_t)
#undef UNKNOWN

template <>
std::vector<ext::intel::throttle_reason>
device::get_info<ext::intel::info::device::current_clock_throttle_reasons>() const {
  const auto found = detail::now(*m_impl);
  std::vector<ext::intel::throttle_reason> out;
  for (const prism::devices::throttle each :
       detail::reported(found.throttled, *m_impl, "current_clock_throttle_reasons",
                        "ext_intel_current_clock_throttle_reasons"))
    out.push_back(static_cast<ext::intel::throttle_reason>(each)); // the same order
  return out;
}

template <>
std::string device::get_info<ext::intel::info::device::pci_address>() const {
  const auto address =
      detail::is_on_pci(*m_impl) ? std::optional(m_impl->info().physical_id.substr(4)) : std::nullopt;
  return detail::reported(address, *m_impl, "pci_address", "ext_intel_pci_address");
}

template <>
std::array<unsigned char, 16> device::get_info<ext::intel::info::device::uuid>() const {
  const auto uuid = detail::has_uuid(*m_impl) ? std::optional(m_impl->info().uuid) : std::nullopt;
  return detail::reported(uuid, *m_impl, "uuid", "ext_intel_device_info_uuid");
}

}
} // namespace sycl::_V1
