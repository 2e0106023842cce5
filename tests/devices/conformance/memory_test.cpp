// Allocation: kinds, alignment, addresses, limits, adoption.
#include "tests/devices/conformance/kit.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>

namespace prism::devices::conformance {
namespace {

class memory_test : public kit {};

TEST_F(memory_test, capabilities_are_plausible) {
  const auto& c = m_device.info();
  EXPECT_FALSE(c.name.empty());
  EXPECT_FALSE(c.platform_name.empty());
  EXPECT_GT(c.global_memory, 1u << 20);
  EXPECT_GT(c.max_allocation, 1u << 20);
  EXPECT_LE(c.max_allocation, c.global_memory);
  EXPECT_GE(c.compute_units, 1u);
  EXPECT_GE(c.max_group_size, 64u);
  EXPECT_GE(c.local_memory, 16u * 1024);
  EXPECT_FALSE(c.image_kinds.empty());
  EXPECT_FALSE(c.sub_group_sizes.empty());
  EXPECT_FALSE(m_device.fingerprint().empty());
  EXPECT_EQ(m_device.fingerprint(), m_device.fingerprint());
  for (int d = 0; d < 3; ++d) EXPECT_GE(c.max_local_size[d], 1u);
}

TEST_F(memory_test, an_allocation_has_the_requested_size_and_kind) {
  for (const std::uint64_t bytes : {1, 3, 64, 4097, 1 << 20}) {
    const auto m = make(bytes);
    EXPECT_EQ(m->size(), bytes);
    EXPECT_EQ(m->kind(), memory_kind::buffer);
  }
}

/// Flags from /proc/self/smaps of this process's mapping that contains the address. Empty if the mapping is a
/// file's.
std::string flags_of_anonymous_mapping(std::uint64_t address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, inode = 0;
    char rights[8] = {}, device[16] = {};
    unsigned long long offset = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %7s %llx %15s %lu", &begin, &end, rights, &offset, device,
                    &inode) == 6)
      is_it = begin <= address && address < end && inode == 0;
    else if (is_it && line.starts_with("VmFlags:")) return line;
  }
  return {};
}

/// False on systems without huge pages, and under qemu, which ignores the request.
bool system_keeps_requests_for_huge_pages() {
  constexpr std::size_t bytes = 4u << 20;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, bytes, MADV_HUGEPAGE);
  const std::string flags = flags_of_anonymous_mapping(reinterpret_cast<std::uintptr_t>(memory) + bytes / 2);
  munmap(memory, bytes);
  return (flags + ' ').find(" hg ") != std::string::npos;
}

TEST_F(memory_test, large_host_allocations_request_huge_pages) {
  const auto& c = m_device.info();
  if (!c.usm_device || !c.usm_host || c.type != device_type::cpu)
    GTEST_SKIP() << c.name << " has no memory in this process";
  if (std::count(c.image_kinds.begin(), c.image_kinds.end(), image::kind::vulkan_spirv))
    GTEST_SKIP() << "Vulkan drivers do not map their memory here";
  const auto m = make(16u << 20, memory_kind::device);
  const std::string flags = flags_of_anonymous_mapping(m->address() + (8u << 20));
  if (flags.empty()) GTEST_SKIP() << "the driver of " << c.name << " maps a file for its memory";
  if ((' ' + flags).find(" rd ") == std::string::npos)
    GTEST_SKIP() << c.name << " has its memory elsewhere and only reserves the addresses here";
  if (!system_keeps_requests_for_huge_pages())
    GTEST_SKIP() << "the system ignores requests for huge pages (madvise), as qemu does";
  EXPECT_NE((flags + ' ').find(" hg "), std::string::npos) << flags;
}

TEST_F(memory_test, offers_the_usm_kinds_of_its_capabilities) {
  const auto& c = m_device.info();
  if (c.usm_device) {
    const auto m = make(1000, memory_kind::device);
    EXPECT_EQ(m->kind(), memory_kind::device);
    EXPECT_NE(m->address(), 0u);
  }
  for (const auto& [offered, kind] :
       {std::pair(c.usm_host, memory_kind::host), std::pair(c.usm_shared, memory_kind::shared)}) {
    if (!offered) continue;
    const auto m = make(1000, kind);
    EXPECT_EQ(m->kind(), kind);
    ASSERT_NE(m->host_pointer(), nullptr);
    EXPECT_NE(m->address(), 0u);
    const auto bytes = pattern(1000, 3);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(m->host_pointer()));
    EXPECT_EQ(read(*m), bytes);
    run(fill_command{m.get(), 0, 1000, {std::byte(9)}});
    EXPECT_EQ(static_cast<std::byte*>(m->host_pointer())[999], std::byte(9))
        << "the host must see what the device wrote";
  }
}

