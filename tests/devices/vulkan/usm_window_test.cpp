// Host and shared memory at device addresses that differ from the host's pointers. A second mapping stands
// for the addresses of a discrete GPU. tests/sycl tests kernels that follow such pointers
// (PRISM_VULKAN_USM=split).
#include "fixture.hpp"

#include "devices/vulkan/usm_window.hpp"

namespace prism::devices::test {

struct usm_window : testing::Test {
  std::vector<std::unique_ptr<device>> devices;
  void SetUp() override {
    if (!vulkan_backend().probe().usable)
      GTEST_SKIP() << "no Vulkan driver: " << vulkan_backend().probe().reason;
    devices = vulkan::open_devices(
        {.usm = vulkan::device_options::usm_location::split_window, .usm_bytes = 1 << 20});
    std::erase_if(devices,
                  [](const auto& d) { return !static_cast<const vulkan::device&>(*d).has_window(); });
    if (devices.empty()) GTEST_SKIP() << "no Vulkan device here imports host memory";
  }
};

TEST_F(usm_window, has_addresses_of_its_own_on_the_device) {
  for (auto& d : devices) {
    const auto made = d->create_memory(100, memory_kind::shared, 64);
    const vulkan::usm_window* window = static_cast<vulkan::device&>(*d).made_window();
    ASSERT_NE(window, nullptr);
    EXPECT_NE(window->delta(), 0u);
    EXPECT_EQ(
        made->address(),
        reinterpret_cast<std::uint64_t>(made->host_pointer())); // the address that the user and kernels see
    EXPECT_GE(made->host_pointer(), static_cast<void*>(window->base()));
    EXPECT_LE(made->address() + 100, reinterpret_cast<std::uint64_t>(window->base()) + window->size());
  }
}

TEST_F(usm_window, is_copied_and_filled_like_other_memory) {
  for (auto& d : devices) {
    session s(*d);
    const auto shared = d->create_memory(4096, memory_kind::shared, 64),
               host = d->create_memory(4096, memory_kind::host, 64),
               own = d->create_memory(4096, memory_kind::device, 64);
    auto* const from = static_cast<std::uint8_t*>(shared->host_pointer());
    auto* const to = static_cast<std::uint8_t*>(host->host_pointer());
    for (int i = 0; i < 4096; ++i) from[i] = static_cast<std::uint8_t>(i * 7);
    s.run({copy_command{on(*shared), on(*own), 4096}, copy_command{on(*own), on(*host), 4096},
           fill_command{shared.get(), 16, 32, {std::byte{9}}}});
    for (int i = 0; i < 4096; ++i) {
      ASSERT_EQ(to[i], static_cast<std::uint8_t>(i * 7)) << i;
      ASSERT_EQ(from[i], i >= 16 && i < 48 ? 9 : static_cast<std::uint8_t>(i * 7)) << i;
    }
  }
}

TEST_F(usm_window, allocates_aligned_ranges_and_reuses_them) {
  for (auto& d : devices) {
    for (int round = 0; round < 3; ++round) {
      std::vector<std::unique_ptr<memory>> all;
      for (std::uint64_t alignment : {64u, 256u, 4096u, 64u, 1024u})
        all.push_back(d->create_memory(150'000, memory_kind::host, alignment));
      std::uint64_t alignments[] = {64, 256, 4096, 64, 1024};
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i]->address() % alignments[i], 0u);
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_TRUE(all[i]->address() + 150'000 <= all[j]->address() ||
                      all[j]->address() + 150'000 <= all[i]->address());
      }
    }
  }
}

TEST_F(usm_window, an_allocation_fails_when_it_is_full) {
  for (auto& d : devices) {
    const auto most = d->create_memory(900'000, memory_kind::shared, 64);
    try {
      d->create_memory(200'000, memory_kind::host, 64);
      FAIL() << "allocated more than the window has";
    } catch (const device_error& error) {
      EXPECT_EQ(error.category(), error_category::out_of_memory);
      EXPECT_NE(std::string(error.what()).find("PRISM_VULKAN_USM_SIZE"), std::string::npos) << error.what();
    }
  }
}

} // namespace prism::devices::test
