// Shared by the tests of the OpenCL backend: the devices, hand-made records, and short forms of commands.
// Every test runs on every device of the installed drivers; PRISM_TEST_PLATFORM selects one platform.
#pragma once

#include "devices/opencl/backend.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace prism::devices {

inline std::vector<std::unique_ptr<device>>& all_devices() {
  static auto* opened = [] {
    auto* made = new std::vector<std::unique_ptr<device>>; // drivers do not survive static destruction
    const backend& record = opencl_backend();
    if (!record.probe().usable) return made;
    *made = record.open();
    if (const char* only = std::getenv("PRISM_TEST_PLATFORM"))
      std::erase_if(*made, [&](const auto& each) { return each->info().platform_name != only; });
    return made;
  }();
  return *opened;
}

class opencl_device_under_test : public ::testing::TestWithParam<std::size_t> {
protected:
  device& dut() { return *all_devices()[GetParam()]; }
  const capabilities& info() { return dut().info(); }
  bool under_oclgrind() { return info().platform_name == "Oclgrind"; }

  std::unique_ptr<memory> buffer(std::uint64_t bytes) {
    return dut().create_memory(bytes, memory_kind::buffer, 64);
  }
  std::unique_ptr<program> build(const std::string& text, const image::kernel_record* record = nullptr) {
    return dut().create_program({image::kind::opencl_c, text.data(), text.size(), record, ""});
  }
  static void finish(queue& on, std::uint64_t point) {
    on.points().wait(point);
    if (auto failure = on.points().failure(point)) throw *failure;
  }
  static void run(queue& on, std::initializer_list<command> commands) {
    finish(on, on.submit({commands.begin(), commands.size()}, {}));
  }
  template <typename T>
  static copy_command upload(const std::vector<T>& from, memory& to, std::uint64_t offset = 0) {
    copy_command made;
    made.from.host = const_cast<T*>(from.data());
    made.to.object = &to;
    made.to.offset = offset;
    made.row_bytes = from.size() * sizeof(T);
    return made;
  }
  template <typename T>
  static copy_command download(memory& from, std::vector<T>& to, std::uint64_t offset = 0) {
    copy_command made;
    made.from.object = &from;
    made.from.offset = offset;
    made.to.host = to.data();
    made.row_bytes = to.size() * sizeof(T);
    return made;
  }
  template <typename T>
  static pool::vector<std::byte> bytes_of(const T& value) {
    pool::vector<std::byte> made((sizeof(T) + 15) / 16 * 16);
    std::memcpy(made.data(), &value, sizeof(T));
    return made;
  }
};

/// y[i] = a * x[i] + y[i]; captures {float a; float* x; float* y} with pointers in slots.
inline const char axpy_text[] = R"(
struct block { ulong w[3]; };
__kernel void axpy(struct block b, __global uchar* x, ulong xo, __global uchar* y, ulong yo) {
  size_t i = get_global_id(0);
  __global float* px = (__global float*)(x + xo);
  __global float* py = (__global float*)(y + yo);
  py[i] = as_float((uint)b.w[0]) * px[i] + py[i];
})";
struct axpy_block {
  float a;
  std::uint64_t x = 0, y = 0;
};
inline constexpr image::pointer_slot axpy_slots[] = {{8, 1}, {16, 3}};

/// The record of a hand-written text. `image` has at most one element and may be null.
template <std::size_t N>
constexpr image::kernel_record record_of(const char* name, std::uint32_t argument_bytes, std::uint32_t flags,
                                         std::uint32_t local_element_bytes,
                                         const image::pointer_slot (&slots)[N],
                                         const image::kernel_image* image = nullptr) {
  image::kernel_record record{};
  record.entry = record.display_name = name;
  record.argument_bytes = record.closure_bytes = argument_bytes;
  record.flags = flags;
  record.local_element_bytes = local_element_bytes;
  record.content_hash = 1;
  record.slots = slots;
  record.slot_count = N;
  record.images = image;
  record.image_count = image != nullptr ? 1 : 0;
  return record;
}
inline constexpr image::kernel_record axpy_record =
    record_of("axpy", 24, image::arguments_by_value, 1, axpy_slots);

} // namespace prism::devices
