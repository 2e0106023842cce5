// The OpenCL backend in addition to the conformance kit: calling convention, programs, waits between queues,
// and that only work in flight uses memory.
#include "devices/opencl/convert.hpp"
#include "devices/opencl/timeline.hpp"
#include "fixture.hpp"
#include "tests/wait.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace prism::devices {
namespace {

using namespace std::chrono_literals;

dispatch_command axpy(kernel& object, memory& x, memory& y, std::uint64_t groups, std::uint64_t local,
                      const pool::vector<std::byte>& block) {
  dispatch_command made;
  made.object = &object;
  made.groups[0] = groups;
  made.local[0] = local;
  made.arguments = block;
  made.slots = {{&x, 0, 0}, {&y, 0, 0}};
  return made;
}

TEST_P(opencl_device_under_test, an_axpy_with_pointer_slots_is_right) {
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({});
  std::vector<float> x(1024), y(1024, 1.0f), result(1024);
  std::iota(x.begin(), x.end(), 0.0f);
  auto mx = buffer(4096), my = buffer(4096);
  run(*on,
      {upload(x, *mx), upload(y, *my),
       axpy(code->get_kernel("axpy"), *mx, *my, 16, 64, bytes_of(axpy_block{2.0f})), download(*my, result)});
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(result[i], 2.0f * i + 1.0f) << i;
}

// PoCL takes the declarations of PRISM's own texts; this one calls another function.
TEST_P(opencl_device_under_test, a_text_that_calls_any_function_of_opencl_c_is_built) {
  EXPECT_NO_THROW(build("__kernel void signs(__global float* x) { x[0] = sign(x[1]); }"));
  try {
    build("__kernel void wrong(__global float* x) { x[0] = no_such_function(x[1]); }");
    FAIL() << "an unknown function was accepted";
  } catch (const device_error& e) {
    EXPECT_NE(std::string(e.what()).find("no_such_function"), std::string::npos) << e.what();
  }
}

TEST_P(opencl_device_under_test, changed_arguments_of_a_repeated_launch_are_seen) {
  auto code = build(axpy_text, &axpy_record);
  kernel& object = code->get_kernel("axpy");
  auto on = dut().create_queue({});
  std::vector<float> x(64, 1.0f), y(64, 0.0f), result(64);
  auto my = buffer(512);
  run(*on, {upload(y, *my), upload(y, *my, 256)});
  for (int round = 0; round < 8; ++round) {
    auto mx = buffer(256); // often at the address of the previous one
    x.assign(64, float(round));
    auto launch = axpy(object, *mx, *my, 1, 64, bytes_of(axpy_block{float(round + 1)}));
    launch.slots[1].offset = round % 2 * 256;
    run(*on, {upload(x, *mx), launch});
  }
  run(*on, {download(*my, result)});
  EXPECT_EQ(result[5], 0 * 1 + 2 * 3 + 4 * 5 + 6 * 7);
  run(*on, {download(*my, result, 256)});
  EXPECT_EQ(result[5], 1 * 2 + 3 * 4 + 5 * 6 + 7 * 8);
}

TEST_P(opencl_device_under_test, local_memory_and_barriers_reverse_a_group) {
  const std::string text = R"(
struct block { ulong w[1]; };
__kernel void reverse(struct block b, __local ulong16* arena, __global uchar* p, ulong po) {
  __local int* t = (__local int*)arena;
  __global int* v = (__global int*)(p + po);
  size_t l = get_local_id(0), n = get_local_size(0);
  t[l] = v[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  v[get_global_id(0)] = t[n - 1 - l];
})";
  const image::pointer_slot slots[] = {{0, 3}};
  const image::kernel_record record =
      record_of("reverse", 8, image::arguments_by_value | image::uses_local_memory, 4, slots);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  std::vector<int> values(256), result(256);
  std::iota(values.begin(), values.end(), 0);
  auto data = buffer(1024);
  dispatch_command launch;
  launch.object = &code->get_kernel("reverse");
  launch.groups[0] = 4;
  launch.local[0] = 64;
  launch.local_bytes = 256;
  launch.arguments.resize(16);
  launch.slots = {{data.get(), 0, 0}};
  run(*on, {upload(values, *data), launch, download(*data, result)});
  for (int i = 0; i < 256; ++i) ASSERT_EQ(result[i], i / 64 * 64 + 63 - i % 64);
}

TEST_P(opencl_device_under_test, captures_beyond_1_kib_may_change_while_a_kernel_runs) {
  const std::string text = R"(
__kernel void big(__global const uchar* block, __global uchar* p, ulong po) {
  ((__global int*)(p + po))[get_global_id(0)] = ((__global const int*)block)[get_global_id(0)];
})";
  const image::pointer_slot slots[] = {{8000, 3}};
  const image::kernel_record record = record_of("big", 8008, 0, 1, slots);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  const int launches = 20;
  auto data = buffer(8000 * launches);
  std::uint64_t point = 0;
  for (int launch_number = 0; launch_number < launches; ++launch_number) {
    std::vector<int> captured(2004);
    std::iota(captured.begin(), captured.end(), launch_number * 10000);
    dispatch_command launch;
    launch.object = &code->get_kernel("big");
    launch.groups[0] = 20;
    launch.local[0] = 100;
    launch.arguments.resize(8016);
    std::memcpy(launch.arguments.data(), captured.data(), 8016);
    launch.slots = {{data.get(), std::uint64_t(launch_number) * 8000, 0}};
    const command one(launch);
    point = on->submit({&one, 1}, {});
  }
  finish(*on, point);
  std::vector<int> result(2000 * launches);
  run(*on, {download(*data, result)});
  for (int i = 0; i < 2000 * launches; ++i) ASSERT_EQ(result[i], i / 2000 * 10000 + i % 2000) << i;
}

