// The host device: native kernels, barriers, divergence, exceptions, many queues. The conformance kit tests
// what all devices have in common.
#include "devices/host/device.hpp"
#include "devices/host/program.hpp"
#include "sycl/detail/kernel_abi.hpp"
#include "tests/wait.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

namespace prism::devices {
namespace {

class host_device_test : public testing::Test {
protected:
  host::host_device m_device;
  std::unique_ptr<queue> m_queue = m_device.create_queue({});

  /// Runs `body` for every work-item of groups × local with `closure` as the captured block. Returns the
  /// failure, if there is one.
  template <typename Closure>
  std::optional<device_error> run_items(const Closure& closure, void (*body)(const void*), extent3 groups,
                                        extent3 local, std::uint64_t local_bytes = 0) {
    dispatch_command d;
    d.groups = groups;
    d.local = local;
    d.local_bytes = local_bytes;
    d.arguments.resize(sizeof closure);
    std::memcpy(d.arguments.data(), &closure, sizeof closure);
    d.target.emplace<host_kernel>().body.work_item = body;
    return run(d);
  }
  std::optional<device_error> run(const command& what) {
    const auto point = m_queue->submit({&what, 1}, {});
    EXPECT_TRUE(m_queue->points().wait(point, std::chrono::seconds(30)));
    return m_queue->points().failure(point);
  }
};

std::uint64_t global_id(std::uint32_t d) {
  return __prism_group_id(d) * __prism_local_size(d) + __prism_local_id(d);
}
std::uint64_t linear_local_id() {
  return __prism_local_id(0) +
         __prism_local_size(0) * (__prism_local_id(1) + __prism_local_size(1) * __prism_local_id(2));
}

TEST_F(host_device_test, every_work_item_has_its_own_ids) {
  std::vector<std::uint64_t> seen(4 * 3 * 2 * 5 * 6 * 7);
  struct closure {
    std::uint64_t* out;
  } c{seen.data()};
  const auto failure = run_items(c, [](const void* p) {
    const auto width = __prism_group_count(0) * __prism_local_size(0),
               height = __prism_group_count(1) * __prism_local_size(1);
    auto& word =
        static_cast<const closure*>(p)->out[global_id(0) + width * (global_id(1) + height * global_id(2))];
    word = word + 1;
  }, {5, 6, 7}, {4, 3, 2});
  EXPECT_FALSE(failure);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1u), std::ptrdiff_t(seen.size()));
}

TEST_F(host_device_test, barriers_in_loops_order_local_memory) {
  // A tree sum in local memory. The result is wrong if one work-item passes a barrier too early.
  std::vector<std::uint64_t> sums(50);
  struct closure {
    std::uint64_t* out;
  } c{sums.data()};
  const auto failure = run_items(c, [](const void* p) {
    auto* local = static_cast<std::uint64_t*>(__prism_local_arena());
    const auto id = __prism_local_id(0), size = __prism_local_size(0);
    local[id] = id + __prism_group_id(0);
    for (auto half = size / 2; half > 0; half /= 2) {
      __prism_barrier(1);
      if (id < half) local[id] += local[id + half];
    }
    __prism_barrier(1);
    if (id == size - 1) static_cast<const closure*>(p)->out[__prism_group_id(0)] = local[0];
  }, {50, 1, 1}, {256, 1, 1}, 256 * 8);
  ASSERT_FALSE(failure) << failure->what();
  for (std::uint64_t g = 0; g < sums.size(); ++g) EXPECT_EQ(sums[g], 256 * 255 / 2 + 256 * g);
}

TEST_F(host_device_test, private_values_and_ids_survive_barriers) {
  std::atomic<int> wrong{0};
  struct closure {
    std::atomic<int>* wrong;
  } c{&wrong};
  const auto failure = run_items(c, [](const void* p) {
    const auto id = linear_local_id();
    std::uint64_t own[8];
    for (int i = 0; i < 8; ++i) own[i] = id * 8 + i;
    for (int i = 0; i < 8; ++i) {
      __prism_barrier(3);
      if (own[i] != id * 8 + i || linear_local_id() != id) ++*static_cast<const closure*>(p)->wrong;
    }
  }, {3, 2, 1}, {7, 5, 3});
  EXPECT_FALSE(failure);
  EXPECT_EQ(wrong, 0);
}

