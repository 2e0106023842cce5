// Command buffers: commands recorded once and executed several times. A device without command buffers
// returns a null pointer, and each test is skipped.
#include "tests/devices/conformance/launcher.hpp"

#include <cstring>

namespace prism::devices::conformance {
namespace {

class command_buffer_test : public launcher {
protected:
  /// x = x * factor + index for each of the memory's words.
  command_buffer_step scale(memory& m, std::uint32_t factor, bool after_all = true) {
    const auto s = source(test_kernel::scale_add);
    if (m_kernel == nullptr) m_kernel = &built(test_kernel::scale_add);
    const auto count = std::uint32_t(m.size() / 4);
    return {make_dispatch(s, *m_kernel, m, 0, factor, count, {(count + 63) / 64, 1, 1}, {64, 1, 1}),
            after_all};
  }
  static command_buffer_step copy(memory& from, memory& to, bool after_all = true) {
    return {copy_command{{&from, nullptr, 0, 0, 0}, {&to, nullptr, 0, 0, 0}, from.size(), 1, 1}, after_all};
  }
  static command_buffer_step fill(memory& m, std::uint32_t value, bool after_all = true) {
    std::vector<std::byte> pattern(4);
    std::memcpy(pattern.data(), &value, 4);
    return {fill_command{&m, 0, m.size(), pattern}, after_all};
  }
  std::unique_ptr<command_buffer> make_command_buffer(const std::vector<command_buffer_step>& steps) {
    return m_device.create_command_buffer(steps);
  }

