// Lists every platform and device, and the one that the default selector chooses.
#include <sycl/sycl.hpp>

#include <iostream>

int main() {
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    std::cout << platform.get_info<sycl::info::platform::name>() << '\n';
    for (const sycl::device& device : platform.get_devices())
      std::cout << "  " << device.get_info<sycl::info::device::name>() << ": "
                << device.get_info<sycl::info::device::max_compute_units>() << " compute units, "
                << device.get_info<sycl::info::device::global_mem_size>() / (1 << 20) << " MiB, fp64 "
                << (device.has(sycl::aspect::fp64) ? "yes" : "no") << ", USM "
                << (device.has(sycl::aspect::usm_device_allocations) ? "yes" : "no") << '\n';
  }
  std::cout << "default: " << sycl::device(sycl::default_selector_v).get_info<sycl::info::device::name>()
            << '\n';
}