TEST_F(host_device_test, runs_the_largest_group_with_a_barrier) {
  std::atomic<std::uint64_t> count{0};
  struct closure {
    std::atomic<std::uint64_t>* count;
  } c{&count};
  const auto failure = run_items(c, [](const void* p) {
    __prism_barrier(3);
    ++*static_cast<const closure*>(p)->count;
  }, {4, 1, 1}, {m_device.info().max_group_size, 1, 1});
  ASSERT_FALSE(failure) << failure->what();
  EXPECT_EQ(count, 4 * m_device.info().max_group_size);
}

TEST_F(host_device_test, a_barrier_that_some_items_skip_is_an_error_not_a_hang) {
  struct closure {
    int unused;
  } c{};
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto failure = run_items(c, [](const void*) {
      if (__prism_local_id(0) != 3) __prism_barrier(3);
    }, {2, 1, 1}, {8, 1, 1});
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->category(), error_category::invalid);
    EXPECT_NE(std::string(failure->what()).find("7 of 8 work-items wait at a barrier"), std::string::npos)
        << failure->what();
  }
  std::atomic<int> count{0}; // the fibers must work for the next kernel
  struct next {
    std::atomic<int>* count;
  } n{&count};
  EXPECT_FALSE(run_items(n, [](const void* p) {
    __prism_barrier(3);
    ++*static_cast<const next*>(p)->count;
  }, {2, 1, 1}, {8, 1, 1}));
  EXPECT_EQ(count, 16);
}

TEST_F(host_device_test, an_exception_of_an_item_is_stored_at_the_point) {
  struct closure {
    int unused;
  } c{};
  const auto before = run_items(c, [](const void*) {
    if (__prism_local_id(0) == 2) throw std::runtime_error("item two gives up");
    __prism_barrier(3);
  }, {1, 1, 1}, {8, 1, 1});
  ASSERT_TRUE(before);
  EXPECT_NE(std::string(before->what()).find("item two gives up"), std::string::npos);
  const auto after = run_items(c, [](const void*) {
    __prism_barrier(3);
    if (__prism_local_id(0) == 2) throw 5;
    __prism_barrier(3);
  }, {1, 1, 1}, {8, 1, 1});
  EXPECT_TRUE(after);
}

