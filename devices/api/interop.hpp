// What a backend takes over from programs that call its driver themselves, for SYCL's interoperability.
// Handles go by the names that native() gives them ("cl_context", "cl_command_queue", ...). A backend without
// such programs has none of this (device::interop() is null). Errors are device_error; the rules of
// device.hpp hold.
#pragma once

#include "devices/api/device.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace prism::devices {

class device;
class queue;

/// One argument of a kernel that PRISM did not compile, in the order of its parameters.
struct native_argument {
  enum class kind { value, memory, local };
  kind what = kind::value;
  std::uint32_t index = 0;      // of the parameter; what is not given keeps what the program set
  std::vector<std::byte> value; // kind::value
  memory* object = nullptr;     // kind::memory; null: `offset` is an address, 0 the null pointer
  std::uint64_t offset =
      0; // kind::memory: bytes from the object's start; kind::local: bytes of the group's memory
};

/// What a function of the program's own is given when its turn on a queue comes: by the host device when
/// everything before it is complete, by OpenCL when it is submitted, with the events that its work has to
/// wait for. `queue`: as queue::native names it.
struct native_call {
  void* queue = nullptr;
  bool in_order = true;
  std::span<const native_argument> arguments;
  void* const* waits = nullptr;
  std::size_t wait_count = 0;
};
/// Enqueues on the driver's queue and returns a native event of it with one reference, or null when it
/// enqueued nothing; on the host it does its work and returns null. Must not wait for the queue nor submit to
/// it by other ways.
using native_function = std::function<void*(const native_call&)>;
/// Keeps such a function; dispatch_command::object of its dispatch.
class function_kernel final : public kernel {
public:
  explicit function_kernel(native_function call) : m_call(std::move(call)) {}
  kernel_limits limits() const override { return {}; }
  const native_function& call() const noexcept { return m_call; }

private:
  native_function m_call;
};

/// How a kernel of adopt_kernel or a function_kernel is launched (native_kernel::launch).
struct native_launch {
  const native_function* function = nullptr; // not null: of a function_kernel; only `arguments` count then
  extent3 global{1, 1, 1}, offset{0, 0, 0};
  extent3 local{0, 0, 0}; // zero: the driver chooses
  std::vector<native_argument> arguments;
};

class interop {
public:
  virtual ~interop() = default;

  /// One reference more or less, for handles that are counted.
  virtual void retain(std::string_view what, void* handle) = 0;
  virtual void release(std::string_view what, void* handle) noexcept = 0;

  struct adopted_device {
    void* handle; // as native() of the device that PRISM lists
    std::unique_ptr<device> made;
  };
  /// The devices of a foreign context, as devices that work in it.
  virtual std::vector<adopted_device> adopt_context(void* context) = 0;

  struct queue_facts {
    void* device;
    void* context;
    bool in_order, profiling;
  };
  virtual queue_facts facts_of_queue(void* queue) = 0;
  /// Submits to the foreign queue, which must be of this device and its context.
  virtual std::unique_ptr<queue> adopt_queue(void* queue) = 0;

  /// Throws device_error{invalid} for memory of another context.
  virtual std::unique_ptr<memory> adopt_memory(void* memory) = 0;

  struct kernel_facts {
    std::string name;
    std::uint32_t arguments;
    void* program;
  };
  virtual kernel_facts facts_of_kernel(void* kernel) = 0;
  /// For dispatch_command::object of a native_kernel. Throws device_error{invalid} for a kernel of another
  /// context.
  virtual std::shared_ptr<kernel> adopt_kernel(void* kernel) = 0;

  enum class program_state { source, object, executable };
  virtual program_state state_of_program(void* program) = 0;
  /// The program, or one made of it, in a later state for this device, with one reference for the caller.
  /// Throws device_error{build} with the driver's log.
  virtual void* advance_program(void* program, program_state to) = 0;

  /// Waits for a native event. Throws device_error when what it stands for failed.
  virtual void wait_for_event(void* event) = 0;
  /// A native event that completes with the point, with one reference for the caller.
  virtual void* event_of(const timeline_point& point) = 0;
};

} // namespace prism::devices
