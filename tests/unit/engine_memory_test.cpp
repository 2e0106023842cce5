// Buffers and USM on devices with memory of their own: no unnecessary copies, and right bytes.
#include "runtime/execution/device_queue_set.hpp"
#include "tests/unit/test_device.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace prism;
using namespace prism::test;

namespace {

/// slot 0 += argument at 8, over the argument at 16 ints.
void add(const kernel_call& c) {
  auto* p = reinterpret_cast<int*>(c.slot(0));
  for (std::uint64_t i = 0; i < c.argument<std::uint64_t>(16); ++i)
    p[i] += static_cast<int>(c.argument<std::uint64_t>(8));
}
/// slot 1 = slot 0 over the argument at 16 ints.
void duplicate(const kernel_call& c) { std::memcpy(c.slot(1), c.slot(0), 4 * c.argument<std::uint64_t>(16)); }
test_kernel adds(add, 1, 24), duplicates(duplicate, 2, 24);

command_group add_on(const buffer_ptr& b, access_mode mode, std::size_t count, int value,
                     std::size_t offset = 0) {
  return kernel_on(adds, count, {{b, mode, count, offset}}, {static_cast<std::uint64_t>(value), count});
}

std::vector<int> iota(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST(buffers, a_kernel_copies_its_input_once_and_the_host_its_result_once) {
  std::vector<int> data = iota(100);
  const auto b = int_buffer(100, data.data());
  const auto q = create_queue(far(0), {});
  for (int i = 0; i < 5; ++i) submit(*q, add_on(b, access_mode::read_write, 100, 1));
  read_back(*b, nullptr);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(data[i], i + 5);
  EXPECT_EQ(copy_history(*b), (std::vector<std::string>{"400 B host -> far:0: first use on device",
                                                        "400 B far:0 -> host: host write-back"}));
}

TEST(buffers, without_init_nothing_is_copied_to_the_device) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  submit(*q, add_on(b, access_mode::no_init_write, 10, 1));
  q->wait();
  EXPECT_TRUE(copy_history(*b).empty());
}

TEST(buffers, move_between_devices_through_the_host) {
  const auto b = int_buffer(50);
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(1), {});
  command_group fill;
  fill.what = fill_request{{b, first(50), nullptr, nullptr}, 0, std::vector<std::byte>(4, std::byte{0})};
  submit(*q0, std::move(fill));
  submit(*q0, add_on(b, access_mode::read_write, 50, 3));
  submit(*q1, add_on(b, access_mode::read_write, 50, 4));
  submit(*q0, add_on(b, access_mode::read_write, 50, 5));
  EXPECT_EQ(contents(b, 50), std::vector<int>(50, 12));
  EXPECT_EQ(copy_history(*b).size(), 5u); // two each way and the last to the host
}

TEST(buffers, an_adopting_device_copies_nothing_at_all) {
  std::vector<int> data = iota(64);
  const auto b = int_buffer(64, data.data());
  const auto q = create_queue(near(), {});
  submit(*q, add_on(b, access_mode::read_write, 64, 2));
  read_back(*b, nullptr);
  EXPECT_EQ(data[63], 65);
  EXPECT_TRUE(copy_history(*b).empty());
  EXPECT_TRUE(uses_host_pointer(*b));
}

TEST(buffers, of_constant_data_never_write_to_it) {
  const std::vector<int> data = iota(10);
  buffer_options o;
  o.extent[2] = 10;
  o.element_bytes = 4;
  o.host = const_cast<int*>(data.data());
  o.host_is_initial_data = o.host_read_only = true;
  const auto b = create_buffer(o);
  const auto q = create_queue(near(), {});
  submit(*q, add_on(b, access_mode::read_write, 10, 1));
  EXPECT_EQ(contents(b, 10)[9], 10);
  EXPECT_EQ(data, iota(10));
}