TEST_P(opencl_device_under_test, seq_cst_atomics_need_the_memory_model_feature) {
  const std::string text = R"(
struct block { ulong w[1]; };
__kernel void count(struct block b, __global uchar* p, ulong po) {
  volatile __global uint* v = (volatile __global uint*)(p + po);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_add(v, 1u);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
})";
  const image::pointer_slot slots[] = {{0, 3}};
  const image::kernel_record record = record_of("count", 8, image::arguments_by_value, 1, slots);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  auto data = buffer(4);
  std::vector<unsigned> result(1);
  dispatch_command launch;
  launch.object = &code->get_kernel("count");
  launch.groups[0] = 32;
  launch.local[0] = 32;
  launch.arguments.resize(16);
  launch.slots = {{data.get(), 0, 0}};
  run(*on, {fill_command{data.get(), 0, 4, std::vector<std::byte>(4)}, launch, download(*data, result)});
  EXPECT_EQ(result[0], 1024u);
  const auto& orders = info().atomic_orders;
  const bool seq_cst = std::find(orders.begin(), orders.end(), 4) != orders.end();
  EXPECT_TRUE(!seq_cst || (info().features & image::memory_model));
}

TEST_P(opencl_device_under_test, null_slots_are_null_pointers) {
  const std::string text = R"(
struct block { ulong w[1]; };
__kernel void test(struct block b, __global uchar* p, ulong po, __global uchar* q, ulong qo) {
  *(__global int*)(q + qo) = (p + po == 0) ? 7 : 8;
})";
  const image::pointer_slot slots[] = {{0, 1}, {0, 3}};
  const image::kernel_record record = record_of("test", 8, image::arguments_by_value, 1, slots);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  auto data = buffer(4);
  std::vector<int> result(1);
  dispatch_command launch;
  launch.object = &code->get_kernel("test");
  launch.arguments.resize(16);
  launch.slots = {{nullptr, 0, 0}, {data.get(), 0, 0}};
  run(*on, {launch, download(*data, result)});
  EXPECT_EQ(result[0], 7);
  launch.slots[0] = {data.get(), 0, 0}; // a pointer after a null pointer
  run(*on, {launch, download(*data, result)});
  EXPECT_EQ(result[0], 8);
  launch.slots[0] = {nullptr, 0, 0}; // a null pointer after a pointer
  run(*on, {launch, download(*data, result)});
  EXPECT_EQ(result[0], 7);
}