TEST_F(host_device_test, barriers_work_in_a_group_of_one) {
  std::atomic<int> count{0};
  struct closure {
    std::atomic<int>* count;
  } c{&count};
  EXPECT_FALSE(run_items(c, [](const void* p) {
    __prism_barrier(3);
    ++*static_cast<const closure*>(p)->count;
  }, {10000, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(count, 10000);
}

TEST_F(host_device_test, sub_groups_hold_consecutive_ids_and_the_last_may_be_smaller) {
  std::vector<std::array<std::uint32_t, 6>> seen(10 * 7);
  struct closure {
    std::array<std::uint32_t, 6>* out;
  } c{seen.data()};
  const auto failure = run_items(c, [](const void* p) {
    const std::uint64_t all = __prism_sub_group_ballot(true),
                        odd = __prism_sub_group_ballot(linear_local_id() % 2 == 1);
    static_cast<const closure*>(p)->out[linear_local_id()] = {
        __prism_sub_group_id(),         __prism_sub_group_local_id(), __prism_sub_group_count(),
        __prism_sub_group_local_size(), std::uint32_t(all),           std::uint32_t(odd)};
  }, {1, 1, 1}, {10, 7, 1});
  ASSERT_FALSE(failure) << failure->what();
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    const std::uint32_t members = i < 64 ? 32 : 6, mask = i < 64 ? ~0u : 0x3fu;
    EXPECT_EQ(seen[i], (std::array<std::uint32_t, 6>{i / 32, i % 32, 3, members, mask, 0xaaaaaaaau & mask}))
        << i;
  }
}

TEST_F(host_device_test, sub_groups_in_divergent_code_do_not_wait_for_each_other) {
  // Each sub-group has its own number of iterations; the group meets at a barrier between them.
  std::vector<std::uint64_t> sums(100);
  struct closure {
    std::uint64_t* out;
  } c{sums.data()};
  const auto failure = run_items(c, [](const void* p) {
    const auto id = linear_local_id();
    std::uint64_t sum = id;
    for (int round = 0; round < 3; ++round) {
      if (__prism_sub_group_id() != 1) {
        for (std::uint32_t i = 0; i <= __prism_sub_group_id(); ++i)
          sum += __prism_sub_group_shuffle_i64(sum, (__prism_sub_group_local_id() + 1) %
                                                        __prism_sub_group_local_size());
      }
      __prism_barrier(1);
    }
    static_cast<const closure*>(p)->out[id] = sum;
  }, {1, 1, 1}, {100, 1, 1});
  ASSERT_FALSE(failure) << failure->what();
  std::vector<std::uint64_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  for (std::size_t first = 0; first < 100; first += 32) {
    const std::size_t members = std::min<std::size_t>(32, 100 - first);
    const std::size_t steps = first == 32 ? 0 : 3 * (first / 32 + 1);
    for (std::size_t step = 0; step < steps; ++step) {
      const auto before = expected;
      for (std::size_t i = 0; i < members; ++i) expected[first + i] += before[first + (i + 1) % members];
    }
  }
  EXPECT_EQ(sums, expected);
}

TEST_F(host_device_test, a_sub_group_operation_does_not_wait_for_items_that_have_ended) {
  std::vector<std::uint64_t> votes(40);
  struct closure {
    std::uint64_t* out;
  } c{votes.data()};
  const auto failure = run_items(c, [](const void* p) {
    if (__prism_local_id(0) != 5)
      static_cast<const closure*>(p)->out[linear_local_id()] = __prism_sub_group_ballot(true);
  }, {1, 1, 1}, {40, 1, 1});
  ASSERT_FALSE(failure) << failure->what();
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(votes[i], i == 5 ? 0u : i < 32 ? 0xffffffffu & ~(1u << 5) : 0xffu) << i;
}

TEST_F(host_device_test, items_of_a_sub_group_at_different_operations_are_an_error_not_a_hang) {
  struct closure {
    int unused;
  } c{};
  const auto failure = run_items(c, [](const void*) {
    if (__prism_local_id(0) == 5) __prism_sub_group_barrier(1);
    else __prism_sub_group_ballot(true);
  }, {1, 1, 1}, {40, 1, 1});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->category(), error_category::invalid);
  EXPECT_NE(std::string(failure->what()).find("32 of 40 work-items wait at a sub-group operation"),
            std::string::npos)
      << failure->what();
}

TEST_F(host_device_test, native_kernels_read_constants_and_output_from_captures) {
  static constexpr int listed = 1, not_listed = 7;
  struct closure {
    int* out;
    int constant;
    int unused;
    image::output_header* output;
  };
  image::output_header output{};
  int seen[2] = {};
  const closure c{seen, 42, 0, &output};
  dispatch_command d;
  d.arguments.resize(sizeof c);
  std::memcpy(d.arguments.data(), &c, sizeof c);
  auto& kernel = d.target.emplace<host_kernel>();
  kernel.hidden = {{image::hidden_kind::specialization_constant, offsetof(closure, constant), 4, 0, &listed},
                   {image::hidden_kind::output, offsetof(closure, output), 8, 0, nullptr}};
  kernel.body.work_item = [](const void* p) {
    const auto& mine = *static_cast<const closure*>(p);
    mine.out[0] = *static_cast<const int*>(__prism_specialization_constant(&listed, sizeof listed));
    mine.out[1] = *static_cast<const int*>(__prism_specialization_constant(&not_listed, sizeof not_listed));
    static_cast<image::output_header*>(__prism_output())->used += 3;
  };
  EXPECT_FALSE(run(d));
  kernel.body.range = [](const void* p, const std::uint64_t*, const std::uint64_t*) {
    static_cast<const closure*>(p)->out[1] +=
        *static_cast<const int*>(__prism_specialization_constant(&listed, 4));
  };
  EXPECT_FALSE(run(d));
  EXPECT_EQ(seen[0], 42);
  EXPECT_EQ(seen[1], 49);
  EXPECT_EQ(output.used, 3u);
  EXPECT_NE(__prism_output(), nullptr) << "outside a kernel";
}

TEST_F(host_device_test, group_scratch_is_shared_by_the_group) {
  std::atomic<int> wrong{0};
  struct closure {
    std::atomic<int>* wrong;
  } c{&wrong};
  EXPECT_FALSE(run_items(c, [](const void* p) {
    auto* block = static_cast<std::uint64_t*>(__prism_group_scratch(64 * 8));
    block[__prism_local_id(0)] = __prism_local_id(0);
    __prism_barrier(1);
    if (block[63 - __prism_local_id(0)] != 63 - __prism_local_id(0)) ++*static_cast<const closure*>(p)->wrong;
    __prism_barrier(1);
    static_cast<char*>(__prism_group_scratch(100000))[99999] = 1;
  }, {9, 1, 1}, {64, 1, 1}));
  EXPECT_EQ(wrong, 0);
}

TEST_F(host_device_test, range_kernels_cover_every_item_once) {
  struct closure {
    std::atomic<std::uint8_t>* out;
    std::uint64_t width, height;
  };
  const extent3 shapes[] = {{1, 1, 1},     {7, 1, 1},     {100, 1, 1}, {100003, 1, 1}, {3, 5, 7},
                            {2, 2, 40000}, {1025, 33, 1}, {1, 700, 3}, {15, 15, 15},   {0, 4, 4}};
  for (const auto& n : shapes) {
    std::vector<std::atomic<std::uint8_t>> seen(n[0] * n[1] * n[2]);
    closure c{seen.data(), n[0], n[1]};
    dispatch_command d;
    d.arguments.resize(sizeof c);
    std::memcpy(d.arguments.data(), &c, sizeof c);
    auto& kernel = d.target.emplace<host_kernel>();
    std::copy(n.begin(), n.end(), kernel.body.items);
    kernel.body.range = [](const void* p, const std::uint64_t* begin, const std::uint64_t* end) {
      const auto& in = *static_cast<const closure*>(p);
      for (auto z = begin[2]; z < end[2]; ++z)
        for (auto y = begin[1]; y < end[1]; ++y)
          for (auto x = begin[0]; x < end[0]; ++x) ++in.out[x + in.width * (y + in.height * z)];
    };
    EXPECT_FALSE(run(d));
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& v) { return v == 1; }))
        << n[0] << "x" << n[1] << "x" << n[2];
  }
}

