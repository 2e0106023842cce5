// Devices whose addresses are those of memory objects (cl_ext_buffer_device_address), by the driver of
// address_driver.cpp: which memory they have, and that kernels take and follow its addresses.
#include "tests/devices/opencl/fixture.hpp"

namespace prism::devices {
namespace {

constexpr std::size_t bytes = 4096;

class device_addresses : public ::testing::Test {
protected:
  void open(const char* extension) {
    setenv("PRISM_TEST_ADDRESSES", extension, 1);
    m_opened = opencl_backend().open();
    std::erase_if(m_opened, [](const auto& each) {
      return each->info().platform_name != "Portable Computing Language";
    });
  }
  device& dut() { return *m_opened.front(); }
  std::vector<std::unique_ptr<device>> m_opened;
};
#define OPEN_OR_SKIP(extension)                                                                              \
  if (!opencl_backend().probe().usable) GTEST_SKIP() << "no OpenCL driver is installed";                     \
  open(extension);                                                                                           \
  if (m_opened.empty()) GTEST_SKIP() << "PoCL is not installed (package pocl-opencl-icd)"

TEST_F(device_addresses, give_device_memory_addresses_without_shared_virtual_memory) {
  OPEN_OR_SKIP("new");
  const capabilities& info = dut().info();
  EXPECT_TRUE(info.addresses && info.usm_device);
  EXPECT_FALSE(info.usm_host || info.usm_shared) << "the host cannot access the memory";
  EXPECT_TRUE(info.features & image::addresses);
  for (const memory_kind kind : {memory_kind::device, memory_kind::buffer}) {
    const auto made = dut().create_memory(bytes, kind, 64);
    EXPECT_NE(made->address(), 0u);
    EXPECT_EQ(made->address() % 64, 0u);
    EXPECT_EQ(made->host_pointer(), nullptr);
  }
  EXPECT_NE(dut().create_memory(bytes, memory_kind::buffer, 64)->native("cl_mem"), nullptr);
  EXPECT_THROW(dut().create_memory(bytes, memory_kind::host, 64), device_error);
}

TEST_F(device_addresses, of_an_earlier_version_of_the_extension_are_not_used) {
  OPEN_OR_SKIP("old");
  EXPECT_FALSE(dut().info().addresses || dut().info().usm_device);
  EXPECT_EQ(dut().create_memory(bytes, memory_kind::buffer, 64)->address(), 0u);
}

TEST_F(device_addresses, are_arguments_of_kernels_whose_memory_is_copied_and_filled) {
  OPEN_OR_SKIP("new");
  const auto commands = dut().create_queue({});
  const auto run = [&](std::initializer_list<command> all) {
    const std::uint64_t point = commands->submit({all.begin(), all.size()}, {});
    commands->points().wait(point);
    if (auto failure = commands->points().failure(point)) throw *failure;
  };
  const auto code =
      dut().create_program({image::kind::opencl_c, axpy_text, sizeof axpy_text - 1, &axpy_record, ""});
  for (const bool by_address : {false, true}) {
    // both from one block of a pool
    const auto x = dut().create_memory(bytes, memory_kind::device, 64),
               y = dut().create_memory(bytes, memory_kind::device, 64);
    const std::vector<float> ones(bytes / 4, 1.0f);
    std::vector<float> seen(bytes / 4);
    fill_command fill{y.get(), 0, bytes, {}};
    for (std::size_t i = 0; i < 4; ++i)
      fill.pattern.push_back(reinterpret_cast<const std::byte*>(&ones[0])[i]);
    dispatch_command launch;
    launch.object = &code->get_kernel("axpy");
    launch.groups[0] = bytes / 4;
    launch.local[0] = 1;
    launch.arguments.resize(32);
    const axpy_block block{2.0f};
    std::memcpy(launch.arguments.data(), &block, sizeof block);
    if (by_address) launch.slots = {{nullptr, 0, x->address()}, {nullptr, 0, y->address()}};
    else launch.slots = {{x.get(), 0, 0}, {y.get(), 0, 0}};
    run({copy_command{{nullptr, const_cast<float*>(ones.data())}, {x.get()}, bytes, 1, 1}, fill, launch,
         copy_command{{y.get()}, {nullptr, seen.data()}, bytes, 1, 1}});
    EXPECT_EQ(seen, std::vector<float>(bytes / 4, 3.0f)) << by_address;
  }
}

} // namespace
} // namespace prism::devices
