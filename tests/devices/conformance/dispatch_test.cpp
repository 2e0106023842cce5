// Launches: arguments, offsets, shapes, local memory, many groups.
#include "tests/devices/conformance/launcher.hpp"

namespace prism::devices::conformance {
namespace {

class dispatch_test : public launcher {
protected:
  void identify(extent3 groups, extent3 local) {
    const auto s = source(test_kernel::identify);
    auto& k = built(test_kernel::identify);
    const auto items = local[0] * local[1] * local[2], count = groups[0] * groups[1] * groups[2];
    const auto m = words(count * items, 0);
    run(make_dispatch(s, k, *m, 0, 7, 0, groups, local));
    const auto result = values(*m);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < result.size(); ++i)
      wrong += result[i] != std::uint32_t(i / items * 4096 + i % items + 7);
    EXPECT_EQ(wrong, 0u) << groups[0] << "x" << groups[1] << "x" << groups[2] << " groups of " << local[0]
                         << "x" << local[1] << "x" << local[2];
  }
};

TEST_F(dispatch_test, a_kernel_reads_its_arguments_and_memory) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  const auto m = words(1000, 3);
  run(make_dispatch(s, k, *m, 0, 11, 900, {16, 1, 1}, {64, 1, 1}));
  const auto result = values(*m);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(result[i], i < 900 ? 33 + i : 3) << i;
}

TEST_F(dispatch_test, the_groups_of_a_part_have_their_ids_in_the_whole) {
  auto s = source(test_kernel::scale_add);
  s.source.moves_groups = true;
  m_programs.push_back(m_device.create_program(s.source));
  auto& k = m_programs.back()->get_kernel(s.record->entry);
  const auto m = words(1000, 3);
  for (const std::uint32_t first : {4u, 0u}) {
    auto d = make_dispatch(s, k, *m, 0, 11, 900, {4, 1, 1}, {64, 1, 1});
    d.part = {1, 0, first};
    run(std::move(d));
    const auto result = values(*m);
    for (std::uint32_t i = 0; i < 1000; ++i)
      ASSERT_EQ(result[i], i >= first * 64 && i < 512 ? 33 + i : 3) << i << " of the part from " << first;
  }
}

TEST_F(dispatch_test, the_groups_of_a_part_have_the_group_counts_of_the_whole) {
  auto s = source(test_kernel::identify);
  s.source.moves_groups = true;
  m_programs.push_back(m_device.create_program(s.source));
  auto& k = m_programs.back()->get_kernel(s.record->entry);
  const extent3 whole{4, 6, 5}, local{2, 3, 1};
  const std::uint64_t items = local[0] * local[1] * local[2], groups = whole[0] * whole[1] * whole[2];
  for (const std::uint32_t dimension : {0u, 1u, 2u}) {
    const auto m = words(groups * items, 0);
    auto d = make_dispatch(s, k, *m, 0, 7, 0, whole, local);
    d.part = {1, dimension, 1, std::uint32_t(whole[dimension])};
    d.groups[dimension] = 2;
    run(std::move(d));
    const auto result = values(*m);
    for (std::uint64_t i = 0; i < result.size(); ++i) {
      const std::uint64_t group = i / items;
      const extent3 id{group % whole[0], group / whole[0] % whole[1], group / whole[0] / whole[1]};
      const bool is_inside = id[dimension] == 1 || id[dimension] == 2;
      ASSERT_EQ(result[i], is_inside ? std::uint32_t(group * 4096 + i % items + 7) : 0)
          << i << " divided in dimension " << dimension;
    }
  }
}

TEST_F(dispatch_test, a_pointer_argument_starts_at_its_byte_offset) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  for (const std::uint64_t skip : {1, 2, 3, 64, 500}) {
    const auto m = words(1000, 3);
    run(make_dispatch(s, k, *m, skip * 4, 2, 100, {2, 1, 1}, {64, 1, 1}));
    const auto result = values(*m);
    for (std::uint64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(result[i], i >= skip && i < skip + 100 ? 6 + i - skip : 3)
          << "offset " << skip << " at " << i;
  }
}

TEST_F(dispatch_test, kernels_use_adopted_memory) {
  const auto s = source(test_kernel::scale_add);
  if (!m_device.info().adopt_host_memory) GTEST_SKIP() << "the device does not adopt host memory";
  auto& k = built(test_kernel::scale_add);
  const std::uint64_t alignment = std::max<std::uint64_t>(m_device.info().adopt_alignment, 4096);
  auto* host = static_cast<std::uint32_t*>(std::aligned_alloc(alignment, alignment));
  std::fill_n(host, 256, 4u);
  {
    const auto m = m_device.adopt(host, alignment);
    ASSERT_NE(m, nullptr);
    if (m->address() != 0 || s.source.kind == image::kind::opencl_c)
      run(make_dispatch(s, k, *m, 0, 2, 256, {4, 1, 1}, {64, 1, 1}));
    else std::fill_n(host, 256, 0u); // a kernel cannot name the memory: nothing to check
    // If host_visible is false, the runtime reads adopted memory only after the point is reached, as here.
  }
  for (std::uint32_t i = 0; i < 256; ++i) ASSERT_TRUE(host[i] == 8 + i || host[0] == 0) << i;
  std::free(host);
}

