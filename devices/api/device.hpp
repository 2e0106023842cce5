// The device interface: what a backend implements. Its classes: device, memory, program, kernel, queue,
// timeline, command buffer.
//
// Rules. No call but timeline::wait waits for the device. The API above has validated every argument: a
// backend asserts. Errors are device_error. A backend keeps alive what its submitted work uses; the runtime
// destroys memory, program and kernel objects only after the points that use them have completed. Any thread
// may call any object, but only one thread at a time may use a queue (the caller locks). Destroy objects in
// reverse order of creation; the device outlives all others.
#pragma once

#include "devices/api/kernel_constants.hpp"
#include "devices/api/types.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace prism::devices {

/// The largest power of two that divides `number`. 1 for 0, which stands for an unknown address.
constexpr std::uint64_t lowest_bit(std::uint64_t number) { return number == 0 ? 1 : number & -number; }

/// An allocation on one device.
class memory {
public:
  virtual ~memory() = default;
  virtual std::uint64_t size() const noexcept = 0;
  /// Address inside kernels. 0 if the device has no addresses (capabilities::addresses is false) or the
  /// memory was adopted and has none. For USM kinds it equals the pointer that the user gets, and never
  /// collides with a live host pointer of another allocation.
  virtual std::uint64_t address() const noexcept = 0;
  /// Where the host reads and writes the bytes directly (coherent once the commands have completed); null if
  /// it cannot.
  virtual void* host_pointer() const noexcept = 0;
  virtual memory_kind kind() const noexcept = 0;
  /// A power of two that divides the start address inside kernels; 1 if nothing is known about it.
  virtual std::uint64_t alignment() const noexcept { return lowest_bit(address()); }
  /// Native handle by name for interop ("cl_mem"); null for an unknown name.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

/// A power of two that divides the slot's pointer inside the kernel.
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
  /// Compiles now what the driver would compile at the first launch of this shape. Throws
  /// device_error{build}.
  virtual void prepare(const launch_shape& shape) { (void)shape; }
  /// Native handle by name for interop ("cl_kernel"); null for an unknown name.
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
  /// A binary that create_program_from_binary of the same device and driver accepts; empty if there is
  /// nothing worth caching.
  virtual std::vector<std::byte> binary() const = 0;
  /// Native handle by name for interop ("cl_program"); null for an unknown name.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

/// Each queue has one timeline. Points start at 1, and each submission adds 1. If point n is complete, so are
/// all before it.
class timeline {
public:
  virtual ~timeline() = default;
  /// Does not start work: a caller that only polls calls queue::flush first.
  virtual std::uint64_t completed() const = 0;
  /// Blocks without burning a core until `point` is complete or failed; false after `limit` (nullopt: no
  /// limit).
  virtual bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit = std::nullopt) = 0;
  /// The stored failure of exactly this point (or of one that it depended on); empty if it succeeded or is
  /// not complete.
  virtual std::optional<device_error> failure(std::uint64_t point) const = 0;
  /// Execution times of a completed point; only on queues made with profiling. Available until the queue is
  /// destroyed.
  virtual profile times(std::uint64_t point) const = 0;
  /// Calls `then` once, when `point` completes: from a thread of the backend, or immediately. `then` must not
  /// block nor throw.
  virtual void on_completion(std::uint64_t point, void (*then)(void*), void* context) = 0;
  /// The same, but also passes to `then` the time at which the backend noticed the completion (steady_clock,
  /// in nanoseconds), which may be a while before the call.
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
    made.release(); // `call` belongs to the function now
  }
};

/// One command of a command buffer. `after_all`: it starts when all steps before it are complete. Other steps
/// may run concurrently with the steps since the last one with `after_all`.
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
  /// Whether an execution may cost more than submitting the commands; if so, the caller measures both.
  virtual bool may_cost_more() const noexcept { return false; }
};

/// An in-order queue.
class queue {
public:
  virtual ~queue() = default; // waits for its work
  /// Runs `commands` in order after every point of `waits` (all from queues of the same backend and device,
  /// or of a device for which device::can_wait_for is true). Copies what it needs of the spans. Returns the
  /// point of this submission. Throws only if nothing was submitted; later failures are stored at the point.
  virtual std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) = 0;
  /// Like submit, for commands that the caller no longer needs: the queue may move from them instead of
  /// copying them. They must wait only for the queue's own points up to `after`; if the device gains by it,
  /// they run concurrently with the work of later points. Points still complete in order.
  virtual std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                                     [[maybe_unused]] std::uint64_t after) {
    return submit(commands, waits);
  }
  /// Like submit, for the commands of a command buffer of this queue's device.
  virtual std::uint64_t execute(command_buffer& what, std::span<const timeline_point> waits) {
    (void)what;
    (void)waits;
    throw device_error(error_category::unsupported, "",
                       "execute a command buffer: this device has no command buffers");
  }
  /// Starts submitted work, which a driver may hold back otherwise. timeline::wait implies it.
  virtual void flush() = 0;
  virtual timeline& points() noexcept = 0;
  /// Native handle by name for interop ("cl_command_queue", "VkQueue"); null for an unknown name.
  virtual void* native(std::string_view what) const noexcept {
    (void)what;
    return nullptr;
  }
};

