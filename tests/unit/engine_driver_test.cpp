// The engine on the OpenCL drivers of this machine, with a handwritten image in the compiler's calling
// convention. Skipped by name if no such driver is installed.
#include "runtime/root/process_runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace prism;

namespace {

const bool environment = [] {
  ::setenv("RUSTICL_ENABLE", "llvmpipe", 0);
  ::setenv("PRISM_DEVICE_SELECTOR", "opencl;host", 1);
  return true;
}();

const char source[] = R"(
struct block { ulong w[3]; };
__kernel void scale_add(struct block arguments, __global uchar* p0, ulong o0, __global uchar* p1, ulong o1) {
  const ulong i = get_global_id(0), n = arguments.w[2];
  if (i >= n) return;
  __global const int* from = (__global const int*)(p0 + o0);
  __global int* to = (__global int*)(p1 + o1);
  to[i] += 3 * from[i];
})";

struct hand_made_kernel {
  image::pointer_slot slots[2] = {{0, 1}, {8, 3}};
  image::kernel_image image{
      image::kind::opencl_c, 0, image::int64 | image::int8, source, sizeof source - 1, nullptr, 0, 0};
  image::kernel_record record{};
  image::kernel_slot slot{&record};
  hand_made_kernel() {
    record.entry = "scale_add";
    record.display_name = "scale_add";
    record.argument_bytes = 24;
    record.flags = image::arguments_by_value;
    record.local_element_bytes = 1;
    record.content_hash = 0x5ca1eadd;
    record.slots = slots;
    record.slot_count = 2;
    record.images = &image;
    record.image_count = 1;
  }
} scale_add;

kernel_command launch(std::uint64_t from, std::uint64_t to, std::uint64_t n) {
  kernel_command k;
  k.slot = &scale_add.slot;
  const std::uint64_t words[] = {from, to, n};
  k.captured.resize(sizeof words);
  std::memcpy(k.captured.data(), words, sizeof words);
  k.global = {n, 1, 1};
  return k;
}

std::vector<device_node*> opencl_devices() {
  std::vector<device_node*> out;
  for (const platform_node& p : platforms())
    if (p.backend_name == "opencl") out.insert(out.end(), p.devices.begin(), p.devices.end());
  return out;
}

buffer_ptr int_buffer(std::vector<int>& data) {
  buffer_options o;
  o.extent[2] = data.size();
  o.element_bytes = 4;
  o.host = data.data();
  o.host_is_initial_data = true;
  return create_buffer(o);
}

command_group on_buffers(const buffer_ptr& from, const buffer_ptr& to, std::uint64_t n) {
  command_group g;
  const auto add = [&](const buffer_ptr& b, access_mode mode) {
    requirement r;
    r.buffer = b;
    r.mode = mode;
    r.region = {{0, 0, 0}, {1, 1, n}};
    r.token = new_token();
    g.requirements.push_back(r);
    return r.token;
  };
  const auto a = add(from, access_mode::read), b = add(to, access_mode::read_write);
  g.what = launch(a, b, n);
  return g;
}

#define NEED_OPENCL()                                                                                        \
  if (opencl_devices().empty())                                                                              \
  GTEST_SKIP() << "no OpenCL driver is installed (pocl-opencl-icd, mesa-opencl-icd)"

TEST(opencl, kernels_on_buffers_give_right_results_on_every_driver) {
  NEED_OPENCL();
  constexpr std::size_t n = 10'007;
  for (device_node* d : opencl_devices()) {
    SCOPED_TRACE(d->info().name);
    std::vector<int> from(n), to(n, 1);
    std::iota(from.begin(), from.end(), 0);
    {
      const auto a = int_buffer(from), b = int_buffer(to);
      const auto q = create_queue(*d, {});
      for (int i = 0; i < 4; ++i) submit(*q, on_buffers(a, b, n));
      read_back(*b, nullptr);
      EXPECT_TRUE(q->take_failures().empty());
      EXPECT_LE(copy_history(*a).size(), 1u);
    }
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(to[i], 1 + 12 * int(i));
  }
}

TEST(opencl, usm_kernels_follow_each_other_in_order) {
  NEED_OPENCL();
  constexpr std::uint64_t n = 1000;
  for (device_node* d : opencl_devices()) {
    if (!d->info().usm_device) continue;
    SCOPED_TRACE(d->info().name);
    const auto q = create_queue(*d, {true, false});
    auto* p = static_cast<int*>(usm_allocate(*d, 8 * n, 0, devices::memory_kind::device, nullptr));
    std::vector<int> data(2 * n, 1), out(2 * n);
    const auto copy = [&](void* from, void* to) {
      command_group g;
      g.what = copy_request{{nullptr, {}, from, nullptr}, {nullptr, {}, to, nullptr}, 8 * n};
      return submit(*q, std::move(g));
    };
    copy(data.data(), p);
    for (int i = 0; i < 10; ++i) {
      command_group g;
      g.what = launch(reinterpret_cast<std::uint64_t>(p), reinterpret_cast<std::uint64_t>(p + n), n);
      submit(*q, std::move(g));
    }
    copy(p, out.data())->wait();
    EXPECT_EQ(out[n - 1], 1);
    EXPECT_EQ(out[n], 31);
    EXPECT_EQ(out[2 * n - 1], 31);
    usm_free(p, nullptr);
  }
}

TEST(opencl, one_buffer_travels_through_all_drivers) {
  NEED_OPENCL();
  constexpr std::size_t n = 5000;
  std::vector<int> from(n, 2), to(n, 0);
  int launches = 0;
  {
    const auto a = int_buffer(from), b = int_buffer(to);
    std::vector<queue_ptr> queues;
    for (device_node* d : opencl_devices()) queues.push_back(create_queue(*d, {}));
    for (int round = 0; round < 3; ++round)
      for (const queue_ptr& q : queues) submit(*q, on_buffers(a, b, n)), ++launches;
    read_back(*b, nullptr);
  }
  EXPECT_EQ(to, std::vector<int>(n, 6 * launches));
}

TEST(opencl, a_build_error_contains_the_drivers_log) {
  NEED_OPENCL();
  hand_made_kernel wrong;
  const char text[] = "__kernel void scale_add(struct nothing x) {}";
  wrong.image.data = text;
  wrong.image.size = sizeof text - 1;
  wrong.record.content_hash = 0;
  const auto q = create_queue(*opencl_devices().front(), {});
  command_group g;
  auto k = launch(0, 0, 1);
  k.slot = &wrong.slot;
  g.what = std::move(k);
  try {
    submit(*q, std::move(g));
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), error_code::build) << e.what();
  }
}

} // namespace
