// Stands for NVIDIA's management library: one GPU at 0000:01:00.0, without a fan and without a counter of
// energy. The signatures are those of the library's reference.
#include <cstring>

namespace {
constexpr int success = 0, not_supported = 3, not_found = 6;
int the_gpu;
bool is_gpu(const void* device) { return device == &the_gpu; }
} // namespace

extern "C" {

int nvmlInit_v2() { return success; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  if (std::strcmp(address, "0000:01:00.0") != 0) return not_found;
  *device = &the_gpu;
  return success;
}

int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius) {
  *celsius = 41;
  return is_gpu(device) && sensor == 0 ? success : not_supported;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = 118500;
  return is_gpu(device) ? success : not_supported;
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  *milliwatts = 700000;
  return is_gpu(device) ? success : not_supported;
}

int nvmlDeviceGetPowerManagementLimitConstraints(void* device, unsigned* least, unsigned* most) {
  *least = 200000;
  *most = 700000;
  return is_gpu(device) ? success : not_supported;
}

int nvmlDeviceGetFanSpeed(void*, unsigned*) { return not_supported; }

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long bytes[3]) {
  bytes[0] = 150ull << 20; // total, free, used
  bytes[1] = 149ull << 20;
  bytes[2] = 1ull << 20;
  return is_gpu(device) ? success : not_supported;
}

int nvmlDeviceGetMaxClockInfo(void* device, unsigned clock, unsigned* mhz) {
  *mhz = 3201;
  return is_gpu(device) && clock == 2 ? success : not_supported;
}

int nvmlDeviceGetMemoryBusWidth(void* device, unsigned* bits) {
  *bits = 6144;
  return is_gpu(device) ? success : not_supported;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4 | 0x20 | 0x40; // idle, power cap, thermal slowdown by software and by hardware
  return is_gpu(device) ? success : not_supported;
}
}
