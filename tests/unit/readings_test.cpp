// Sensors' readings from folders that look like Linux's, and from a library that stands for NVIDIA's.
#include "devices/readings.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace prism::devices {

namespace {

class readings_of_files : public testing::Test {
protected:
  readings_of_files()
      : m_root(std::filesystem::temp_directory_path() / ("readings" + std::to_string(getpid()))) {}
  ~readings_of_files() override { std::filesystem::remove_all(m_root); }
  void put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((m_root / file).parent_path());
    std::ofstream(m_root / file) << text << "\n";
  }
  readings read(const std::string& id, const char* library = "libnone.so") const {
    return readings_of(id, m_root.string(), library);
  }

private:
  std::filesystem::path m_root;
};

TEST_F(readings_of_files, a_processor_has_its_hottest_sensor_and_the_sum_of_its_packages) {
  put("sys/class/hwmon/hwmon0/name", "nvme");
  put("sys/class/hwmon/hwmon0/temp1_input", "99000");
  put("sys/class/hwmon/hwmon1/name", "coretemp");
  put("sys/class/hwmon/hwmon1/temp1_input", "51000");
  put("sys/class/hwmon/hwmon1/temp3_input", "64500");
  for (const std::string package : {"0", "1"}) {
    put("sys/class/powercap/intel-rapl:" + package + "/name", "package-" + package);
    put("sys/class/powercap/intel-rapl:" + package + "/energy_uj", "2500000");
    put("sys/class/powercap/intel-rapl:" + package + "/constraint_0_power_limit_uw", "125000000");
  }
  put("sys/class/powercap/intel-rapl:0:0/name", "core");
  put("sys/class/powercap/intel-rapl:0:0/energy_uj", "9000000");
  put("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:     512 kB");
  const readings now = read("cpu");
  EXPECT_DOUBLE_EQ(now.celsius.value(), 64.5);
  EXPECT_DOUBLE_EQ(now.joules.value(), 5);
  EXPECT_DOUBLE_EQ(now.power_limit.value(), 250);
  EXPECT_EQ(now.free_bytes.value(), 512u * 1024);
  EXPECT_FALSE(now.watts || now.fan_percent || now.pci_device || now.throttled);
}

TEST_F(readings_of_files, an_amd_gpu_reports_its_power_fan_and_free_memory) {
  const std::string gpu = "sys/bus/pci/devices/0000:03:00.0/";
  put(gpu + "vendor", "0x1002");
  put(gpu + "device", "0x73bf");
  put(gpu + "mem_info_vram_total", "17163091968");
  put(gpu + "mem_info_vram_used", "1073741824");
  put(gpu + "hwmon/hwmon4/temp1_input", "47000");
  put(gpu + "hwmon/hwmon4/temp2_input", "58000"); // the junction
  put(gpu + "hwmon/hwmon4/power1_average", "35000000");
  put(gpu + "hwmon/hwmon4/power1_cap", "255000000");
  put(gpu + "hwmon/hwmon4/power1_cap_min", "0");
  put(gpu + "hwmon/hwmon4/power1_cap_max", "293000000");
  put(gpu + "hwmon/hwmon4/pwm1", "51");
  const readings now = read("pci:0000:03:00.0");
  EXPECT_DOUBLE_EQ(now.celsius.value(), 58);
  EXPECT_DOUBLE_EQ(now.watts.value(), 35);
  EXPECT_DOUBLE_EQ(now.power_limit.value(), 255);
  EXPECT_DOUBLE_EQ(now.least_limit.value(), 0);
  EXPECT_DOUBLE_EQ(now.largest_limit.value(), 293);
  EXPECT_EQ(now.fan_percent.value(), 20u);
  EXPECT_EQ(now.free_bytes.value(), 17163091968u - 1073741824u);
  EXPECT_EQ(now.pci_device.value(), 0x73bfu);
}

TEST_F(readings_of_files, an_intel_gpu_reports_its_energy_and_limit) {
  const std::string gpu = "sys/bus/pci/devices/0000:03:00.0/";
  put(gpu + "vendor", "0x8086");
  put(gpu + "hwmon/hwmon2/energy1_input", "7000000");
  put(gpu + "hwmon/hwmon2/power1_max", "150000000");
  put(gpu + "hwmon/hwmon2/power1_rated_max", "190000000");
  const readings now = read("pci:0000:03:00.0");
  EXPECT_DOUBLE_EQ(now.joules.value(), 7);
  EXPECT_DOUBLE_EQ(now.power_limit.value(), 150);
  EXPECT_DOUBLE_EQ(now.largest_limit.value(), 190);
  EXPECT_FALSE(now.celsius || now.watts || now.free_bytes);
}

TEST_F(readings_of_files, an_nvidia_gpu_is_asked_by_its_library) {
  put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de");
  put("sys/bus/pci/devices/0000:01:00.0/device", "0x2335");
  const readings now = read("pci:0000:01:00.0", PRISM_TEST_MANAGEMENT_LIBRARY);
  EXPECT_DOUBLE_EQ(now.celsius.value(), 41);
  EXPECT_DOUBLE_EQ(now.watts.value(), 118.5);
  EXPECT_DOUBLE_EQ(now.power_limit.value(), 700);
  EXPECT_DOUBLE_EQ(now.least_limit.value(), 200);
  EXPECT_DOUBLE_EQ(now.largest_limit.value(), 700);
  EXPECT_EQ(now.free_bytes.value(), 149u << 20);
  EXPECT_EQ(now.memory_mhz.value(), 3201u);
  EXPECT_EQ(now.memory_bus_bits.value(), 6144u);
  EXPECT_EQ(now.pci_device.value(), 0x2335u);
  EXPECT_EQ(now.throttled.value(),
            (std::vector{throttle::power_cap, throttle::thermal_limit})); // two bits, one reason
  EXPECT_FALSE(now.fan_percent.has_value()) << "the library says that there is none";
  EXPECT_FALSE(now.joules.has_value()) << "the library lacks the function";
}

TEST_F(readings_of_files, other_gpus_and_missing_libraries_leave_the_values_absent) {
  put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de");
  EXPECT_FALSE(read("pci:0000:01:00.0").celsius.has_value());
  EXPECT_FALSE(read("pci:0000:09:00.0", PRISM_TEST_MANAGEMENT_LIBRARY).celsius.has_value());
  put("sys/bus/pci/devices/0000:02:00.0/vendor", "0x10de"); // not known to the library
  EXPECT_FALSE(read("pci:0000:02:00.0", PRISM_TEST_MANAGEMENT_LIBRARY).celsius.has_value());
}

TEST_F(readings_of_files, text_that_is_no_number_and_ids_of_other_kinds_leave_the_values_absent) {
  put("sys/class/hwmon/hwmon1/name", "k10temp");
  put("sys/class/hwmon/hwmon1/temp1_input", "N/A");
  EXPECT_FALSE(read("cpu").celsius.has_value());
  for (const char* id : {"", "described:big", "vulkan:00", "pci:"}) {
    const readings now = read(id);
    EXPECT_FALSE(now.celsius || now.watts || now.free_bytes || now.throttled) << id;
  }
}

} // namespace

} // namespace prism::devices