  kernel* m_kernel = nullptr;
};

#define SKIP_WITHOUT(recorded)                                                                               \
  if ((recorded) == nullptr && !m_device.no_command_buffer_reason().empty())                                 \
    GTEST_SKIP() << m_device.no_command_buffer_reason();                                                     \
  ASSERT_NE(recorded, nullptr)

TEST_F(command_buffer_test, computes_the_same_as_its_commands_submitted_singly) {
  const auto a = words(500, 1), b = words(500, 2), x = words(500, 1), y = words(500, 2);
  const std::vector<command_buffer_step> steps{scale(*a, 3), scale(*a, 5), copy(*a, *b),
                                               scale(*b, 2), fill(*a, 9),  scale(*a, 4)};
  const auto recorded = make_command_buffer(steps);
  SKIP_WITHOUT(recorded);
  finish(*m_queue, m_queue->execute(*recorded, {}));
  const std::vector<command> plain{scale(*x, 3).what, scale(*x, 5).what, copy(*x, *y).what,
                                   scale(*y, 2).what, fill(*x, 9).what,  scale(*x, 4).what};
  finish(*m_queue, m_queue->submit(plain, {}));
  EXPECT_EQ(values(*a), values(*x));
  EXPECT_EQ(values(*b), values(*y));
}

TEST_F(command_buffer_test, a_second_execution_starts_from_the_memory_of_the_first) {
  const auto m = words(300, 1);
  const auto recorded = make_command_buffer({scale(*m, 2), scale(*m, 3)});
  SKIP_WITHOUT(recorded);
  std::uint64_t point = 0;
  for (int run = 0; run < 50; ++run) point = m_queue->execute(*recorded, {}); // without waits in between
  finish(*m_queue, point);
  std::vector<std::uint32_t> expected(300, 1);
  for (int run = 0; run < 50; ++run)
    for (std::uint32_t i = 0; i < 300; ++i) expected[i] = (expected[i] * 2 + i) * 3 + i;
  EXPECT_EQ(values(*m), expected);
}

TEST_F(command_buffer_test, is_in_order_with_plain_submissions_of_its_queue) {
  const auto m = words(300, 1), other = words(300, 0);
  const auto recorded = make_command_buffer({scale(*m, 2)});
  SKIP_WITHOUT(recorded);
  const std::vector<command> before{fill(*m, 7).what}, after{copy(*m, *other).what};
  m_queue->submit(before, {});
  m_queue->execute(*recorded, {});
  finish(*m_queue, m_queue->submit(after, {}));
  const auto result = values(*other);
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(result[i], 14 + i) << i;
}

TEST_F(command_buffer_test, waits_for_another_queue_which_can_wait_for_it) {
  const auto m = words(300, 1), other = words(300, 0);
  const auto recorded = make_command_buffer({scale(*m, 2)});
  SKIP_WITHOUT(recorded);
  const auto second = m_device.create_queue({});
  const std::vector<command> before{fill(*m, 7).what}, after{copy(*m, *other).what};
  for (int round = 0; round < 20; ++round) {
    const timeline_point filled{&second->points(), second->submit(before, {})};
    const timeline_point scaled{&m_queue->points(), m_queue->execute(*recorded, {&filled, 1})};
    finish(*second, second->submit(after, {&scaled, 1}));
    const auto result = values(*other);
    for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(result[i], 14 + i) << i;
  }
}

// Copying from the host takes time. Queues that share one driver queue do not order such a copy by
// themselves.
TEST_F(command_buffer_test, waits_for_a_copy_from_the_host_in_another_queue) {
  const auto m = words(4 << 20, 1);
  const auto recorded = make_command_buffer({scale(*m, 2)});
  SKIP_WITHOUT(recorded);
  const auto second = m_device.create_queue({});
  std::vector<std::uint32_t> host(4 << 20);
  const std::vector<command> before{
      copy_command{{nullptr, host.data(), 0, 0, 0}, {m.get(), nullptr, 0, 0, 0}, m->size(), 1, 1}};
  for (std::uint32_t round = 1; round <= 3; ++round) {
    std::fill(host.begin(), host.end(), round * 100);
    const timeline_point copied{&second->points(), second->submit(before, {})};
    finish(*m_queue, m_queue->execute(*recorded, {&copied, 1}));
    const auto result = values(*m);
    for (std::uint32_t i = 0; i < host.size(); ++i) ASSERT_EQ(result[i], round * 200 + i) << i;
  }
}

TEST_F(command_buffer_test, commands_without_a_wait_follow_those_before_the_last_barrier) {
  const auto a = words(300, 1), b = words(300, 1), c = words(300, 1);
  const auto recorded = make_command_buffer({scale(*a, 2), scale(*b, 3, false), scale(*c, 4, false),
                                             scale(*a, 5), scale(*b, 5, false), scale(*c, 5, false)});
  SKIP_WITHOUT(recorded);
  finish(*m_queue, m_queue->execute(*recorded, {}));
  const memory* const all[] = {a.get(), b.get(), c.get()};
  for (std::uint32_t k = 0; k < 3; ++k) {
    const auto result = values(*const_cast<memory*>(all[k]));
    for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(result[i], (k + 2 + i) * 5 + i) << k << " at " << i;
  }
}

TEST_F(command_buffer_test, has_its_own_copy_of_the_arguments) {
  const auto m = words(300, 1);
  std::unique_ptr<command_buffer> recorded;
  {
    std::vector<command_buffer_step> steps{scale(*m, 2)};
    recorded = make_command_buffer(steps);
    for (auto& byte : std::get<dispatch_command>(steps[0].what).arguments) byte = std::byte{0xff};
  }
  SKIP_WITHOUT(recorded);
  finish(*m_queue, m_queue->execute(*recorded, {}));
  const auto result = values(*m);
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(result[i], 2 + i) << i;
}

TEST_F(command_buffer_test, profiling_spans_its_first_to_its_last_command) {
  if (!m_device.info().profiling) GTEST_SKIP() << m_device.info().name << " measures no times";
  const auto m = words(30000, 1);
  const auto recorded = make_command_buffer({scale(*m, 2), scale(*m, 3), scale(*m, 4)});
  SKIP_WITHOUT(recorded);
  const auto measured = m_device.create_queue({true});
  std::uint64_t before = 0;
  for (int round = 0; round < 5; ++round) {
    const auto point = measured->execute(*recorded, {});
    finish(*measured, point);
    const profile times = measured->points().times(point);
    EXPECT_GT(times.started_ns, 0u);
    EXPECT_LE(times.started_ns, times.ended_ns);
    EXPECT_GE(times.ended_ns, before);
    before = times.ended_ns;
  }
}

TEST_F(command_buffer_test, a_copy_from_host_memory_cannot_be_recorded) {
  const auto m = words(16, 1);
  std::vector<std::uint32_t> host(16, 5);
  const std::vector<command_buffer_step> steps{
      {copy_command{{nullptr, host.data(), 0, 0, 0}, {m.get(), nullptr, 0, 0, 0}, 64, 1, 1}, true}};
  EXPECT_EQ(m_device.create_command_buffer(steps), nullptr);
}

} // namespace
} // namespace prism::devices::conformance