TEST_P(opencl_device_under_test, copies_of_pitched_boxes_are_right) {
  auto on = dut().create_queue({});
  // Pitches: the slice pitch is a multiple of the row pitch, is not, and slices of one row.
  const struct {
    std::uint64_t row, slice, rows, slices;
  } cases[] = {{20, 100, 3, 4}, {20, 90, 3, 4}, {24, 50, 1, 5}};
  for (const auto& box : cases) {
    std::vector<unsigned char> source(600), target(600, 0), expected(600, 0);
    std::iota(source.begin(), source.end(), 0);
    auto first = buffer(600), second = buffer(600);
    const auto side = [&](memory* object, void* host, std::uint64_t offset) {
      return location{object, host, offset, box.row, box.slice};
    };
    const auto copy = [&](location from, location to) {
      return copy_command{from, to, 12, box.rows, box.slices};
    };
    run(*on, {upload(target, *first), upload(target, *second),
              copy(side(nullptr, source.data(), 3), side(first.get(), nullptr, 40)),
              copy(side(first.get(), nullptr, 40), side(second.get(), nullptr, 8)),
              copy(side(second.get(), nullptr, 8), side(nullptr, target.data(), 5))});
    for (std::uint64_t z = 0; z < box.slices; ++z)
      for (std::uint64_t y = 0; y < box.rows; ++y)
        for (int x = 0; x < 12; ++x)
          expected[5 + z * box.slice + y * box.row + x] = source[3 + z * box.slice + y * box.row + x];
    EXPECT_EQ(target, expected) << box.slice;
  }
}

TEST_P(opencl_device_under_test, fills_take_every_pattern_width_and_offset) {
  auto on = dut().create_queue({});
  for (const std::size_t width : {1, 2, 3, 4, 8, 12, 16, 20, 24, 32, 64, 100, 128})
    for (const std::size_t offset : {std::size_t{0}, std::size_t{4}, width}) {
      const std::size_t count = width == 12 ? 20000 : 37; // larger than one piece of staging memory
      std::vector<unsigned char> result(offset + width * count + 4), expected(result.size(), 0xee);
      auto data = buffer(result.size());
      fill_command fill{data.get(), offset, width * count, {}};
      for (std::size_t i = 0; i < width; ++i) fill.pattern.push_back(std::byte(i + 1));
      for (std::size_t i = 0; i < width * count; ++i)
        expected[offset + i] = static_cast<unsigned char>(i % width + 1);
      run(*on,
          {fill_command{data.get(), 0, result.size(), {std::byte{0xee}}}, fill, download(*data, result)});
      ASSERT_EQ(result, expected) << width << " at " << offset;
    }
}

TEST_P(opencl_device_under_test, a_queue_waits_for_a_point_of_another_queue) {
  auto code = build(axpy_text, &axpy_record);
  auto one = dut().create_queue({}), two = dut().create_queue({});
  ASSERT_TRUE(dut().can_wait_for(one->points()));
  std::vector<float> x(4096, 1.0f), y(4096, 0.0f), result(4096);
  auto mx = buffer(16384), my = buffer(16384);
  run(*one, {upload(x, *mx), upload(y, *my)});
  const auto launch = axpy(code->get_kernel("axpy"), *mx, *my, 64, 64, bytes_of(axpy_block{1.0f}));
  const command add(launch);
  std::uint64_t first = 0, second = 0;
  for (int i = 0; i < 50; ++i) {
    timeline_point after_second{&two->points(), second};
    first = one->submit({&add, 1}, {&after_second, 1});
    timeline_point after_first{&one->points(), first};
    second = two->submit({&add, 1}, {&after_first, 1});
  }
  finish(*two, second);
  run(*two, {download(*my, result)});
  EXPECT_EQ(result[17], 100.0f);
  EXPECT_EQ(result[4095], 100.0f);
}

TEST_P(opencl_device_under_test, an_empty_submission_completes_and_waits_can_time_out) {
  auto on = dut().create_queue({});
  EXPECT_EQ(on->submit({}, {}), 1u);
  const command barrier = barrier_command{};
  EXPECT_EQ(on->submit({&barrier, 1}, {}), 2u);
  EXPECT_TRUE(on->points().wait(2, 10s));
  EXPECT_EQ(on->points().completed(), 2u);
  EXPECT_TRUE(on->points().wait(2, 0s));
  EXPECT_FALSE(on->points().failure(2));
}