TEST(buffers, a_ranged_accessor_copies_its_range_only) {
  std::vector<int> data = iota(100);
  const auto b = int_buffer(100, data.data());
  const auto q = create_queue(far(0), {});
  auto group = add_on(b, access_mode::read_write, 10, 100, 20);
  group.requirements[0].byte_offset = 80;
  submit(*q, std::move(group));
  read_back(*b, nullptr);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(data[i], i >= 20 && i < 30 ? i + 100 : i);
  EXPECT_EQ(copy_history(*b).at(0), "40 B host -> far:0: first use on device");
  EXPECT_EQ(copy_history(*b).at(1), "40 B far:0 -> host: host write-back");
}

TEST(buffers, two_dimensional_ranges_copy_boxes) {
  std::vector<int> data = iota(64); // 8 x 8
  buffer_options o;
  o.extent[1] = 8;
  o.extent[2] = 8;
  o.element_bytes = 4;
  o.host = data.data();
  o.host_is_initial_data = true;
  const auto b = create_buffer(o);
  const auto q = create_queue(far(0), {});
  command_group fill;
  const int value = -1;
  std::vector<std::byte> pattern(4);
  std::memcpy(pattern.data(), &value, 4);
  fill.what = fill_request{{b, {{0, 2, 3}, {1, 4, 2}}, nullptr, nullptr}, 0, pattern};
  submit(*q, std::move(fill));
  read_back(*b, nullptr);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x)
      EXPECT_EQ(data[y * 8 + x], y >= 2 && y < 6 && x >= 3 && x < 5 ? -1 : y * 8 + x);
  EXPECT_EQ(copy_history(*b), (std::vector<std::string>{"32 B far:0 -> host: host write-back"}));
}

TEST(buffers, sub_buffers_that_are_disjoint_run_at_the_same_time) {
  std::vector<int> data(100, 0);
  const auto b = int_buffer(100, data.data());
  buffer_options half;
  half.extent[2] = 50;
  half.element_bytes = 4;
  const auto left = create_sub_buffer(b, 0, half), right = create_sub_buffer(b, 200, half);
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(1), {});
  closed_gate gate;
  const auto c0 = submit(*q0, add_on(left, access_mode::read_write, 50, 1));
  const auto c1 = submit(*q1, add_on(right, access_mode::read_write, 50, 2));
  EXPECT_TRUE(c1->dependencies().empty());
  gate.open();
  EXPECT_EQ(contents(right, 50), std::vector<int>(50, 2));
  read_back(*b, nullptr);
  EXPECT_EQ(data[49], 1);
  EXPECT_EQ(data[50], 2);
}

/// Commands of earlier tests release their memory when the runtime retires them.
void retire_completed_commands() {
  for (const auto& device : runtime::process_runtime::get().devices().listed())
    for (const auto& queue : device->device_queues().all()) {
      queue->wait();
      queue->retire_completed();
    }
}

TEST(buffers, live_until_the_commands_that_use_them_are_done) {
  prism::memory::memory_pool& pool = static_cast<runtime::device_state&>(far(0)).pool();
  retire_completed_commands();
  pool.trim();
  const int before = counted.live_memories;
  const auto q = create_queue(far(0), {});
  closed_gate gate;
  auto b = int_buffer(10);
  submit(*q, add_on(b, access_mode::no_init_write, 10, 1));
  b.reset();
  EXPECT_GT(counted.live_memories, before);
  gate.open();
  q->wait();
  EXPECT_TRUE(q->empty());
  EXPECT_GT(pool.cached_bytes(), 0u); // for the next buffer
  pool.trim();
  EXPECT_EQ(counted.live_memories, before);
}

TEST(buffers, out_of_memory_is_an_error_and_changes_nothing) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  retire_completed_commands();
  static_cast<runtime::device_state&>(far(0))
      .pool()
      .trim(); // otherwise an earlier test's memory would be reused
  fail_next_allocation();
  try {
    submit(*q, add_on(b, access_mode::read_write, 10, 1));
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), error_code::memory_allocation);
    EXPECT_NE(std::string(e.what()).find("TEST_NO_MEMORY"), std::string::npos);
  }
  submit(*q, add_on(b, access_mode::read_write, 10, 1));
  read_back(*b, nullptr);
  EXPECT_EQ(data[9], 10);
}

