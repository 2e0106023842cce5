// Random programs over several devices, queues, buffers and sub-buffers compute the same as sequential
// execution.
#include "tests/unit/test_device.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace prism;
using namespace prism::test;

namespace {

constexpr std::size_t length = 48;

/// slot 1[i] = slot 0[i] * 3 + value; words: from, to, from offset, to offset, count, value.
void mix(const kernel_call& c) {
  const auto word = [&](std::size_t i) { return c.argument<std::uint64_t>(i * 8); };
  const auto* from = reinterpret_cast<const int*>(c.slot(0)) + word(2);
  auto* to = reinterpret_cast<int*>(c.slot(1)) + word(3);
  for (std::uint64_t i = 0; i < word(4); ++i)
    to[i] = static_cast<int>(static_cast<unsigned>(from[i]) * 3 + word(5));
}
/// slot 0[i] += value; words: to, offset, count, value.
void bump(const kernel_call& c) {
  auto* to = reinterpret_cast<int*>(c.slot(0)) + c.argument<std::uint64_t>(8);
  for (std::uint64_t i = 0; i < c.argument<std::uint64_t>(16); ++i)
    to[i] += static_cast<int>(c.argument<std::uint64_t>(24));
}
test_kernel mixes(mix, 2, 48), bumps(bump, 1, 32);
// In-order queues use the record of a kernel's memory: known for one kind of kernel, unknown for the other.
const bool is_known = (mixes.record.flags |= image::reaches_by_slots) != 0;

struct part { // of a root buffer: the buffer itself or a sub-buffer
  buffer_ptr buffer;
  std::size_t root, offset, count;
};
struct range {
  std::size_t offset, count;
};

class program {
public:
  explicit program(unsigned seed) : m_random(seed) {
    for (std::size_t i = 0; i < m_user.size(); ++i) {
      for (std::size_t j = 0; j < length; ++j) m_expected[i][j] = static_cast<int>(i * 1000 + j);
      m_user[i] = m_expected[i];
      const bool in_place = i % 2 == 0;
      buffer_options o;
      o.extent[2] = length;
      o.element_bytes = 4;
      o.host = m_user[i].data();
      o.host_is_initial_data = true;
      o.host_read_only = !in_place;
      m_roots.push_back(create_buffer(o));
      m_parts.push_back({m_roots[i], i, 0, length});
      for (std::size_t at : {std::size_t(0), length / 2}) {
        buffer_options half;
        half.extent[2] = length / 2;
        half.element_bytes = 4;
        m_parts.push_back({create_sub_buffer(m_roots[i], at * 4, half), i, at, length / 2});
      }
    }
    for (device_node* d : {&far(0), &far(1), &near()})
      for (bool in_order : {false, true}) m_queues.push_back(create_queue(*d, {in_order, false}));
  }

  void step() {
    switch (below(8)) {
      case 0:
      case 1:
      case 2: run_mix(); break;
      case 3: run_bump(); break;
      case 4: run_copy(); break;
      case 5: run_fill(); break;
      case 6: run_host_task(); break;
      case 7: run_host_access(); break;
    }
  }

  void check() {
    for (std::size_t i = 0; i < m_roots.size(); ++i) {
      std::vector<int> got(length);
      read_back(*m_roots[i], got.data());
      ASSERT_EQ(got, m_expected[i]) << "buffer " << i;
    }
    for (const queue_ptr& q : m_queues) {
      q->wait();
      ASSERT_TRUE(q->take_failures().empty());
    }
  }

private:
  std::size_t below(std::size_t n) { return m_random() % n; }
  part& any_part() { return m_parts[below(m_parts.size())]; }
  queue_node& any_queue() { return *m_queues[below(m_queues.size())]; }
  range any_range(std::size_t within) {
    const std::size_t offset = below(within), count = 1 + below(within - offset);
    return {offset, count};
  }
  int* expected(const part& p) { return m_expected[p.root].data() + p.offset; }

