// What a backend takes over from programs that call its driver themselves, for SYCL's interoperability.
// Handles have the names that native() uses ("cl_context", "cl_command_queue", ...). A backend without
// interoperability has none of this (device::interop() is null). Errors are device_error; the rules of
// device.hpp hold.
#pragma once

#include "devices/api/device.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace prism::devices {

class device;
class queue;

/// One argument of a kernel that PRISM did not compile.
struct native_argument {
  enum class kind { value, memory, local };
  kind what = kind::value;
  std::uint32_t index =
      0; // index of the parameter; a parameter without argument keeps the value that the program set
  std::vector<std::byte> value; // kind::value
  memory* object = nullptr;     // kind::memory; null: `offset` is an address, 0 the null pointer
  std::uint64_t offset = 0; // kind::memory: bytes from the object's start; kind::local: bytes of local memory
};

/// What a function of the program receives when its queue reaches it. The
/// host device calls it when everything before it is complete. OpenCL calls it at submission, with the events
/// that its work has to wait for. `queue`: the handle that queue::native returns.
struct native_call {
  void* queue = nullptr;
  bool in_order = true;
  std::span<const native_argument> arguments;
  void* const* waits = nullptr;
  std::size_t wait_count = 0;
};
/// Enqueues work on the driver's queue and returns a native event for it with one reference, or null if it
/// enqueued nothing; on the host it does its work and returns null. Must not wait for the queue, nor submit
/// to it in other ways.
using native_function = std::function<void*(const native_call&)>;
/// Holds such a function; it is the dispatch_command::object of its dispatch.
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
  const native_function* function = nullptr; // set for a function_kernel; only `arguments` is used then
  extent3 global{1, 1, 1}, offset{0, 0, 0};
  extent3 local{0, 0, 0}; // zero: the driver chooses
  std::vector<native_argument> arguments;
};

class interop {
public:
  virtual ~interop() = default;

  /// Adds or releases a reference, for handles with a reference count.
  virtual void retain(std::string_view what, void* handle) = 0;
  virtual void release(std::string_view what, void* handle) noexcept = 0;

  struct adopted_device {
    void* handle; // native() of the device that PRISM lists
    std::unique_ptr<device> made;
  };
  /// The devices of the program's own context, as devices that work in that context.
  virtual std::vector<adopted_device> adopt_context(void* context) = 0;

  struct queue_facts {
    void* device;
    void* context;
    bool in_order, profiling;
  };
  virtual queue_facts facts_of_queue(void* queue) = 0;
  /// Submits to the program's own queue, which must be of this device and its context.
  virtual std::unique_ptr<queue> adopt_queue(void* queue) = 0;

  /// Throws device_error{invalid} for memory of another context.
  virtual std::unique_ptr<memory> adopt_memory(void* memory) = 0;
  /// The address of the object's first byte, if the object was made over an address; else null. The object
  /// shares the bytes if they are USM. Throws device_error{invalid} for memory of another context.
  virtual void* made_over(void* memory) {
    (void)memory;
    return nullptr;
  }

  struct kernel_facts {
    std::string name;
    std::uint32_t arguments;
    void* program;
  };
  virtual kernel_facts facts_of_kernel(void* kernel) = 0;
  /// For dispatch_command::object of a native_kernel. Throws device_error{invalid} for a kernel of another
  /// context.
  virtual std::shared_ptr<kernel> adopt_kernel(void* kernel) = 0;

  /// A parameter in the driver's words.
  struct parameter_facts {
    enum class kind { value, pointer, local };
    kind what = kind::value;
    std::string type; // "float*", "uint"
    bool is_const = false;
  };
  struct built_kernel {
    // Both with one reference for the caller. Drivers may refuse a program whose last reference was released,
    // even while its kernels live.
    void* kernel = nullptr;
    void* program = nullptr;
    std::vector<parameter_facts> parameters;
    bool parameters_known = false; // drivers need not know those of a module
  };
  /// The kernel `name` of a text in the driver's language, or of a SPIR-V module of it. Throws
  /// device_error{build} with the driver's log, {unsupported} if the driver takes no modules, and {invalid},
  /// with the names that there are, for another name.
  virtual built_kernel build_kernel(std::string_view text, const std::string& name) = 0;

  enum class program_state { source, object, executable };
  virtual program_state state_of_program(void* program) = 0;
  /// Brings the program, or a copy of it, to a later state for this device; with one reference for the
  /// caller. Throws device_error{build} with the driver's log.
  virtual void* advance_program(void* program, program_state to) = 0;

  /// Waits for a native event. Throws device_error if the event's work failed.
  virtual void wait_for_event(void* event) = 0;
  /// A native event that completes with the point; with one reference for the caller.
  virtual void* event_of(const timeline_point& point) = 0;
};

} // namespace prism::devices