TEST_P(opencl_device_under_test, a_callback_that_polls_the_timeline_runs_once) {
  auto on = dut().create_queue({});
  struct context_type {
    timeline* points;
    std::atomic<int> calls{0};
    std::atomic<std::uint64_t> least{0};
  } context{&on->points()};
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t point = on->submit({}, {});
    on->points().on_completion(point, [](void* data) {
      auto& counts = *static_cast<context_type*>(data);
      counts.least = counts.points->completed();
      ++counts.calls;
    }, &context);
    if (i % 3 == 0) {
      EXPECT_LE(on->points().completed(), 200u);
    }
  }
  EXPECT_TRUE(prism_test::eventually([&] { return context.calls == 200; }));
  EXPECT_EQ(context.least, 200u);
}

TEST_P(opencl_device_under_test, profile_times_lie_between_submission_and_now) {
  if (!info().profiling) GTEST_SKIP() << "no profiling";
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({true});
  auto mx = buffer(1 << 14), my = buffer(1 << 14);
  const std::vector<std::byte> zero(4);
  run(*on, {fill_command{mx.get(), 0, 1 << 14, zero}, fill_command{my.get(), 0, 1 << 14, zero}});
  const command add(axpy(code->get_kernel("axpy"), *mx, *my, 64, 64, bytes_of(axpy_block{1.0f})));
  const auto now = [] { return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch() / 1ns); };
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = now();
    const std::uint64_t point = on->submit({&add, 1}, {});
    finish(*on, point);
    const std::uint64_t after = now();
    const profile times = on->points().times(point);
    EXPECT_LE(before, times.submitted_ns);
    EXPECT_LE(times.submitted_ns, times.started_ns);
    EXPECT_LE(times.started_ns, times.ended_ns);
    EXPECT_LE(times.ended_ns, after + 200000); // the calibration's uncertainty
    EXPECT_LT(times.ended_ns - times.started_ns, after - before + 200000);
  }
  auto plain = dut().create_queue({});
  run(*plain, {barrier_command{}});
  EXPECT_THROW(plain->points().times(1), device_error);
}

TEST_P(opencl_device_under_test, a_build_error_contains_the_drivers_log) {
  try {
    build("__kernel void broken(__global int* p) { p[0] = not_declared_anywhere; }");
    FAIL() << "the wrong source compiled";
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::build);
    EXPECT_NE(std::string(error.what()).find("not_declared_anywhere"), std::string::npos) << error.what();
  }
}

TEST_P(opencl_device_under_test, a_missing_kernel_is_rejected_by_name) {
  auto code = build(axpy_text, &axpy_record);
  try {
    code->get_kernel("missing");
    FAIL();
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::invalid);
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos);
  }
}