  void run_mix() {
    const part &from = any_part(), &to = any_part();
    if (from.root == to.root) return;
    const range r = any_range(std::min(from.count, to.count));
    const std::uint64_t value = below(100);
    const access_mode mode = below(2) == 0 ? access_mode::no_init_write : access_mode::write;
    submit(any_queue(), kernel_on(mixes, r.count,
                                  {{from.buffer, access_mode::read, r.count, r.offset},
                                   {to.buffer, mode, r.count, r.offset}},
                                  {r.offset, r.offset, r.count, value}));
    for (std::size_t i = r.offset; i < r.offset + r.count; ++i)
      expected(to)[i] = static_cast<int>(static_cast<unsigned>(expected(from)[i]) * 3 + value);
  }
  void run_bump() {
    const part& p = any_part();
    const range r = any_range(p.count);
    const std::uint64_t value = below(100);
    submit(any_queue(), kernel_on(bumps, r.count, {{p.buffer, access_mode::read_write, r.count, r.offset}},
                                  {r.offset, r.count, value}));
    for (std::size_t i = r.offset; i < r.offset + r.count; ++i) expected(p)[i] += static_cast<int>(value);
  }
  void run_copy() {
    const part &from = any_part(), &to = any_part();
    if (from.root == to.root) return;
    const range r = any_range(std::min(from.count, to.count));
    command_group g;
    g.what = copy_request{{from.buffer, first(r.count, r.offset), nullptr, nullptr},
                          {to.buffer, first(r.count, r.offset), nullptr, nullptr},
                          0};
    submit(any_queue(), std::move(g));
    std::copy_n(expected(from) + r.offset, r.count, expected(to) + r.offset);
  }
  void run_fill() {
    const part& p = any_part();
    const range r = any_range(p.count);
    const int value = static_cast<int>(below(1000));
    std::vector<std::byte> pattern(4);
    std::memcpy(pattern.data(), &value, 4);
    command_group g;
    g.what = fill_request{{p.buffer, first(r.count, r.offset), nullptr, nullptr}, 0, pattern};
    submit(any_queue(), std::move(g));
    std::fill_n(expected(p) + r.offset, r.count, value);
  }
  void run_host_task() {
    const part& p = any_part();
    auto where = std::make_shared<void*>(nullptr);
    command_group g;
    g.what = host_task_request{[where, n = p.count] {
      auto* data = static_cast<int*>(*where);
      for (std::size_t i = 0; i < n; ++i) data[i] -= 7;
    }};
    requirement r;
    r.buffer = p.buffer;
    r.mode = access_mode::read_write;
    r.region = first(p.count);
    r.on_host = true;
    r.host_pointer = where.get();
    g.requirements.push_back(r);
    submit(any_queue(), std::move(g));
    for (std::size_t i = 0; i < p.count; ++i) expected(p)[i] -= 7;
  }
  void run_host_access() {
    const part& p = any_part();
    const bool writes = below(2) == 0;
    const auto access =
        acquire_host_access(p.buffer, writes ? access_mode::read_write : access_mode::read, first(p.count));
    auto* data = static_cast<int*>(access->data());
    for (std::size_t i = 0; i < p.count; ++i) {
      ASSERT_EQ(data[i], expected(p)[i]) << "host access";
      if (writes) expected(p)[i] = data[i] = data[i] ^ 0x55;
    }
  }

  std::mt19937 m_random;
  std::array<std::vector<int>, 4> m_user, m_expected{std::vector<int>(length), std::vector<int>(length),
                                                     std::vector<int>(length), std::vector<int>(length)};
  std::vector<buffer_ptr> m_roots;
  std::vector<part> m_parts;
  std::vector<queue_ptr> m_queues;
};

class random_programs : public testing::TestWithParam<unsigned> {};

TEST_P(random_programs, compute_the_same_as_sequential_execution) {
  program p(GetParam());
  for (int i = 0; i < 120 && !testing::Test::HasFatalFailure(); ++i) p.step();
  p.check();
}

INSTANTIATE_TEST_SUITE_P(, random_programs, testing::Range(0u, 60u));

} // namespace
