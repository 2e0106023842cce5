// Devices whose unified shared memory is that of cl_intel_unified_shared_memory, by the driver of
// usm_driver.cpp: which kinds of memory they have, and that each copy, fill and launch uses the functions of
// the memory's kind.
#include "tests/devices/opencl/fixture.hpp"

namespace prism::devices {
namespace {

constexpr std::size_t width = 24, rows = 5, slices = 3, pitch = 64, bytes = pitch * rows * slices;

/// The parameter: what shared virtual memory the device has in addition.
class unified_shared_memory : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    setenv("PRISM_TEST_SVM", GetParam(), 1);
    if (!opencl_backend().probe().usable) GTEST_SKIP() << "no OpenCL driver is installed";
    m_opened = opencl_backend().open();
    std::erase_if(m_opened, [](const auto& each) {
      return each->info().platform_name != "Portable Computing Language";
    });
    if (m_opened.empty()) GTEST_SKIP() << "PoCL is not installed (package pocl-opencl-icd)";
    m_queue = dut().create_queue({});
  }
  device& dut() { return *m_opened.front(); }
  bool has_coarse() const { return std::strcmp(GetParam(), "coarse") == 0; }
  std::unique_ptr<memory> make(memory_kind kind) { return dut().create_memory(bytes, kind, 64); }
  void run(std::initializer_list<command> commands) {
    const std::uint64_t point = m_queue->submit({commands.begin(), commands.size()}, {});
    m_queue->points().wait(point);
    if (auto failure = m_queue->points().failure(point)) throw *failure;
  }
  /// A box of `width` bytes in rows of `pitch` bytes.
  static copy_command box(location from, location to) {
    copy_command made{from, to, width, rows, slices};
    for (location* side : {&made.from, &made.to}) side->row_pitch = pitch, side->slice_pitch = pitch * rows;
    return made;
  }
  static copy_command line(location from, location to) { return {from, to, bytes, 1, 1}; }
  static constexpr memory_kind kinds[] = {memory_kind::device, memory_kind::host, memory_kind::shared,
                                          memory_kind::buffer};
  std::vector<std::unique_ptr<device>> m_opened;
  std::unique_ptr<queue> m_queue;
};

TEST_P(unified_shared_memory, takes_the_place_of_fine_grained_shared_virtual_memory) {
  const capabilities& info = dut().info();
  EXPECT_TRUE(info.addresses && info.usm_device && info.usm_host && info.usm_shared);
  EXPECT_TRUE(info.features & image::addresses);
  EXPECT_TRUE(info.usm_atomic_host);
  EXPECT_FALSE(info.usm_atomic_shared) << "the host may not access shared allocations during kernels";
  for (const memory_kind kind : kinds) {
    const auto made = make(kind);
    EXPECT_NE(made->address(), 0u);
    EXPECT_EQ(made->host_pointer() != nullptr, kind == memory_kind::host || kind == memory_kind::shared);
    const bool is_svm = has_coarse() && made->host_pointer() == nullptr;
    EXPECT_EQ(made->native("cl_mem") != nullptr, is_svm) << "the extension's memory has no cl_mem";
  }
}

TEST_P(unified_shared_memory, shared_allocations_are_separate_because_the_host_may_not_touch_one_in_use) {
  const auto first = dut().create_memory(64, memory_kind::shared, 64),
             second = dut().create_memory(64, memory_kind::shared, 64);
  const std::uint64_t apart =
      std::max(first->address(), second->address()) - std::min(first->address(), second->address());
  EXPECT_NE(apart, 64u);
  const auto third = dut().create_memory(64, memory_kind::host, 64),
             fourth = dut().create_memory(64, memory_kind::host, 64);
  EXPECT_EQ(fourth->address() - third->address(), 64u) << "host allocations share a block";
}

TEST_P(unified_shared_memory, copies_lines_and_boxes_between_all_kinds) {
  std::vector<std::uint8_t> pattern(bytes), blank(bytes, 9), seen(bytes);
  std::iota(pattern.begin(), pattern.end(), std::uint8_t{0});
  for (const memory_kind from : kinds)
    for (const memory_kind to : kinds)
      for (const bool is_box : {false, true}) {
        const auto source = make(from), target = make(to);
        location out{nullptr, pattern.data()}, clear{nullptr, blank.data()}, back{nullptr, seen.data()};
        const location left{source.get()}, right{target.get()};
        run({line(out, left), line(clear, right), is_box ? box(left, right) : line(left, right),
             line(right, back)});
        for (std::size_t i = 0; i < bytes; ++i)
          ASSERT_EQ(seen[i], !is_box || i % pitch < width ? pattern[i] : 9)
              << int(from) << " to " << int(to) << (is_box ? ", a box" : ", a line") << ", byte " << i;
      }
}