TEST_P(opencl_device_under_test, a_binary_runs_without_source_and_damage_is_detected) {
  auto code = build(axpy_text, &axpy_record);
  auto binary = code->binary();
  ASSERT_FALSE(binary.empty());
  auto again =
      dut().create_program_from_binary(binary, {image::kind::opencl_c, nullptr, 0, &axpy_record, ""});
  ASSERT_TRUE(again);
  auto on = dut().create_queue({});
  std::vector<float> x(64, 3.0f), y(64, 1.0f), result(64);
  auto mx = buffer(256), my = buffer(256);
  run(*on,
      {upload(x, *mx), upload(y, *my),
       axpy(again->get_kernel("axpy"), *mx, *my, 1, 64, bytes_of(axpy_block{2.0f})), download(*my, result)});
  EXPECT_EQ(result[63], 7.0f);
  binary[binary.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(
      dut().create_program_from_binary(binary, {image::kind::opencl_c, nullptr, 0, &axpy_record, ""}));
  binary.resize(20);
  EXPECT_FALSE(
      dut().create_program_from_binary(binary, {image::kind::opencl_c, nullptr, 0, &axpy_record, ""}));
}

TEST_P(opencl_device_under_test, a_work_group_beyond_the_limit_throws_and_leaves_the_queue_usable) {
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({});
  auto mx = buffer(256), my = buffer(256);
  EXPECT_LE(code->get_kernel("axpy").limits().max_group_size, info().max_group_size);
  const command wrong(
      axpy(code->get_kernel("axpy"), *mx, *my, 1, info().max_group_size * 2, bytes_of(axpy_block{2.0f})));
  EXPECT_THROW(on->submit({&wrong, 1}, {}), device_error);
  const command both[] = {fill_command{my.get(), 0, 256, {std::byte{1}}}, wrong};
  const std::uint64_t point = on->submit(both, {});
  on->points().wait(point);
  ASSERT_TRUE(on->points().failure(point));
  EXPECT_EQ(on->points().failure(point)->category(), error_category::invalid);
  run(*on, {barrier_command{}});
}

TEST_P(opencl_device_under_test, usm_kinds_follow_opencl_shared_virtual_memory) {
  if (!info().usm_device) {
    EXPECT_EQ(buffer(64)->address(), 0u);
    EXPECT_THROW(dut().create_memory(64, memory_kind::shared, 64), device_error);
    auto plain = build(axpy_text, &axpy_record);
    auto on_it = dut().create_queue({});
    auto data = buffer(256);
    auto raw = axpy(plain->get_kernel("axpy"), *data, *data, 1, 64, bytes_of(axpy_block{1.0f}));
    raw.slots[0] = {nullptr, 0, 0x1000};
    const command one(raw);
    try {
      on_it->submit({&one, 1}, {});
      ADD_FAILURE() << "a raw pointer was accepted";
    } catch (const device_error& error) {
      EXPECT_EQ(error.category(), error_category::unsupported);
    }
    return;
  }
  const std::string text = R"(
struct block { ulong w[1]; };
__kernel void chase(struct block b, __global uchar* p, ulong po, __global uchar* q, ulong qo) {
  __global ulong* node = (__global ulong*)(p + po);
  ulong sum = 0;
  while (node) { sum += node[1]; node = (__global ulong*)node[0]; }
  *(__global ulong*)(q + qo) = sum;
})";
  const image::pointer_slot slots[] = {{0, 1}, {0, 3}};
  const image::kernel_image images[] = {
      {image::kind::opencl_c, 0, image::addresses, nullptr, 0, nullptr, 0, 0}};
  const image::kernel_record record = record_of("chase", 8, image::arguments_by_value, 1, slots, images);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  std::vector<std::unique_ptr<memory>> nodes;
  for (int i = 0; i < 40; ++i)
    nodes.push_back(dut().create_memory(i % 7 == 0 ? 100000 : 16, memory_kind::device, 16));
  for (int i = 0; i < 40; ++i) {
    const std::vector<std::uint64_t> node{i == 39 ? 0 : nodes[i + 1]->address(), std::uint64_t(i)};
    run(*on, {upload(node, *nodes[i])});
  }
  auto sum = buffer(8);
  std::vector<std::uint64_t> result(1);
  dispatch_command launch;
  launch.object = &code->get_kernel("chase");
  launch.arguments.resize(16);
  launch.slots = {{nullptr, 0, nodes[0]->address()}, {sum.get(), 0, 0}};
  run(*on, {launch, download(*sum, result)});
  EXPECT_EQ(result[0], 39u * 40 / 2);
  if (!info().usm_shared) return;
  auto shared = dut().create_memory(5000, memory_kind::shared, 4096);
  EXPECT_EQ(shared->address() % 4096, 0u);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(shared->host_pointer()), shared->address());
  auto* word = static_cast<std::uint64_t*>(shared->host_pointer());
  word[0] = 0;
  word[1] = 99;
  launch.slots[0].address = shared->address();
  run(*on, {launch, download(*sum, result)});
  EXPECT_EQ(result[0], 99u);
}