/// Counts how often each item of a range ran, in the low half of a word by the body, in the high half by a
/// work-group function. Groups have to be within the range.
struct counted_range {
  std::atomic<std::uint32_t>* out;
  extent3 items;

  static void run_body(const void* p, const std::uint64_t* begin, const std::uint64_t* end) {
    const auto& in = *static_cast<const counted_range*>(p);
    for (auto z = begin[2]; z < end[2]; ++z)
      for (auto y = begin[1]; y < end[1]; ++y)
        for (auto x = begin[0]; x < end[0]; ++x) ++in.out[x + in.items[0] * (y + in.items[1] * z)];
  }
  static void run_group(const void* p, host::group_context* group) {
    const auto& in = *static_cast<const counted_range*>(p);
    const std::uint64_t row = group->group_id[1] + in.items[1] * group->group_id[2];
    for (std::uint64_t i = 0; i < group->local_size[0]; ++i)
      in.out[group->group_id[0] * group->local_size[0] + i + in.items[0] * row] += 0x10000;
  }
};

TEST_F(host_device_test, a_part_of_a_range_runs_each_of_its_items_once_and_most_of_them_by_whole_groups) {
  image::kernel_image whole{};
  whole.image_kind = image::kind::host_whole_groups;
  whole.data = reinterpret_cast<const void*>(&counted_range::run_group);
  image::kernel_record record{};
  record.entry = "count";
  record.images = &whole;
  record.image_count = 1;
  auto program = m_device.create_program(
      {image::kind::host_group, reinterpret_cast<const void*>(&counted_range::run_group), 0, &record, ""});
  struct {
    extent3 items, local;
    group_part part;
    std::uint64_t count, by_body; // groups of the part; items in a row that the body may run
  } const table[] = {{{1000, 1, 1}, {1, 1, 1}, {}, 1000, 0},
                     {{1003, 1, 1}, {1, 1, 1}, {}, 1003, 3},
                     {{100000, 1, 1}, {32, 1, 1}, {1, 0, 7}, 1000, 0},
                     {{100000, 1, 1}, {1, 1, 1}, {1, 0, 13}, 54321, 3 + 6},
                     {{100003, 1, 1}, {64, 1, 1}, {1, 0, 1500}, 63, 3},
                     {{100, 37, 3}, {1, 4, 1}, {1, 1, 2}, 8, 4},
                     {{100, 5, 9}, {1, 1, 1}, {1, 2, 4}, 5, 4},
                     {{31, 64, 1}, {1, 1, 1}, {1, 1, 5}, 20, 31}};
  for (const auto& row : table) {
    const extent3& n = row.items;
    std::vector<std::atomic<std::uint32_t>> seen(n[0] * n[1] * n[2]);
    const counted_range c{seen.data(), n};
    dispatch_command d;
    d.object = &program->get_kernel("count");
    d.arguments.resize(sizeof c);
    std::memcpy(d.arguments.data(), &c, sizeof c);
    d.local = row.local;
    for (std::size_t i = 0; i < 3; ++i) d.groups[i] = (n[i] + row.local[i] - 1) / row.local[i];
    d.part = row.part;
    if (row.part.is_part) d.groups[row.part.dimension] = row.count;
    auto& kernel = d.target.emplace<host_kernel>();
    std::copy(n.begin(), n.end(), kernel.body.items);
    kernel.body.range = &counted_range::run_body;
    ASSERT_FALSE(run(d));
    const std::size_t divided = row.part.dimension;
    const std::uint64_t first = row.part.first * row.local[divided],
                        last = std::min(first + row.count * row.local[divided], n[divided]);
    std::uint64_t by_body = 0;
    for (std::uint64_t i = 0; i < seen.size(); ++i) {
      const std::uint64_t id[] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
      const bool is_inside = id[divided] >= first && id[divided] < last;
      ASSERT_EQ((seen[i] & 0xffff) + (seen[i] >> 16), is_inside)
          << i << " of " << n[0] << "x" << n[1] << "x" << n[2];
      by_body += seen[i] & 0xffff;
    }
    const std::uint64_t rows = divided == 0 ? n[1] * n[2] : (last - first) * n[3 - divided];
    EXPECT_LE(by_body, row.by_body * rows) << n[0] << "x" << n[1] << "x" << n[2];
  }
}

