// The readings of NVIDIA's GPUs, by its management library (NVML). The library is opened once and stays open.
// Functions that it lacks, or that a GPU does not support, leave their values absent.
#include "devices/readings.hpp"

#include <dlfcn.h>
#include <map>
#include <mutex>

namespace prism::devices {

namespace {

// From NVML's reference: https://docs.nvidia.com/deploy/nvml-api/. Every function returns 0 for success.
using handle = void*;
struct memory_bytes {
  unsigned long long total, free, used;
};
constexpr unsigned gpu_sensor = 0, memory_clock = 2;
struct reason_bit {
  unsigned long long bit;
  throttle reason;
};
constexpr reason_bit reason_bits[] = {
    // bits of one reason stand together
    {0x4, throttle::power_cap},        // software power cap
    {0x80, throttle::power_supply},    // hardware power brake: the supply asks for it
    {0x20, throttle::thermal_limit},   // software thermal slowdown
    {0x40, throttle::thermal_limit},   // hardware thermal slowdown
    {0x8, throttle::hardware_range},   // hardware slowdown
    {0x2, throttle::software_range},   // clocks set by an application
    {0x100, throttle::software_range}, // clocks for the display
    {0x10, throttle::other},           // kept in step with other GPUs
};

class management {
public:
  explicit management(const char* library) : m_library(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    const auto start = function<int()>("nvmlInit_v2");
    m_ready = start != nullptr && start() == 0;
  }
  void read(readings& to, const std::string& pci) const {
    handle gpu = nullptr;
    const auto find = function<int(const char*, handle*)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (!m_ready || find == nullptr || find(pci.c_str(), &gpu) != 0) return;
    unsigned value = 0, most = 0;
    unsigned long long wide = 0;
    if (call<int(handle, unsigned, unsigned*)>("nvmlDeviceGetTemperature", gpu, gpu_sensor, &value))
      to.celsius = value;
    if (call<int(handle, unsigned*)>("nvmlDeviceGetPowerUsage", gpu, &value)) to.watts = value / 1e3;
    if (call<int(handle, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption", gpu, &wide))
      to.joules = double(wide) / 1e3;
    if (call<int(handle, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit", gpu, &value))
      to.power_limit = value / 1e3;
    if (call<int(handle, unsigned*, unsigned*)>("nvmlDeviceGetPowerManagementLimitConstraints", gpu, &value,
                                                &most)) {
      to.least_limit = value / 1e3;
      to.largest_limit = most / 1e3;
    }
    if (call<int(handle, unsigned*)>("nvmlDeviceGetFanSpeed", gpu, &value)) to.fan_percent = value;
    if (memory_bytes m{}; call<int(handle, memory_bytes*)>("nvmlDeviceGetMemoryInfo", gpu, &m))
      to.free_bytes = m.free;
    if (call<int(handle, unsigned, unsigned*)>("nvmlDeviceGetMaxClockInfo", gpu, memory_clock, &value))
      to.memory_mhz = value;
    if (call<int(handle, unsigned*)>("nvmlDeviceGetMemoryBusWidth", gpu, &value)) to.memory_bus_bits = value;
    if (call<int(handle, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &wide))
      to.throttled = reasons_of(wide);
  }

private:
  template <typename Signature>
  Signature* function(const char* name) const {
    return m_library == nullptr ? nullptr : reinterpret_cast<Signature*>(dlsym(m_library, name));
  }
  template <typename Signature, typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto found = function<Signature>(name);
    return found != nullptr && found(arguments...) == 0;
  }
  static std::vector<throttle> reasons_of(unsigned long long bits) {
    std::vector<throttle> out;
    for (const reason_bit& each : reason_bits)
      if ((bits & each.bit) != 0 && (out.empty() || out.back() != each.reason)) out.push_back(each.reason);
    return out;
  }

  void* m_library;
  bool m_ready = false;
};

} // namespace

void add_nvidia_readings(readings& to, const std::string& pci, const char* library) {
  static std::mutex mutex;
  static auto* const opened =
      new std::map<std::string, management>; // not destroyed: drivers may be unloaded before
  const std::lock_guard lock(mutex);
  opened->try_emplace(library, library).first->second.read(to, pci);
}

} // namespace prism::devices