TEST(buffers, an_access_outside_of_the_buffer_is_an_error) {
  const auto b = int_buffer(10);
  const auto q = create_queue(far(0), {});
  EXPECT_THROW(submit(*q, add_on(b, access_mode::read, 5, 1, 6)), error);
  EXPECT_THROW(create_sub_buffer(b, 8, {{1, 1, 9}, 4}), error);
}

TEST(host_access, waits_for_the_device_and_copies_the_bytes) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  submit(*q, add_on(b, access_mode::read_write, 10, 7));
  const auto access = acquire_host_access(b, access_mode::read, first(10));
  EXPECT_EQ(static_cast<int*>(access->data())[9], 16);
}

TEST(host_access, delays_commands_until_it_ends) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  auto access = acquire_host_access(b, access_mode::read_write, first(10));
  const auto c = submit(*q, add_on(b, access_mode::read_write, 10, 1));
  const auto after = submit(*q, add_on(b, access_mode::read_write, 10, 1));
  static_cast<int*>(access->data())[0] = 1000;
  EXPECT_EQ(c->query(), command_node::status::submitted);
  access.reset();
  after->wait();
  EXPECT_EQ(contents(b, 10)[0], 1002);
}

TEST(host_access, readers_on_the_host_and_on_devices_do_not_wait_for_each_other) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  submit(*q, add_on(b, access_mode::read_write, 10, 1));
  const auto access = acquire_host_access(b, access_mode::read, first(10));
  const auto to = int_buffer(10);
  submit(*q,
         kernel_on(duplicates, 10, {{b, access_mode::read, 10}, {to, access_mode::no_init_write, 10}}, {10}))
      ->wait();
  const auto other = create_queue(far(1), {});
  submit(*other,
         kernel_on(duplicates, 10, {{b, access_mode::read, 10}, {to, access_mode::no_init_write, 10}}, {10}))
      ->wait();
  EXPECT_EQ(contents(to, 10)[9], 10);
}

TEST(host_access, two_on_one_thread_do_not_deadlock) {
  const auto b = int_buffer(10);
  const auto one = acquire_host_access(b, access_mode::read_write, first(10));
  const auto two = acquire_host_access(b, access_mode::read_write, first(10));
  EXPECT_EQ(one->data(), two->data());
}

TEST(copies, go_between_buffers_pointers_and_usm) {
  std::vector<int> data = iota(100), out(100, -1);
  const auto q = create_queue(far(0), {true, false});
  const auto a = int_buffer(100), b = int_buffer(100);
  int* usm = static_cast<int*>(usm_allocate(far(0), 400, 0, devices::memory_kind::device, nullptr));
  int* elsewhere = static_cast<int*>(usm_allocate(far(1), 400, 0, devices::memory_kind::device, nullptr));
  ASSERT_NE(usm, nullptr);
  const auto copy = [&](copy_side from, copy_side to, std::uint64_t bytes = 0) {
    command_group g;
    g.what = copy_request{std::move(from), std::move(to), bytes};
    return submit(*q, std::move(g));
  };
  const auto whole = [&](const buffer_ptr& x) { return copy_side{x, first(100), nullptr, nullptr}; };
  const auto raw = [](void* p) { return copy_side{nullptr, {}, p, nullptr}; };
  rethrow(copy(raw(data.data()), whole(a)));
  rethrow(copy(whole(a), whole(b)));
  rethrow(copy(whole(b), raw(usm)));
  rethrow(copy(raw(usm), raw(elsewhere), 400));
  rethrow(copy(raw(elsewhere), raw(usm), 200));
  rethrow(copy(raw(elsewhere + 50), raw(out.data() + 50), 200));
  rethrow(copy(raw(usm), raw(out.data()), 200));
  EXPECT_EQ(out, data);
  std::vector<int> again(100);
  rethrow(copy(raw(out.data()), raw(again.data()), 400)); // host to host
  EXPECT_EQ(again, data);
  EXPECT_THROW(copy(raw(usm + 90), raw(out.data()), 80), error);
  usm_free(usm, nullptr);
  usm_free(elsewhere, nullptr);
}

