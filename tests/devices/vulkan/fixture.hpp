// Every test runs on each Vulkan device, once unchanged and once as a discrete GPU whose memory the host
// cannot access. VK_DRIVER_FILES selects the drivers.
#pragma once

#include "devices/vulkan/backend.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace prism::devices::test {

/// What the shaders of these names take.
struct axpy_arguments {
  std::uint64_t x, y;
  float a;
  std::uint32_t n;
};
struct spin_arguments {
  std::uint64_t data;
  std::uint32_t n, rounds;
};

inline std::vector<std::byte> shader(const std::string& name) {
  std::ifstream file(std::string(PRISM_TEST_SHADERS) + "/" + name + ".spv", std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

template <class T>
pool::vector<std::byte> bytes_of(const T& value) {
  pool::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  bytes.resize((bytes.size() + 15) / 16 * 16);
  return bytes;
}

inline location on_host(void* host, std::uint64_t offset = 0, std::uint64_t row = 0,
                        std::uint64_t slice = 0) {
  return {nullptr, host, offset, row, slice};
}
inline location on(memory& object, std::uint64_t offset = 0, std::uint64_t row = 0, std::uint64_t slice = 0) {
  return {&object, nullptr, offset, row, slice};
}

struct on_each_device : testing::TestWithParam<bool> {
  std::vector<std::unique_ptr<device>> devices;
  void SetUp() override {
    if (!vulkan_backend().probe().usable)
      GTEST_SKIP() << "no Vulkan driver: " << vulkan_backend().probe().reason;
    devices = vulkan::open_devices({.host_reaches_device_memory = GetParam()});
  }
  template <class Body>
  void each(Body body) {
    for (auto& device : devices) {
      SCOPED_TRACE(device->info().name);
      body(*device);
    }
  }
};

/// Whether a comparison of measured times holds in one of eight runs. A busy processor lengthens the times of
/// some runs; times of the wrong command are wrong in each.
template <class Run>
bool holds_in_one_of_eight(Run run) {
  for (int i = 0; i < 8; ++i) {
    if (run()) return true;
    if (testing::Test::HasFatalFailure()) return false;
  }
  return false;
}

/// A queue with the operations that most tests need.
struct session {
  device& on;
  std::unique_ptr<queue> q;
  std::vector<std::unique_ptr<program>> programs;

  explicit session(device& d, const queue_options& options = {}) : on(d), q(d.create_queue(options)) {}
  kernel& load(const std::string& name, std::uint32_t element_bytes = 4) {
    const auto image = shader(name);
    image::kernel_record record{};
    record.local_element_bytes = element_bytes;
    programs.push_back(
        on.create_program({image::kind::vulkan_spirv, image.data(), image.size(), &record, ""}));
    return programs.back()->get_kernel("main");
  }
  std::unique_ptr<memory> make(std::uint64_t bytes) {
    return on.create_memory(bytes, memory_kind::buffer, 64);
  }
  std::uint64_t submit(std::vector<command> commands, std::vector<timeline_point> waits = {}) {
    return q->submit(commands, waits);
  }
  void run(std::vector<command> commands) {
    const auto point = submit(std::move(commands));
    ASSERT_TRUE(q->points().wait(point));
    ASSERT_FALSE(q->points().failure(point));
  }
  template <class T>
  std::unique_ptr<memory> upload(const std::vector<T>& data) {
    auto made = make(data.size() * sizeof(T));
    run({copy_command{on_host(const_cast<T*>(data.data())), test::on(*made), data.size() * sizeof(T)}});
    return made;
  }
  template <class T>
  std::vector<T> download(memory& from, std::size_t count) {
    std::vector<T> data(count);
    run({copy_command{test::on(from), on_host(data.data()), count * sizeof(T)}});
    return data;
  }
};

} // namespace prism::devices::test