TEST_F(memory_test, serves_every_alignment_up_to_a_page) {
  for (std::uint64_t alignment = 1; alignment <= 4096; alignment *= 2)
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto kind = m_device.info().usm_device ? memory_kind::device : memory_kind::buffer;
      const auto m = m_device.create_memory(100, kind, alignment);
      EXPECT_EQ(m->address() % alignment, 0u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m->host_pointer()) % alignment, 0u);
    }
}

TEST_F(memory_test, live_allocations_do_not_overlap) {
  if (!m_device.info().usm_device) GTEST_SKIP() << "the device has no stable addresses";
  std::vector<std::unique_ptr<memory>> all;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    all.push_back(make(i * 37, memory_kind::device));
    ranges.emplace_back(all.back()->address(), all.back()->address() + all.back()->size());
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

TEST_F(memory_test, too_large_an_allocation_throws_out_of_memory) {
  for (const std::uint64_t bytes : {m_device.info().global_memory * 4, std::uint64_t(1) << 60})
    for (const auto kind : {memory_kind::buffer, memory_kind::device}) {
      if (kind == memory_kind::device && !m_device.info().usm_device) continue;
      try {
        make(bytes, kind);
        FAIL() << "allocated " << bytes << " bytes";
      } catch (const device_error& error) {
        EXPECT_EQ(error.category(), error_category::out_of_memory) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
      }
    }
  EXPECT_NE(make(1 << 20), nullptr) << "the device is usable afterwards";
}

TEST_F(memory_test, freed_memory_is_available_again) {
  const auto bytes = std::min<std::uint64_t>(m_device.info().max_allocation / 2, 64u << 20);
  for (std::uint64_t total = 0; total < 4u << 30; total += bytes) make(bytes);
}

TEST_F(memory_test, adopted_host_memory_is_used_in_place) {
  if (!m_device.info().adopt_host_memory) GTEST_SKIP() << "the device does not adopt host memory";
  const std::uint64_t alignment = std::max<std::uint64_t>(m_device.info().adopt_alignment, 64);
  const auto bytes = (10000 + alignment - 1) / alignment * alignment;
  auto* host = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
  const auto before = pattern(bytes, 1);
  std::copy(before.begin(), before.end(), host);
  {
    const auto m = m_device.adopt(host, bytes);
    ASSERT_NE(m, nullptr);
    EXPECT_EQ(m->size(), bytes);
    EXPECT_EQ(read(*m), before);
    run(fill_command{m.get(), 16, 32, std::vector<std::byte>(4, std::byte(0xab))});
    host[100] = std::byte(1);
    EXPECT_EQ(read(*m, 100, 1).front(), std::byte(1)) << "the device must see what the host wrote";
  }
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (const auto expected = i >= 16 && i < 48 ? std::byte(0xab)
                              : i == 100        ? std::byte(1)
                                                : before[i];
        host[i] != expected)
      FAIL() << "byte " << i << " is wrong in the adopted memory";
  std::free(host);
}

TEST_F(memory_test, adopting_an_unsuitable_range_returns_null) {
  if (m_device.info().adopt_host_memory && m_device.info().adopt_alignment == 1)
    GTEST_SKIP() << "the device adopts any range";
  std::vector<std::byte> host(8192 + m_device.info().adopt_alignment);
  auto* odd = host.data() + (reinterpret_cast<std::uintptr_t>(host.data()) % 2 == 0 ? 1 : 0);
  std::unique_ptr<memory> m;
  EXPECT_NO_THROW(m = m_device.adopt(odd, 4001));
  if (m) { // a device may do better than it reports, but its results must be right
    EXPECT_EQ(read(*m, 0, 4001), std::vector<std::byte>(odd, odd + 4001));
  }
}

} // namespace
} // namespace prism::devices::conformance