namespace large_copy { // counts of the copies that a device made
constexpr std::uint64_t piece_bytes = 4u << 20;
std::atomic<int> reads, writes;
std::atomic<bool> overlapped;
std::atomic<std::uint64_t> longest;
std::atomic<int> failing_piece; // counted from 1; pieces may be written in any order

void look(const devices::copy_command& c) {
  longest = std::max<std::uint64_t>(longest, c.row_bytes * c.rows * c.slices);
  if (c.to.object == nullptr) {
    ++reads;
    return;
  }
  if (++writes == 1) { // the first piece to be written
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (reads < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    overlapped = reads >= 2;
  }
  if (c.to.offset == std::uint64_t(failing_piece - 1) * piece_bytes)
    throw devices::device_error(devices::error_category::other, "TEST_COPY", "write a piece");
}
} // namespace large_copy

TEST(copies, between_two_devices_are_pipelined) {
  constexpr std::size_t count = (11 << 20) / 4 + 3;
  std::vector<int> data = iota(count), out(count, -1);
  const auto q = create_queue(far(0), {true, false});
  const auto make = [](std::size_t device) {
    return usm_allocate(far(device), count * 4, 0, devices::memory_kind::device, nullptr);
  };
  void *const from = make(0), *const to = make(1);
  ASSERT_TRUE(from != nullptr && to != nullptr);
  const auto copy = [&](void* source, void* target) {
    command_group g;
    g.what = copy_request{{nullptr, {}, source, nullptr}, {nullptr, {}, target, nullptr}, count * 4};
    return submit(*q, std::move(g));
  };
  rethrow(copy(data.data(), from));
  for (const int failing : {0, 2, 3}) {
    large_copy::reads = large_copy::writes = 0;
    large_copy::longest = 0;
    large_copy::overlapped = false;
    large_copy::failing_piece = failing;
    before_each_copy(&large_copy::look);
    const std::string failed = failure_of(copy(from, to));
    before_each_copy(nullptr);
    EXPECT_EQ(failed.find("TEST_COPY") != std::string::npos, failing != 0) << failed;
    EXPECT_TRUE(large_copy::overlapped);
    EXPECT_EQ(large_copy::reads, 3);
    EXPECT_EQ(large_copy::writes, 3);
    EXPECT_EQ(large_copy::longest, large_copy::piece_bytes);
    if (failing == 0) {
      rethrow(copy(to, out.data()));
      EXPECT_EQ(out, data);
    }
  }
  q->take_failures();
  usm_free(from, nullptr);
  usm_free(to, nullptr);
}

TEST(copies, of_a_large_buffer_between_two_devices_are_pipelined) {
  constexpr std::size_t count = (11 << 20) / 4 + 3;
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(1), {});
  for (const int failing : {0, 2, 3}) {
    std::vector<int> data = iota(count);
    const auto b = int_buffer(count, data.data());
    rethrow(submit(*q0, add_on(b, access_mode::read_write, count, 1)));
    large_copy::reads = large_copy::writes = 0;
    large_copy::longest = 0;
    large_copy::overlapped = false;
    large_copy::failing_piece = failing;
    before_each_copy(&large_copy::look);
    const std::string failed = failure_of(submit(*q1, add_on(b, access_mode::read_write, count, 1)));
    before_each_copy(nullptr);
    EXPECT_EQ(failed.find("TEST_COPY") != std::string::npos, failing != 0) << failed;
    EXPECT_TRUE(large_copy::overlapped);
    EXPECT_EQ(large_copy::longest, large_copy::piece_bytes);
    if (failing != 0) {
      q1->wait();
      q1->take_failures();
      continue;
    }
    EXPECT_EQ(large_copy::reads, 3);
    EXPECT_EQ(large_copy::writes, 3);
    std::vector<int> want(count);
    std::iota(want.begin(), want.end(), 2);
    EXPECT_EQ(contents(b, count), want);
    EXPECT_EQ(copy_history(*b).size(), 4u) << "the parts are one copy";
  }
}

