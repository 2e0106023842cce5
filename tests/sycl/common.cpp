#include "tests/sycl/common.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const char* selector = std::getenv("PRISM_DEVICE_SELECTOR");
  try {
    const sycl::device device;
    std::printf("device: %s, %s\n", device.get_platform().get_info<sycl::info::platform::name>().c_str(),
                device.get_info<sycl::info::device::name>().c_str());
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    if (selector && std::strcmp(selector, "host") != 0) return 77;
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