TEST_P(opencl_device_under_test, adopted_memory_is_written_in_place_by_kernels) {
  std::vector<float> storage(2048 + 64);
  auto* host = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64);
  auto adopted = dut().adopt(host, 4096);
  if (!info().adopt_host_memory) {
    EXPECT_FALSE(adopted);
    return;
  }
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->address(), 0u);
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({});
  auto mx = buffer(4096);
  run(*on, {upload(std::vector<float>(1024, 1.0f), *mx)});
  for (int round = 0; round < 3; ++round) { // the host writes between launches
    for (int i = 0; i < 1024; ++i) host[i] = float(i + round);
    run(*on, {axpy(code->get_kernel("axpy"), *mx, *adopted, 16, 64, bytes_of(axpy_block{0.5f}))});
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(host[i], i + round + 0.5f);
  }
}

TEST_P(opencl_device_under_test, kernel_pointers_have_the_alignment_of_their_slots) {
  const std::string text = R"(
struct block { ulong w[1]; };
__kernel void test(struct block b, __global uchar* p, ulong po, __global uchar* q, ulong qo) {
  *(__global ulong*)(q + qo) = (ulong)(p + po);
})";
  const image::pointer_slot slots[] = {{0, 1}, {0, 3}};
  const image::kernel_record record = record_of("test", 8, image::arguments_by_value, 1, slots);
  auto code = build(text, &record);
  auto on = dut().create_queue({});
  auto answer = buffer(8);
  std::vector<std::uint64_t> pointer(1);
  const auto expect_alignment = [&](const slot_binding& slot, std::uint64_t least) {
    dispatch_command launch;
    launch.object = &code->get_kernel("test");
    launch.arguments.resize(16);
    launch.slots = {slot, {answer.get(), 0, 0}};
    run(*on, {launch, download(*answer, pointer)});
    const std::uint64_t said = alignment_of(slot);
    EXPECT_EQ(pointer[0] % said, 0u) << "the slot promises " << said << ", the kernel sees " << std::hex
                                     << pointer[0];
    EXPECT_GE(said, least);
  };
  for (const std::uint64_t offset : {0, 1, 4, 48, 64, 192}) {
    const std::uint64_t least = offset == 0 ? 64 : std::min<std::uint64_t>(lowest_bit(offset), 64);
    for (const std::uint64_t bytes : {200, 5000, 1 << 20}) {
      const auto made = buffer(bytes);
      expect_alignment({made.get(), offset, 0}, least);
    }
    if (info().usm_device) {
      const auto shared = dut().create_memory(5000, memory_kind::device, 64);
      expect_alignment({shared.get(), offset, 0}, least);
      expect_alignment({nullptr, 0, shared->address() + offset}, least);
    }
  }
  std::vector<std::byte> storage(8192);
  std::byte* const even = storage.data() + (1024 - reinterpret_cast<std::uintptr_t>(storage.data()) % 1024);
  for (const std::size_t at : {0, 64, 128, 192, 8, 4, 1})
    if (const auto adopted = dut().adopt(even + at, 4096)) expect_alignment({adopted.get(), 0, 0}, 1);
  expect_alignment({}, 1); // a null pointer
}

TEST_P(opencl_device_under_test, two_threads_launch_one_kernel_on_queues_of_their_own) {
  auto code = build(axpy_text, &axpy_record);
  kernel& object = code->get_kernel("axpy");
  const auto work = [&](float a) {
    auto on = dut().create_queue({});
    auto mx = buffer(256), my = buffer(256);
    std::vector<float> x(64, 1.0f), y(64, 0.0f), result(64);
    run(*on, {upload(x, *mx), upload(y, *my)});
    const command add(axpy(object, *mx, *my, 1, 64, bytes_of(axpy_block{a})));
    for (int i = 0; i < 300; ++i) on->submit({&add, 1}, {});
    run(*on, {download(*my, result)});
    EXPECT_EQ(result[9], 300 * a);
  };
  std::thread other(work, 2.0f);
  work(3.0f);
  other.join();
}

