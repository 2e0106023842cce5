// The device interface: what a backend implements. Its classes: device, memory, program, kernel, queue,
// timeline, command buffer.
//
// Rules. All calls but timeline::wait return without waiting for the device. The API above has validated
// every argument: a backend asserts. Errors are device_error. A backend keeps what its work in flight uses
// alive; the runtime destroys memory, program and kernel objects only after the points that use them
// completed. Any thread may call any object, except that one queue is used by one thread at a time (the
// caller locks). Destroy in reverse order of creation; device outlives all.
#pragma once

#include "devices/api/kernel_constants.hpp"
#include "devices/api/types.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace prism::devices {

/// The largest power of two that the number is a multiple of; 1 of 0, which stands for an address that is not
/// known.
constexpr std::uint64_t lowest_bit(std::uint64_t number) { return number == 0 ? 1 : number & -number; }

/// An allocation on one device.
class memory {
public:
  virtual ~memory() = default;
  virtual std::uint64_t size() const noexcept = 0;
  /// Address inside kernels; 0 when the device has none (capabilities::addresses false) or this is adopted
  /// memory that has none. For USM kinds it equals the pointer the user gets and never collides with a live
  /// host pointer of another allocation.
  virtual std::uint64_t address() const noexcept = 0;
  /// Where the host reads and writes the bytes directly (coherent once commands completed); null when it
  /// cannot.
  virtual void* host_pointer() const noexcept = 0;
  virtual memory_kind kind() const noexcept = 0;
  /// A power of two that its start is a multiple of inside kernels; 1 where nothing is known of it.
  virtual std::uint64_t alignment() const noexcept { return lowest_bit(address()); }
  /// Native handle by name for interop ("cl_mem"); null when unknown.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

/// What the slot's pointer is a multiple of inside the kernel: a power of two.
inline std::uint64_t alignment_of(const slot_binding& slot) noexcept {
  return lowest_bit(slot.object != nullptr ? slot.object->alignment() | slot.offset : slot.address);
}

/// Limits of a kernel on its device.
struct kernel_limits {
  std::uint64_t max_group_size = 1, preferred_multiple = 1, private_bytes = 0, local_bytes = 0;
};

class kernel {
public:
  virtual ~kernel() = default;
  virtual kernel_limits limits() const = 0;
  /// Does now what the driver would put off until the first launch of this shape. Throws device_error{build}.
  virtual void prepare(const launch_shape& shape) { (void)shape; }
  /// Native handle by name for interop ("cl_kernel"); null when unknown.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

/// An image built for one device.
class program {
public:
  virtual ~program() = default;
  /// The kernel of image::kernel_record::entry; owned by the program. Throws device_error{invalid} for
  /// another name.
  virtual kernel& get_kernel(std::string_view entry) = 0;
  virtual const std::string& build_log() const noexcept = 0;
  /// What create_program_from_binary of the same device and driver accepts; empty when there is nothing to
  /// keep.
  virtual std::vector<std::byte> binary() const = 0;
  /// Native handle by name for interop ("cl_program"); null when unknown.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

/// One timeline a queue. Points start at 1 and rise by one a submission; point n complete implies all before.
class timeline {
public:
  virtual ~timeline() = default;
  /// Asking starts nothing: who only polls calls queue::flush first.
  virtual std::uint64_t completed() const = 0;
  /// Blocks without burning a core until `point` is complete or failed; false after `limit` (nullopt: no
  /// limit).
  virtual bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit = std::nullopt) = 0;
  /// The stored failure of exactly this point (or one it depended on); empty when it succeeded or is not
  /// complete.
  virtual std::optional<device_error> failure(std::uint64_t point) const = 0;
  /// Execution times of a completed point; only on queues made with profiling. Kept until the queue dies.
  virtual profile times(std::uint64_t point) const = 0;
  /// Calls `then` once when `point` completes, from a thread of the backend or at once; must not block nor
  /// throw.
  virtual void on_completion(std::uint64_t point, void (*then)(void*), void* context) = 0;
  /// The same; `then` is told when the backend knew of it, in steady_clock's nanoseconds, which may be a
  /// while before the call.
  virtual void on_completion_at(std::uint64_t point, void (*then)(void*, std::uint64_t ns), void* context) {
    struct call {
      void (*then)(void*, std::uint64_t);
      void* context;
    };
    auto made = std::make_unique<call>(call{then, context});
    on_completion(point, [](void* c) {
      const std::unique_ptr<call> self(static_cast<call*>(c));
      self->then(self->context, std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                  std::chrono::steady_clock::now().time_since_epoch())
                                                  .count()));
    }, made.get());
    made.release(); // the function's
  }
};

/// A command of a command buffer. `after_all`: starts when all steps before it are complete. The others may
/// run at the same time as the steps since the last one with `after_all`.
struct command_buffer_step {
  command what;
  bool after_all = true;
};

/// Commands that a device records once and executes any number of times (device::create_command_buffer,
/// queue::execute), as cl_khr_command_buffer and VkCommandBuffer have it. Executions of one command buffer
/// must not overlap on the device: the caller orders them, or uses one queue. The command buffer copies
/// arguments; the caller keeps memory and kernels alive, and destroys the command buffer when no execution is
/// in flight.
class command_buffer {
public:
  virtual ~command_buffer() = default;
  /// Whether an execution may cost more than submitting its commands: the caller measures both.
  virtual bool may_cost_more() const noexcept { return false; }
};