struct queue_options {
  bool profiling = false;
  bool for_copies =
      false; // for copies and fills only; they overlap kernels of other queues if the device can
  // Set together with `profiling` if only a trace shows the times. If measuring is expensive, submissions
  // that reach the device together may share a timestamp: the later one starts where the one before ended
  // (profile::starts_at_end_before). submitted_ns may be 0.
  bool for_trace = false;
};

/// A captured integer that has the same value in every launch of the program; see kernel_constants.hpp.
struct known_integer {
  image::kernel_constant which;
  std::uint64_t value = 0;
  friend bool operator==(const known_integer&, const known_integer&) = default;
};

/// A power of two, `bytes`, that divides the pointer of a slot in every launch of the program.
struct known_alignment {
  std::uint32_t slot_offset = 0; // as in the record
  std::uint64_t bytes = 1;
  friend bool operator==(const known_alignment&, const known_alignment&) = default;
};

struct program_source {
  image::kind kind;
  const void* data; // image bytes; for host_group the function pointer itself
  std::uint64_t size;
  const image::kernel_record* record; // may be null for handwritten source (tests, interop)
  std::string options;                // extra build options (OpenCL)
  // Values that every launch of the program has. A backend may ignore them.
  std::vector<known_integer> known{};
  extent3 known_local{0, 0, 0}; // opencl_c_group: the size of every work-group; zeros: any
  std::vector<known_alignment> known_alignments{};
  bool moves_groups = false; // OpenCL C: launches may be parts (group_part)
};

class interop;
class external_memory;

class device {
public:
  virtual ~device() = default;
  virtual const capabilities& info() const noexcept = 0;
  /// Throws device_error{out_of_memory}. `alignment` is a power of two; up to 4096 always works.
  virtual std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                                std::uint64_t alignment) = 0;
  /// Uses `bytes` of host memory in place; null if this device cannot, or not with this range.
  virtual std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) = 0;
  virtual std::unique_ptr<program> create_program(const program_source& source) = 0;
  /// Null if the driver does not accept the binary (made by another driver, or damaged): build from source
  /// then.
  virtual std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                              const program_source& source) = 0;
  virtual std::unique_ptr<queue> create_queue(const queue_options& options) = 0;
  /// Null if the device gains nothing, or if a step is of a kind that it cannot record: the caller then
  /// submits the commands each time. No step copies from or to host memory. Throws device_error if memory is
  /// short.
  virtual std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step> steps) {
    (void)steps;
    return nullptr;
  }
  /// Why create_command_buffer returns null for every list of steps; empty if it does not.
  virtual std::string no_command_buffer_reason() const { return info().name + " has no command buffers"; }
  /// Whether a queue of this device accepts waits on that timeline in submit; if not, the runtime defers the
  /// command.
  virtual bool can_wait_for(const timeline& other) const noexcept = 0;
  /// Identifies device and driver in cache keys; changes whenever a cached binary would become invalid.
  virtual std::string fingerprint() const = 0;
  /// Native handle by name ("cl_device_id", "cl_context", "VkDevice", ...) for interop; null for an unknown
  /// name.
  virtual void* native(std::string_view what) const noexcept = 0;
  /// Sub-devices with fewer compute units and the same memory, in the order of the partition.
  /// info().partitions lists the supported partitions. Sub-devices are destroyed before this device. Throws
  /// device_error{unsupported} if the driver cannot make them.
  virtual std::vector<std::unique_ptr<device>> create_sub_devices(const partition& how) {
    (void)how;
    throw device_error(error_category::unsupported, "",
                       "partition " + info().name + ": it has no sub-devices");
  }
  /// Takes over handles of programs that call the driver themselves (interop.hpp); null if the backend has no
  /// interop.
  virtual class interop* interop() noexcept { return nullptr; }
  /// Memory that other programs use too (external.hpp); null if the device shares none.
  virtual external_memory* external() noexcept { return nullptr; }
  /// Why external() is null, with the names of the driver and of what it lacks; empty if it is not.
  virtual std::string no_external_memory_reason() const {
    return info().name + " shares no memory by file descriptors";
  }
};

} // namespace prism::devices