TEST_F(dispatch_test, usm_addresses_can_be_passed_as_values) {
  const auto s = source(test_kernel::scale_add);
  if (!m_device.info().usm_device) GTEST_SKIP() << "the device has no USM";
  auto& k = built(test_kernel::scale_add);
  for (const auto kind : {memory_kind::device, memory_kind::host, memory_kind::shared}) {
    if ((kind == memory_kind::host && !m_device.info().usm_host) ||
        (kind == memory_kind::shared && !m_device.info().usm_shared))
      continue;
    const auto m = make(1024, kind);
    run(fill_command{m.get(), 0, 1024, {std::byte(1), std::byte(0), std::byte(0), std::byte(0)}});
    auto d = make_dispatch(s, k, *m, 0, 3, 256, {4, 1, 1}, {64, 1, 1});
    if (!d.slots.empty()) d.slots[0] = {nullptr, 0, m->address()};
    run(d);
    const auto result = values(*m);
    for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(result[i], 3 + i) << "kind " << int(kind);
  }
}

TEST_F(dispatch_test, every_work_item_of_any_range_has_its_own_id) {
  identify({1, 1, 1}, {1, 1, 1});
  identify({5, 1, 1}, {32, 1, 1});
  identify({3, 4, 5}, {2, 3, 4});
  identify({7, 2, 1}, {1, 1, 16});
  identify({1, 9, 1}, {5, 7, 1});
}

TEST_F(dispatch_test, runs_the_largest_group) {
  const auto limit =
      std::min(built(test_kernel::identify).limits().max_group_size, m_device.info().max_local_size[0]);
  identify({3, 1, 1}, {limit, 1, 1});
}

TEST_F(dispatch_test, runs_more_groups_than_a_driver_allows_in_one_dimension) {
  identify({70000, 1, 1}, {1, 1, 1});
  identify({1, 70000, 1}, {1, 1, 1});
  identify({1, 1, 70000}, {1, 1, 1});
  identify({2, 3, 66000}, {1, 1, 1});
  identify({66000, 2, 2}, {2, 1, 1});
}

TEST_F(dispatch_test, groups_share_local_memory_across_a_barrier) {
  const auto s = source(test_kernel::reverse);
  auto& k = built(test_kernel::reverse);
  for (const auto& [size, stride] :
       {std::pair(1u, 1u), std::pair(64u, 1u), std::pair(64u, 13u), std::pair(32u, 100u)}) {
    const std::uint64_t total = size * stride;
    const auto m = words(total * 9, 0);
    run(make_dispatch(s, k, *m, 0, stride, 0, {9, 1, 1}, {size, 1, 1}, total * 4));
    const auto result = values(*m);
    for (std::uint64_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], i / total * total + total - 1 - i % total)
          << size << " items, " << stride << " words each";
  }
}

TEST_F(dispatch_test, all_of_the_local_memory_is_usable) {
  const auto s = source(test_kernel::reverse);
  auto& k = built(test_kernel::reverse);
  const auto stride = std::uint32_t(std::min<std::uint64_t>(m_device.info().local_memory, 1 << 20) / 4 / 64);
  const std::uint64_t total = 64ull * stride;
  const auto m = words(total * 2, 0);
  run(make_dispatch(s, k, *m, 0, stride, 0, {2, 1, 1}, {64, 1, 1}, total * 4));
  const auto result = values(*m);
  for (std::uint64_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], i / total * total + total - 1 - i % total);
}

TEST_F(dispatch_test, launches_of_one_kernel_keep_their_own_arguments) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  std::vector<std::unique_ptr<memory>> all;
  std::vector<command> commands;
  for (std::uint32_t i = 0; i < 40; ++i) {
    all.push_back(words(64, 1));
    commands.push_back(make_dispatch(s, k, *all.back(), 0, i + 1, 64, {1, 1, 1}, {64, 1, 1}));
  }
  finish(*m_queue, m_queue->submit(commands, {}));
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(values(*all[i])[63], i + 1 + 63);
}

TEST_F(dispatch_test, a_thousand_dependent_launches_run_in_order) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  const auto m = words(64, 0);
  std::uint64_t point = 0;
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const command launch = make_dispatch(s, k, *m, 0, i % 3 + 1, 64, {1, 1, 1}, {64, 1, 1});
    point = m_queue->submit({&launch, 1}, {});
    expected = expected * (i % 3 + 1) + 63;
  }
  finish(*m_queue, point);
  EXPECT_EQ(values(*m)[63], expected);
}

TEST_F(dispatch_test, copies_and_launches_of_one_submission_see_each_other) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  const auto m = words(64, 0), copy = words(64, 0);
  std::vector<std::uint32_t> host(64, 5), back(64, 0);
  const command commands[] = {copy_command{{nullptr, host.data()}, {m.get()}, 256},
                              make_dispatch(s, k, *m, 0, 2, 64, {1, 1, 1}, {64, 1, 1}),
                              copy_command{{m.get()}, {copy.get()}, 256},
                              make_dispatch(s, k, *copy, 0, 3, 64, {1, 1, 1}, {64, 1, 1}),
                              copy_command{{copy.get()}, {nullptr, back.data()}, 256}};
  finish(*m_queue, m_queue->submit(commands, {}));
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(back[i], (10 + i) * 3 + i);
}

} // namespace
} // namespace prism::devices::conformance