/// An in-order queue.
class queue {
public:
  virtual ~queue() = default; // waits for its work
  /// Runs `commands` in order after every point of `waits` (all of queues of the same backend and device, or
  /// of a device for which device::can_wait_for is true). Copies what it needs of the spans. Returns this
  /// submission's point. Throws only when nothing was submitted; later failures are stored at the point.
  virtual std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) = 0;
  /// Like submit, of commands that the caller needs no more: the queue may take them apart instead of copying
  /// them. Of the queue's own points they need to come after those up to `after` only; where the device gains
  /// by it they run beside the work of later ones. Points are still complete in order.
  virtual std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                                     [[maybe_unused]] std::uint64_t after) {
    return submit(commands, waits);
  }
  /// Like submit, for the commands of a command buffer of this queue's device.
  virtual std::uint64_t execute(command_buffer& what, std::span<const timeline_point> waits) {
    (void)what;
    (void)waits;
    throw device_error(error_category::unsupported, "",
                       "execute a command buffer: this device keeps no command buffers");
  }
  /// Starts what was submitted (a driver may hold work back otherwise). timeline::wait implies it.
  virtual void flush() = 0;
  virtual timeline& points() noexcept = 0;
  /// Native handle by name for interop ("cl_command_queue", "VkQueue"); null when unknown.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

struct queue_options {
  bool profiling = false;
  bool for_copies = false; // runs copies and fills only, beside other queues' kernels where the device can
  // With profiling, whose times only a trace shows. Where measuring costs, submissions that the device gets
  // together may share a time: the later one starts where the one before ended
  // (profile::starts_at_end_before). submitted_ns may be 0.
  bool for_trace = false;
};

/// A captured integer that every launch of the program has; see kernel_constants.hpp.
struct known_integer {
  image::kernel_constant which;
  std::uint64_t value = 0;
  friend bool operator==(const known_integer&, const known_integer&) = default;
};

/// What the pointer of a slot is a multiple of at every launch of the program: `bytes`, a power of two.
struct known_alignment {
  std::uint32_t slot_offset = 0; // as in the record
  std::uint64_t bytes = 1;
  friend bool operator==(const known_alignment&, const known_alignment&) = default;
};

struct program_source {
  image::kind kind;
  const void* data; // image bytes; host_group: the function pointer itself
  std::uint64_t size;
  const image::kernel_record* record; // may be null for source made by hand (tests, interop)
  std::string options;                // extra build options (OpenCL)
  // A program for launches with these values only. A backend may leave them out.
  std::vector<known_integer> known{};
  extent3 known_local{0, 0, 0}; // of opencl_c_group: the size of every work-group; zeros: any
  std::vector<known_alignment> known_alignments{};
};

class interop;

class device {
public:
  virtual ~device() = default;
  virtual const capabilities& info() const noexcept = 0;
  /// Throws device_error{out_of_memory}. alignment: a power of two, at most 4096 is always served.
  virtual std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                                std::uint64_t alignment) = 0;
  /// Uses `bytes` of host memory in place; null when this device or this range cannot.
  virtual std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) = 0;
  virtual std::unique_ptr<program> create_program(const program_source& source) = 0;
  /// Null when the binary is not accepted (other driver, damaged): build from source then.
  virtual std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                              const program_source& source) = 0;
  virtual std::unique_ptr<queue> create_queue(const queue_options& options) = 0;
  /// Null where nothing is gained, or where a step is of a kind that cannot be kept: the caller submits the
  /// commands each time then. No step copies from or to host memory. Throws device_error when memory is
  /// short.
  virtual std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step> steps) {
    (void)steps;
    return nullptr;
  }
  /// Why create_command_buffer gives null whatever the steps are; empty where it does not.
  virtual std::string no_command_buffer_reason() const {
    return info().name + " keeps no commands by means of its own";
  }
  /// Whether submit of a queue of this device accepts waits on that timeline (else the runtime holds the
  /// command).
  virtual bool can_wait_for(const timeline& other) const noexcept = 0;
  /// What identifies device and driver in cache keys: changes whenever a binary would become invalid.
  virtual std::string fingerprint() const = 0;
  /// Native handle by name ("cl_device_id", "cl_context", "VkDevice", ...) for interop; null when unknown.
  virtual void* native(std::string_view what) const noexcept = 0;
  /// Sub-devices with fewer compute units and the same memory, in the order of the partition;
  /// info().partitions says which partitions there are. They are destroyed before this device. Throws
  /// device_error{unsupported} when the driver cannot.
  virtual std::vector<std::unique_ptr<device>> create_sub_devices(const partition& how) {
    (void)how;
    throw device_error(error_category::unsupported, "",
                       "partition " + info().name + ": it has no sub-devices");
  }
  /// What it takes over from programs that use its driver (interop.hpp); null: nothing.
  virtual class interop* interop() noexcept { return nullptr; }
};

} // namespace prism::devices
