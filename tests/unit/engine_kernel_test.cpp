// Checks before the submission of a kernel, and the command that the device gets.
#include "tests/unit/test_device.hpp"

#include <gtest/gtest.h>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

using namespace prism;
using namespace prism::test;

namespace {

std::mutex seen_mutex;
devices::dispatch_command seen;
void look(const kernel_call& c) {
  const std::lock_guard lock(seen_mutex); // queues run on threads of their own
  seen = c.command;
}

test_kernel looks(look, 0, 8), pointers(look, 2, 24);

kernel_command nd(test_kernel& k, devices::extent3 global, devices::extent3 local) {
  kernel_command c;
  c.slot = &k.slot;
  c.name = "nd kernel";
  c.captured = block({1, 2, 3});
  c.is_range = false;
  c.global = global;
  c.local = local;
  return c;
}

error refused(kernel_command c) {
  const auto q = create_queue(far(0), {});
  command_group g;
  g.what = std::move(c);
  try {
    submit(*q, std::move(g))->wait();
  } catch (const error& e) {
    return e;
  }
  return error(error_code::success, "accepted");
}

struct row {
  devices::extent3 global, local;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const row& r) {
    return out << r.says;
  } // the test's name
};
class nd_ranges : public testing::TestWithParam<row> {};

TEST_P(nd_ranges, that_cannot_run_are_refused_with_the_reason) {
  const error e = refused(nd(looks, GetParam().global, GetParam().local));
  EXPECT_EQ(e.code(), error_code::nd_range);
  EXPECT_NE(std::string(e.what()).find(GetParam().says), std::string::npos) << e.what();
  EXPECT_NE(std::string(e.what()).find("kernel \"nd kernel\" on far:0"), std::string::npos) << e.what();
}

INSTANTIATE_TEST_SUITE_P(
    , nd_ranges,
    testing::Values(row{{8, 1, 1}, {0, 1, 1}, "zero dimension"},
                    row{{10, 1, 1}, {4, 1, 1}, "10 is not a multiple of the local range 4"},
                    row{{128, 1, 1}, {128, 1, 1}, "this kernel can have in a group, 64"},
                    row{{1, 1, 32}, {1, 1, 32}, "larger than the device allows"},
                    row{{1ull << 40, 1ull << 40, 1}, {1ull << 40, 1ull << 40, 1}, "more work-items"},
                    row{{1ull << 40, 1ull << 40, 1}, {1, 1, 1}, "more work-groups"}));

// An accessor's token may remain in a structure's padding next to a small integer of the user. Together they
// were once the token of the next accessor, and the integer was replaced by an address.
TEST(tokens, small_numbers_next_to_a_partial_token_are_no_token) {
  std::vector<std::uint64_t> given(2000);
  for (std::uint64_t& t : given) t = new_token();
  for (const std::uint64_t t : given) {
    EXPECT_TRUE(token_was_given(t));
    const std::uint64_t remains = t >> 32 << 32;
    for (std::uint64_t small = 0; small < 100; ++small)
      ASSERT_FALSE(token_was_given(remains | small)) << small;
  }
  EXPECT_FALSE(token_was_given(0));
  EXPECT_FALSE(token_was_given(given.back() + 1));
}

TEST(kernels, an_nd_range_reaches_the_device_as_groups) {
  EXPECT_EQ(refused(nd(looks, {32, 8, 4}, {4, 2, 4})).code(), error_code::success);
  EXPECT_EQ(seen.groups, (devices::extent3{8, 4, 1}));
  EXPECT_EQ(seen.local, (devices::extent3{4, 2, 4}));
  EXPECT_EQ(seen.arguments.size(), 32u) << "padded to 16 bytes";
}

TEST(kernels, a_range_is_rounded_up_to_whole_groups) {
  const auto q = create_queue(far(0), {});
  submit(*q, kernel_on(looks, 1001, {}, {0}))->wait();
  EXPECT_GE(seen.groups[0] * seen.local[0], 1001u);
  EXPECT_LE(seen.local[0], 64u);
}