TEST_F(host_device_test, the_captured_block_is_aligned_for_the_widest_vector) {
  struct alignas(128) closure {
    std::byte bytes[2048];
    std::atomic<int>* wrong;
  };
  std::atomic<int> wrong{0};
  closure c{};
  c.wrong = &wrong;
  EXPECT_FALSE(run_items(c, [](const void* p) {
    if (reinterpret_cast<std::uintptr_t>(p) % 128 != 0 ||
        reinterpret_cast<std::uintptr_t>(__prism_local_arena()) % 128 != 0)
      ++*static_cast<const closure*>(p)->wrong;
  }, {3, 1, 1}, {4, 1, 1}, 10));
  EXPECT_EQ(wrong, 0);
}

void scale_group(const void* closure, host::group_context* group) {
  auto* words = *static_cast<std::uint32_t* const*>(closure);
  for (std::uint64_t i = 0; i < group->local_size[0]; ++i)
    words[group->group_id[0] * group->local_size[0] + i] *= 3;
}

TEST_F(host_device_test, runs_native_group_functions_and_patches_slots) {
  std::vector<std::uint32_t> words(4096, 5);
  const image::pointer_slot slots[] = {{0, 3}};
  image::kernel_record record{};
  record.entry = "scale";
  record.argument_bytes = 8;
  record.slots = slots;
  record.slot_count = 1;
  auto program = m_device.create_program(
      {image::kind::host_group, reinterpret_cast<const void*>(&scale_group), 0, &record, ""});
  EXPECT_THROW(program->get_kernel("other"), device_error);
  auto memory = m_device.adopt(words.data(), words.size() * 4);
  dispatch_command d;
  d.object = &program->get_kernel("scale");
  d.groups = {60, 1, 1};
  d.local = {64, 1, 1};
  d.arguments.resize(16);
  d.slots.push_back({memory.get(), 64 * 4, 0});
  ASSERT_FALSE(run(d));
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i >= 64 && i < 64 * 61 ? 15u : 5u) << i;
}

TEST_F(host_device_test, a_thousand_queues_share_a_few_threads) {
  const auto threads_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator{});
  };
  std::vector<std::unique_ptr<queue>> queues;
  std::vector<std::uint64_t> order(1000);
  auto memory = m_device.create_memory(8000, memory_kind::buffer, 64);
  timeline_point last{};
  for (std::uint64_t i = 0; i < 1000; ++i) { // each launch waits for the one before and copies its result
    queues.push_back(m_device.create_queue({}));
    command what = fill_command{memory.get(), 0, 8, std::vector<std::byte>(8, std::byte(7))};
    if (i > 0) what = copy_command{{memory.get(), nullptr, 8 * (i - 1)}, {memory.get(), nullptr, 8 * i}, 8};
    std::vector<timeline_point> waits;
    if (last.owner) waits.push_back(last);
    last = {&queues.back()->points(), queues.back()->submit({&what, 1}, waits)};
    queues.back()->flush();
  }
  ASSERT_TRUE(last.owner->wait(last.value, std::chrono::seconds(20)));
  EXPECT_LE(threads_now(), std::ptrdiff_t(3 * std::max(2u, m_device.info().compute_units) + 4));
  const auto* bytes = static_cast<const std::byte*>(memory->host_pointer());
  EXPECT_TRUE(std::all_of(bytes, bytes + 8000, [](std::byte b) { return b == std::byte(7); }));
}