TEST(copies, between_boxes_of_different_shape_go_row_by_row) {
  std::vector<int> data = iota(24), out(24, -1);
  buffer_options wide;
  wide.extent[1] = 4;
  wide.extent[2] = 6;
  wide.element_bytes = 4;
  wide.host = data.data();
  wide.host_is_initial_data = true;
  const auto a = create_buffer(wide);
  const auto b = int_buffer(24, out.data());
  const auto q = create_queue(far(0), {});
  command_group g;
  g.what =
      copy_request{{a, {{0, 1, 2}, {1, 2, 3}}, nullptr, nullptr}, {b, first(10, 5), nullptr, nullptr}, 0};
  submit(*q, std::move(g));
  read_back(*b, nullptr);
  const std::vector<int> expected{8, 9, 10, 14, 15, 16};
  for (int i = 0; i < 24; ++i) EXPECT_EQ(out[i], i >= 5 && i < 11 ? expected[i - 5] : -1) << i;
}

TEST(copies, from_a_buffer_that_is_only_on_the_host_use_no_device) {
  std::vector<int> data = iota(10), out(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  const int before = counted.copies;
  command_group g;
  g.what = copy_request{{b, first(10), nullptr, nullptr}, {nullptr, {}, out.data(), nullptr}, 0};
  rethrow(submit(*q, std::move(g)));
  EXPECT_EQ(out, data);
  EXPECT_EQ(counted.copies, before);
}

TEST(copies, update_host_copies_its_box) {
  std::vector<int> data = iota(10);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  submit(*q, add_on(b, access_mode::read_write, 10, 1));
  command_group g;
  g.what = update_host_request{b, first(5)};
  rethrow(submit(*q, std::move(g)));
  EXPECT_EQ(data, (std::vector<int>{1, 2, 3, 4, 5, 5, 6, 7, 8, 9}));
}

TEST(fills, take_patterns_of_every_length) {
  const auto q = create_queue(far(0), {});
  for (std::size_t length : {1u, 3u, 12u, 128u, 200u}) {
    buffer_options o;
    o.extent[2] = 5;
    o.element_bytes = length;
    const auto b = create_buffer(o);
    std::vector<std::byte> pattern(length), out(5 * length);
    for (std::size_t i = 0; i < length; ++i) pattern[i] = static_cast<std::byte>(i + 1);
    command_group g;
    g.what = fill_request{{b, b == nullptr ? box{} : first(5), nullptr, nullptr}, 0, pattern};
    rethrow(submit(*q, std::move(g)));
    read_back(*b, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], pattern[i % length]);
    auto* usm = usm_allocate(far(0), 5 * length, 0, devices::memory_kind::host, nullptr);
    command_group u;
    u.what = fill_request{{nullptr, {}, usm, nullptr}, 5 * length, pattern};
    rethrow(submit(*q, std::move(u)));
    EXPECT_EQ(std::memcmp(usm, out.data(), out.size()), 0);
    usm_free(usm, nullptr);
  }
}

TEST(usm, is_found_by_interior_pointers_until_it_is_freed) {
  char* const p = static_cast<char*>(usm_allocate(far(0), 100, 64, devices::memory_kind::host, nullptr));
  ASSERT_NE(p, nullptr);
  for (int i : {0, 50, 99}) {
    const auto found = usm_find(p + i);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->base, p);
    EXPECT_EQ(found->device, &far(0));
    EXPECT_EQ(found->bytes, 100u);
  }
  EXPECT_FALSE(usm_find(p + 100));
  EXPECT_THROW(usm_free(p + 1, nullptr), error);
  usm_free(p, nullptr);
  EXPECT_FALSE(usm_find(p));
  EXPECT_THROW(usm_free(p, nullptr), error);
  int local = 0;
  EXPECT_THROW(usm_free(&local, nullptr), error);
  usm_free(nullptr, nullptr);
}

TEST(usm, of_a_kind_the_device_lacks_is_an_error_and_too_much_is_null) {
  EXPECT_THROW(usm_allocate(far(0), 100, 0, devices::memory_kind::shared, nullptr), error);
  EXPECT_EQ(usm_allocate(far(0), 1ull << 40, 0, devices::memory_kind::device, nullptr), nullptr);
  EXPECT_EQ(usm_allocate(far(0), 100, 3, devices::memory_kind::device, nullptr), nullptr);
}

} // namespace