TEST(kernels, dynamic_local_memory_follows_the_static_one_aligned) {
  test_kernel k(look, 0, 8);
  k.record.static_local_bytes = 100;
  kernel_command c = nd(k, {8, 1, 1}, {8, 1, 1});
  const auto t1 = new_token(), t2 = new_token();
  c.captured = block({t1, t2, 5});
  c.locals = {{t1, 10, 4}, {t2, 40, 64}};
  EXPECT_EQ(refused(std::move(c)).code(), error_code::success);
  std::uint64_t words[3];
  __builtin_memcpy(words, seen.arguments.data(), sizeof words);
  EXPECT_EQ(words[0], 128u);
  EXPECT_EQ(words[1], 192u);
  EXPECT_EQ(words[2], 5u);
  EXPECT_EQ(seen.local_bytes, 232u);
  const std::vector<devices::local_offsets::entry> places(seen.offsets.begin(), seen.offsets.end());
  EXPECT_EQ(places, (std::vector<devices::local_offsets::entry>{{0, 128}, {8, 192}}));
}

TEST(kernels, too_much_local_memory_is_refused) {
  kernel_command c = nd(looks, {8, 1, 1}, {8, 1, 1});
  c.locals = {{new_token(), 2000, 4}};
  const error e = refused(std::move(c));
  EXPECT_EQ(e.code(), error_code::nd_range);
  EXPECT_NE(std::string(e.what()).find("2000"), std::string::npos) << e.what();
}

TEST(kernels, without_an_image_are_refused_with_a_remedy) {
  kernel_command c = nd(looks, {8, 1, 1}, {8, 1, 1});
  c.slot = nullptr;
  const error e = refused(std::move(c));
  EXPECT_EQ(e.code(), error_code::kernel_not_supported);
  EXPECT_NE(std::string(e.what()).find("compile it with prism++"), std::string::npos) << e.what();
}

TEST(kernels, that_need_more_than_the_device_has_are_refused_by_name) {
  test_kernel k(look, 0, 8, image::fp64 | image::int64);
  const error e = refused(nd(k, {8, 1, 1}, {8, 1, 1}));
  EXPECT_EQ(e.code(), error_code::kernel_not_supported);
  EXPECT_NE(std::string(e.what()).find("needs fp64, which the device lacks"), std::string::npos) << e.what();
}

TEST(kernels, required_sizes_are_applied_or_refused) {
  test_kernel k(look, 0, 8);
  k.record.required_local_size[0] = 16;
  k.record.required_local_size[1] = k.record.required_local_size[2] = 1;
  EXPECT_EQ(refused(nd(k, {16, 1, 1}, {8, 1, 1})).code(), error_code::nd_range);
  EXPECT_EQ(refused(nd(k, {16, 1, 1}, {16, 1, 1})).code(), error_code::success);
  test_kernel s(look, 0, 8);
  s.record.required_sub_group_size = 32;
  EXPECT_EQ(refused(nd(s, {8, 1, 1}, {8, 1, 1})).code(), error_code::kernel_not_supported);
}

TEST(kernels, are_built_once) {
  test_kernel k(look, 0, 8);
  const int before = counted.builds;
  for (int i = 0; i < 3; ++i) refused(nd(k, {8, 1, 1}, {8, 1, 1}));
  EXPECT_EQ(counted.builds, before + 1);
}

TEST(kernels, launched_first_by_many_threads_are_built_once) {
  test_kernel k(look, 0, 8);
  const int before = counted.builds;
  std::latch together(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const auto q = create_queue(far(0), {});
      together.arrive_and_wait();
      command_group g;
      g.what = nd(k, {8, 1, 1}, {8, 1, 1});
      submit(*q, std::move(g))->wait();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counted.builds, before + 1);
}