TEST_P(unified_shared_memory, copies_boxes_from_and_to_the_host) {
  std::vector<std::uint8_t> pattern(bytes), seen(bytes);
  std::iota(pattern.begin(), pattern.end(), std::uint8_t{0});
  for (const memory_kind kind : kinds) {
    const auto memory = make(kind);
    std::fill(seen.begin(), seen.end(), 9);
    run({box({nullptr, pattern.data()}, {memory.get()}), box({memory.get()}, {nullptr, seen.data()})});
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(seen[i], i % pitch < width ? pattern[i] : 9) << int(kind) << ", byte " << i;
  }
}

TEST_P(unified_shared_memory, copies_from_and_to_memory_of_the_host_that_is_a_cl_mem) {
  if (!dut().info().adopt_host_memory) GTEST_SKIP() << dut().info().name << " adopts no host memory";
  std::vector<std::uint8_t> storage(bytes + 4096), seen(bytes, 9);
  std::uint8_t* host = storage.data() + (4096 - reinterpret_cast<std::uintptr_t>(storage.data()) % 4096);
  std::iota(host, host + bytes, std::uint8_t{0});
  const auto adopted = dut().adopt(host, bytes);
  ASSERT_NE(adopted, nullptr);
  for (const memory_kind kind : kinds) {
    const auto memory = make(kind);
    run({line({adopted.get()}, {memory.get()}), line({memory.get()}, {nullptr, seen.data()})});
    EXPECT_EQ(0, std::memcmp(seen.data(), host, bytes)) << int(kind);
  }
}

TEST_P(unified_shared_memory, fills_with_patterns_of_every_width) {
  for (const memory_kind kind : kinds)
    for (const std::size_t each : {1u, 3u, 4u, 12u, 16u}) {
      const auto memory = make(kind);
      fill_command fill{memory.get(), 0, bytes / each * each, {}};
      for (std::size_t i = 0; i < each; ++i) fill.pattern.push_back(std::byte(i + 1));
      std::vector<std::uint8_t> seen(bytes);
      run({fill, line({memory.get()}, {nullptr, seen.data()})});
      for (std::size_t i = 0; i < fill.bytes; ++i)
        ASSERT_EQ(seen[i], i % each + 1) << int(kind) << ", width " << each << ", byte " << i;
    }
}

TEST_P(unified_shared_memory, kernels_take_memories_and_addresses_of_all_kinds) {
  const auto code =
      dut().create_program({image::kind::opencl_c, axpy_text, sizeof axpy_text - 1, &axpy_record, ""});
  for (const memory_kind kind : kinds)
    for (const bool by_address : {false, true}) {
      const auto x = make(memory_kind::device), y = make(kind);
      const std::vector<float> ones(bytes / 4, 1.0f);
      std::vector<float> seen(bytes / 4);
      const location out{nullptr, const_cast<float*>(ones.data())};
      dispatch_command launch;
      launch.object = &code->get_kernel("axpy");
      launch.groups[0] = bytes / 4;
      launch.local[0] = 1;
      launch.arguments.resize(32);
      const axpy_block block{2.0f};
      std::memcpy(launch.arguments.data(), &block, sizeof block);
      if (by_address) launch.slots = {{nullptr, 0, x->address()}, {nullptr, 0, y->address()}};
      else launch.slots = {{x.get(), 0, 0}, {y.get(), 0, 0}};
      run({line(out, {x.get()}), line(out, {y.get()}), launch, line({y.get()}, {nullptr, seen.data()})});
      EXPECT_EQ(seen, std::vector<float>(bytes / 4, 3.0f)) << int(kind) << by_address;
    }
}

INSTANTIATE_TEST_SUITE_P(with_svm, unified_shared_memory, ::testing::Values("none", "coarse"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
} // namespace prism::devices
