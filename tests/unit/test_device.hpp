// Devices for the engine's tests: memory that the host cannot access, queues that run on threads of their own
// while their gate is open, kernels that are C++ functions, failures on request. The sources in
// test_device.cpp replace the registry: two far devices "far:0" and "far:1" that cannot wait for each other,
// and one "near:0" that adopts host memory and starts work at its submission.
#pragma once

#include "runtime/root/process_runtime.hpp"

#include <atomic>
#include <functional>

namespace prism::test {

/// A kernel's view of its arguments: the bytes behind each pointer slot.
struct kernel_call {
  const devices::dispatch_command& command;
  std::byte* slot(std::size_t i) const;
  template <typename T>
  T argument(std::size_t offset) const {
    T out;
    __builtin_memcpy(&out, command.arguments.data() + offset, sizeof out);
    return out;
  }
};
using kernel_function = void (*)(const kernel_call&);

struct counters {
  std::atomic<int> copies{0}, dispatches{0}, fills{0}, submissions{0}, live_memories{0}, builds{0};
  std::atomic<int> far_flushes{0}, near_flushes{0};
};
extern counters counted;

/// While one exists, no queue runs commands.
class closed_gate {
public:
  closed_gate();
  ~closed_gate();
  void open();

private:
  bool m_closed = true;
};

/// The device calls this before each copy; it may throw device_error. Null removes it.
void before_each_copy(void (*call)(const devices::copy_command&));

/// The next allocation fails.
void fail_next_allocation();
/// The next request for a command buffer fails with out of memory.
void fail_next_command_buffer();
/// The next wait reports a lost device.
void fail_next_wait();

/// A kernel with its record: `slots` pointer slots at the start of the captured block. Records live until the
/// process ends, like the compiler's, because programs are cached by the record's address.
class test_kernel {
  struct parts;
  parts& m_parts;

public:
  test_kernel(kernel_function f, std::uint32_t slots, std::uint32_t argument_bytes,
              std::uint64_t features = 0,
              std::uint32_t slot_flags = image::slot_is_read | image::slot_is_written |
                                         image::slot_is_address);
  image::kernel_record& record;
  image::kernel_slot slot{&record};
};

inline constexpr std::uint64_t memory_of_test_devices = std::uint64_t{1} << 30; // what they report
device_node& far(std::size_t index);
device_node& near();

/// A captured block of these words.
pool::vector<std::byte> block(std::initializer_list<std::uint64_t> words);

/// A one-dimensional buffer of ints.
buffer_ptr int_buffer(std::size_t count, int* host = nullptr, bool initialised = true);
box first(std::size_t count, std::size_t offset = 0);
std::vector<int> contents(const buffer_ptr& b, std::size_t count);

/// A command group that runs `k` over `items` with accessors to buffers as its slots.
struct use {
  buffer_ptr buffer;
  access_mode mode;
  std::size_t count, offset = 0;
};
command_group kernel_on(test_kernel& k, std::size_t items, std::vector<use> uses,
                        std::vector<std::uint64_t> values = {});

void rethrow(const command_ptr& c);
std::string failure_of(const command_ptr& c);

} // namespace prism::test