TEST_P(opencl_device_under_test, memory_of_a_long_burst_is_freed_after_its_completion) {
  constexpr int burst = 5000;
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({});
  const auto& points = dynamic_cast<const opencl::opencl_timeline&>(on->points());
  auto mx = buffer(256), my = buffer(256), large = buffer(under_oclgrind() ? 256 : 64 << 20);
  std::vector<float> x(64, 1.0f), y(64, 0.0f), result(64);
  run(*on, {upload(x, *mx), upload(y, *my)});
  const command add(axpy(code->get_kernel("axpy"), *mx, *my, 1, 64, bytes_of(axpy_block{1.0f})));
  int added = 0;
  bool were_in_flight = false;
  for (std::size_t fills = 4; fills <= 64 && !were_in_flight;
       fills *= 2) { // enough to delay the other commands
    const std::vector<command> first(fills, fill_command{large.get(), 0, large->size(), {std::byte{1}}});
    std::uint64_t point = on->submit(first, {}), oldest = point;
    for (int i = 0; i < burst; ++i, ++added) point = on->submit({&add, 1}, {});
    were_in_flight = points.capacity() >= burst;
    for (int round = 0; round < 10; ++round) { // some commands complete and are removed at these submissions
      on->points().wait(point - burst / 2);
      for (int i = 0; i < 100; ++i, ++added) point = on->submit({&add, 1}, {});
    }
    finish(*on, point);
    EXPECT_EQ(points.completed(), point);
    EXPECT_LT(points.capacity(), std::size_t(burst));
    for (; oldest <= point; ++oldest) ASSERT_FALSE(points.failure(oldest)) << oldest << " of " << point;
  }
  EXPECT_TRUE(were_in_flight) << "the device was never busy long enough";
  run(*on, {download(*my, result)});
  for (const float each : result) ASSERT_EQ(each, float(added));
}

TEST_P(opencl_device_under_test, memory_does_not_grow_over_many_submissions) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer keeps freed memory for a while";
#endif
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long total = 0, pages = 0;
    file >> total >> pages;
    return pages * sysconf(_SC_PAGESIZE) / 1024;
  };
  auto code = build(axpy_text, &axpy_record);
  auto on = dut().create_queue({});
  auto mx = buffer(256), my = buffer(256);
  run(*on, {fill_command{mx.get(), 0, 256, {std::byte{0}}}, fill_command{my.get(), 0, 256, {std::byte{0}}}});
  const command add(axpy(code->get_kernel("axpy"), *mx, *my, 1, 64, bytes_of(axpy_block{1.0f})));
  // A submission takes rusticl thirty times as long as PoCL. With these limits, either finds 94 bytes that a
  // submission leaves behind.
  const bool is_slow = dut().info().platform_name.find("rusticl") != std::string::npos;
  const int rounds = under_oclgrind() ? 20 : is_slow ? 50 : 250;
  long before = 0;
  for (int i = 0; i < rounds; ++i) {
    std::uint64_t point = 0;
    for (int k = 0; k < 100; ++k) point = on->submit({&add, 1}, {});
    finish(*on, point);
    if (i == rounds / 10) before = resident();
  }
  EXPECT_LT(resident() - before, is_slow ? 410 : 2048) << "KiB";
}

INSTANTIATE_TEST_SUITE_P(devices, opencl_device_under_test,
                         ::testing::Range(std::size_t{0}, all_devices().size()), [](const auto& each) {
                           std::string name = all_devices()[each.param]->info().platform_name;
                           std::erase_if(name,
                                         [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name + std::to_string(each.param);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(opencl_device_under_test);

// Intel's driver for processors divides no device into one part.
TEST(opencl_errors, of_devices_that_cannot_be_divided_are_named) {
  EXPECT_EQ(opencl::error_name(CL_DEVICE_PARTITION_FAILED), "CL_DEVICE_PARTITION_FAILED");
  EXPECT_EQ(opencl::category_of(CL_DEVICE_PARTITION_FAILED), error_category::unsupported);
  EXPECT_EQ(opencl::category_of(CL_INVALID_DEVICE_PARTITION_COUNT), error_category::invalid);
}

TEST(opencl_backend, the_probe_compiles_nothing_and_reports_what_it_skipped) {
  const probe_result result = opencl_backend().probe();
  if (!result.usable) {
    EXPECT_FALSE(result.reason.empty());
    GTEST_SKIP() << result.reason;
  }
  EXPECT_GT(result.device_count, 0u);
}

} // namespace
} // namespace prism::devices