TEST(slots, of_usm_pointers_are_memory_and_offset) {
  auto* p = static_cast<char*>(usm_allocate(far(0), 100, 0, devices::memory_kind::device, nullptr));
  kernel_command c = nd(pointers, {8, 1, 1}, {8, 1, 1});
  c.captured = block({reinterpret_cast<std::uint64_t>(p + 40), 0, 7});
  EXPECT_EQ(refused(std::move(c)).code(), error_code::success);
  ASSERT_EQ(seen.slots.size(), 2u);
  EXPECT_NE(seen.slots[0].object, nullptr);
  EXPECT_EQ(seen.slots[0].offset, 40u);
  EXPECT_EQ(seen.slots[1].object, nullptr);
  EXPECT_EQ(seen.slots[1].address, 0u);
  usm_free(p, nullptr);
}

TEST(slots, of_another_devices_memory_are_refused) {
  auto* p = usm_allocate(far(1), 100, 0, devices::memory_kind::device, nullptr);
  kernel_command c = nd(pointers, {8, 1, 1}, {8, 1, 1});
  c.captured = block({reinterpret_cast<std::uint64_t>(p), 0, 7});
  const error e = refused(std::move(c));
  EXPECT_EQ(e.code(), error_code::invalid);
  EXPECT_NE(std::string(e.what()).find("far:1"), std::string::npos) << e.what();
  usm_free(p, nullptr);
}

TEST(slots, that_cannot_hold_an_address_are_passed_unchanged) {
  static test_kernel choices(look, 2, 24, 0, image::slot_is_read);
  auto* p = usm_allocate(far(1), 100, 0, devices::memory_kind::device, nullptr);
  static const int own = 1;
  kernel_command c = nd(choices, {8, 1, 1}, {8, 1, 1});
  c.captured = block({reinterpret_cast<std::uint64_t>(p), reinterpret_cast<std::uint64_t>(&own), 7});
  EXPECT_EQ(refused(std::move(c)).code(), error_code::success);
  ASSERT_EQ(seen.slots.size(), 2u);
  EXPECT_EQ(seen.slots[0].address, reinterpret_cast<std::uint64_t>(p));
  EXPECT_EQ(seen.slots[1].address, reinterpret_cast<std::uint64_t>(&own));
  usm_free(p, nullptr);
}

TEST(slots, of_the_hosts_own_memory_are_refused) {
  static const int own = 1;
  kernel_command c = nd(pointers, {8, 1, 1}, {8, 1, 1});
  c.captured = block({reinterpret_cast<std::uint64_t>(&own), 0, 7});
  const error e = refused(std::move(c));
  EXPECT_EQ(e.code(), error_code::invalid);
  EXPECT_NE(std::string(e.what()).find("host's own memory"), std::string::npos) << e.what();
}

TEST(slots, of_accessors_add_the_sub_buffers_and_the_accessors_offset) {
  const auto b = int_buffer(100);
  buffer_options half;
  half.extent[2] = 50;
  half.element_bytes = 4;
  const auto right = create_sub_buffer(b, 200, half);
  auto g = kernel_on(pointers, 8, {{right, access_mode::no_init_write, 50}, {b, access_mode::read, 50}}, {7});
  g.requirements[0].byte_offset = 12;
  const auto q = create_queue(far(0), {});
  rethrow(submit(*q, std::move(g)));
  ASSERT_EQ(seen.slots.size(), 2u);
  EXPECT_EQ(seen.slots[0].offset, 212u);
  EXPECT_EQ(seen.slots[1].offset, 0u);
  EXPECT_EQ(seen.slots[0].object, seen.slots[1].object);
}

TEST(tokens, are_unique_and_no_addresses) {
  const auto a = new_token(), b = new_token();
  EXPECT_NE(a, b);
  const auto top = static_cast<std::int64_t>(a) >> 47;
  EXPECT_NE(top, 0);
  EXPECT_NE(top, -1);
}

} // namespace