TEST_F(host_device_test, a_waiting_thread_runs_a_chain_of_queues_without_flush) {
  constexpr int length = 40;
  std::vector<std::unique_ptr<queue>> queues;
  std::atomic<int> ran{0};
  struct closure {
    std::atomic<int>* ran;
  } c{&ran};
  timeline_point last{};
  for (int i = 0; i < length; ++i) {
    queues.push_back(m_device.create_queue({}));
    dispatch_command d;
    d.arguments.resize(sizeof c);
    std::memcpy(d.arguments.data(), &c, sizeof c);
    d.target.emplace<host_kernel>().body.work_item = [](const void* p) {
      ++*static_cast<const closure*>(p)->ran;
    };
    const command what = d;
    last = {&queues.back()->points(), queues.back()->submit({&what, 1}, {&last, last.owner ? 1u : 0u})};
  }
  EXPECT_TRUE(last.owner->wait(last.value));
  EXPECT_EQ(ran, length);
}

// The engine polls whenever it removes completed commands. When each poll woke a thread, submitting a command
// group of two buffers took 10 % longer.
TEST_F(host_device_test, polling_starts_no_work_and_a_flush_does) {
  const command what = barrier_command{};
  const auto point = m_queue->submit({&what, 1}, {});
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(50),
                                       [&] { return m_queue->points().completed() >= point; }));
  m_queue->flush();
  EXPECT_TRUE(prism_test::eventually([&] { return m_queue->points().completed() == point; }));
}

/// A launch that ends 200 us after `open` became true, which is longer than a waiting thread spins.
command delayed_until(std::atomic<bool>& open) {
  struct closure {
    std::atomic<bool>* open;
  } const c{&open};
  dispatch_command d;
  d.arguments.resize(sizeof c);
  std::memcpy(d.arguments.data(), &c, sizeof c);
  d.target.emplace<host_kernel>().body.work_item = [](const void* p) {
    while (!static_cast<const closure*>(p)->open->load()) std::this_thread::yield();
    prism_test::spend(std::chrono::microseconds(200));
  };
  return d;
}

/// The launches wait until all threads sleep, so that each thread has to be woken for its own point.
TEST_F(host_device_test, every_waiting_thread_wakes_at_its_own_point) {
  constexpr int count = 100;
  std::atomic<bool> open{false};
  std::atomic<int> called{0};
  const command delayed = delayed_until(open);
  std::vector<std::uint64_t> points;
  for (int i = 0; i < count; ++i) points.push_back(m_queue->submit({&delayed, 1}, {}));
  m_queue->flush();
  std::atomic<int> woken{0};
  std::vector<std::thread> waiting;
  for (const std::uint64_t point : {points[90], points[10], points[50], points[10], points.back()})
    waiting.emplace_back([&, point] { woken += m_queue->points().wait(point, std::chrono::seconds(10)); });
  for (const std::uint64_t point : {points[70], points[30]})
    m_queue->points().on_completion(point, [](void* to) { ++*static_cast<std::atomic<int>*>(to); }, &called);
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] { return woken > 0; }));
  const auto begin = std::chrono::steady_clock::now();
  open = true;
  for (std::thread& thread : waiting) thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9));
  EXPECT_EQ(woken, 5);
  EXPECT_EQ(called, 2);
}

TEST_F(host_device_test, callbacks_of_several_points_run_though_no_thread_waits) {
  std::atomic<bool> open{false};
  std::atomic<int> called{0};
  const command delayed = delayed_until(open);
  const std::uint64_t first = m_queue->submit({&delayed, 1}, {}), second = m_queue->submit({&delayed, 1}, {});
  for (const std::uint64_t point : {second, first})
    m_queue->points().on_completion(point, [](void* to) { ++*static_cast<std::atomic<int>*>(to); }, &called);
  open = true;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (called != 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_EQ(called, 2);
}

TEST_F(host_device_test, an_image_of_another_format_is_rejected_by_name) {
  try {
    m_device.create_program({image::kind::opencl_c, "kernel void f() {}", 18, nullptr, ""});
    FAIL() << "accepted OpenCL C";
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::unsupported);
  }
}

} // namespace
} // namespace prism::devices
