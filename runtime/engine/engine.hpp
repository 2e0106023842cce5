// The engine: what the SYCL classes (runtime/api) ask of the runtime, and nothing else. Everything below this header
// knows no SYCL type; everything above it knows no driver.
//
// Guarantees: every call is thread-safe; no user code runs under a lock; errors before submission are thrown as
// prism::error, later ones are stored in the command and thrown by wait() or collected by take_failures(). Costs: a submit
// whose waits belong to the same driver makes no thread switch.
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/kernel_counts.hpp"
#include "runtime/support/small_vector.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace prism {

/// Mirrors sycl::errc in order; runtime/api turns it into sycl::exception.
enum class error_code { success, runtime, kernel, accessor, nd_range, event, kernel_argument, build, invalid,
                        memory_allocation, platform, profiling, feature_not_supported, kernel_not_supported,
                        backend_mismatch };
class error : public std::runtime_error {
public:
  error(error_code code, const std::string& what) : std::runtime_error(what), m_code(code) {}
  error_code code() const noexcept { return m_code; }
private:
  error_code m_code;
};

/// Where the program asked for something; the text outlives the process's work. Null: not known.
struct source_line {
  const char* file = nullptr;
  unsigned line = 0;
};
/// "app.cpp:12"; empty when it is not known.
std::string text_of(const source_line& at);

// ---- devices ---------------------------------------------------------------------------------------------------

/// A device the process may use, opened at first need, alive until the process ends. Compared by address.
class device_node {
public:
  virtual ~device_node() = default;
  virtual const devices::capabilities& info() const = 0;
  virtual const std::string& backend_name() const = 0;   // "host", "opencl", "vulkan"
  virtual std::size_t platform_index() const = 0;
  virtual devices::device& raw() const = 0;              // for interop and tests
  virtual std::size_t index_in_backend() const = 0;      // as in PRISM_DEVICE_SELECTOR
  virtual double default_score() const = 0;              // of select::default_score: the highest is the default; < 0: never
};

struct platform_node {
  std::string name, vendor, version, backend_name;
  std::vector<device_node*> devices;
};

/// All platforms and devices that PRISM_DEVICE_SELECTOR lets through, in a fixed order. Never empty unless the
/// selector matches nothing: then throws error{runtime} that lists what was there.
const std::vector<platform_node>& platforms();
/// A host device beside those of platforms(): there whatever the selector lets through, and never wrapped. Opened at the
/// first call. Throws devices::device_error when PRISM was built without the host backend.
device_node& reference_device();
/// Parts of a device, beside those of platforms(); they live until the process ends. Throws error{feature_not_supported}
/// when the driver cannot. The division is one of info().divisible.
std::vector<device_node*> divide_device(device_node& whole, const devices::division& how);
/// Whether devices were opened and drivers may still be called: not before the first use, at the end of the process, in a forked child.
bool is_in_use() noexcept;
/// Waits for all work in flight, at most for PRISM_EXIT_LIMIT: for exit handlers. Nothing in a forked child.
void finish_work();

// ---- memory ----------------------------------------------------------------------------------------------------

enum class access_mode : std::uint8_t { read, write, read_write, no_init_write, no_init_read_write };

/// A box of elements; dimension 0 is SLOWEST here (SYCL order), unused leading dimensions have extent 1.
struct box {
  std::uint64_t offset[3] = {0, 0, 0};
  std::uint64_t extent[3] = {1, 1, 1};
};

/// A buffer's bytes wherever they are. Made by create_buffer; the last owner's destruction frees all copies (after the
/// commands that use them) and never blocks: the SYCL layer calls release_to_host first where the standard says so.
class buffer_node {
public:
  virtual ~buffer_node() = default;
  virtual std::uint64_t bytes() const = 0;
};
using buffer_ptr = std::shared_ptr<buffer_node>;

struct buffer_options {
  std::uint64_t extent[3] = {1, 1, 1}; // elements, SYCL order
  std::uint64_t element_bytes = 1;
  void* host = nullptr;                // user's memory to adopt (use_host_ptr or pointer constructor); may be null
  bool host_is_initial_data = false;   // the bytes at `host` are the contents now
  bool host_read_only = false;         // constructed from const T*: copied in, never written
  bool promoted = false;               // joined kernels of a graph need not leave their results in it
};
buffer_ptr create_buffer(const buffer_options& options);
/// A view of a contiguous part (sub-buffer); hazards are tracked against the parent, disjoint siblings run concurrently.
buffer_ptr create_sub_buffer(const buffer_ptr& parent, std::uint64_t byte_offset, const buffer_options& options);
/// Which bytes a buffer or sub-buffer is: those of one root may overlap.
struct buffer_span { const void* root; std::uint64_t begin, end; };
buffer_span span_of(const buffer_node& buffer);
/// Waits for all users and makes `to` (or the adopted pointer) hold the current bytes. `line`: for the ledger.
void read_back(buffer_node& buffer, void* to, const source_line& line = {});
/// The program does not want the buffer's bytes in the memory it was made from: the host's copy moves to memory of the
/// buffer's own. Does nothing where that memory has been used in place already (what was written there stays), or while a
/// command or a host access uses the buffer; `before_use`: also where a device has a copy of it.
void leave_host_memory(buffer_node& buffer, bool before_use);
/// Waits for every command that uses the buffer.
void wait_for_users(buffer_node& buffer);
/// The program has its own memory back: the buffer was finished, and nothing that uses it still runs.
void end_of_buffer(buffer_node& buffer);
/// Whether any command or host access has written it since creation.
bool was_written(const buffer_node& buffer);
/// Whether all of the buffer has been given values, by its initial data or by commands submitted so far.
bool is_defined(const buffer_node& buffer);
/// True when the buffer's user host pointer is the storage that the host reads (adopted).
bool uses_host_pointer(const buffer_node& buffer);
/// One line per copy made for this buffer, the first 1,024: "1048576 B host -> opencl:0: first use on device" (tests, ledger).
std::vector<std::string> copy_history(const buffer_node& buffer);

/// The bytes of a device_global on a device: what is at `object` at first, then what commands write. Lives with the program.
buffer_ptr device_global_on(device_node& device, const void* object, std::uint64_t bytes);

/// Host access: blocks until the bytes are on the host, keeps conflicting commands back until destroyed.
class host_access {
public:
  virtual ~host_access() = default;
  virtual void* data() const = 0; // first byte of the whole buffer
};
std::shared_ptr<host_access> acquire_host_access(const buffer_ptr& buffer, access_mode mode, const box& region,
                                                 const source_line& line = {});

/// USM. Null when out of memory; throws error{feature_not_supported} when the device lacks the kind.
void* usm_allocate(device_node& device, std::uint64_t bytes, std::uint64_t alignment, devices::memory_kind kind,
                   const void* context, bool promoted = false);
void usm_free(void* pointer, const void* context);  // throws error{invalid} for a pointer that is not a live allocation
struct usm_info {
  devices::memory_kind kind;
  device_node* device;
  void* base;
  std::uint64_t bytes;
  const void* context;
};
std::optional<usm_info> usm_find(const void* pointer);  // interior pointers count
/// The pointer lies in an allocation that was freed and not handed out again; false when that is not certain.
bool usm_was_freed(const void* pointer);

// ---- commands --------------------------------------------------------------------------------------------------

/// A submitted command; what sycl::event holds.
class command_node {
public:
  virtual ~command_node() = default;
  enum class status { submitted, running, complete };
  virtual status query() const = 0;
  virtual void wait() = 0;                        // never throws the command's own failure
  virtual devices::profile times() = 0;           // waits; throws error{invalid} without profiling
  virtual std::vector<std::shared_ptr<command_node>> dependencies() const = 0; // direct ones
  virtual std::exception_ptr failure() const = 0; // stored, prism::error or a host task's own exception
};
using command_ptr = std::shared_ptr<command_node>;

struct queue_settings {
  bool in_order = false;
  bool profiling = false;
};

class queue_node {
public:
  virtual ~queue_node() = default;  // does not wait
  virtual device_node& device() const = 0;
  virtual void wait() = 0;          // all commands submitted before
  /// Failures of this queue's commands not yet handed out, oldest first.
  virtual std::vector<std::exception_ptr> take_failures() = 0;
  virtual bool empty() const = 0;
  /// What its commands are told apart from other queues' by; to be compared only.
  virtual const void* identity() const = 0;
  /// The driver's queue for interop ("cl_command_queue", "VkQueue"); null when unknown.
  virtual void* native(std::string_view what) const = 0;
};
using queue_ptr = std::shared_ptr<queue_node>;
queue_ptr create_queue(device_node& device, const queue_settings& settings);

/// A buffer this command uses. `token` is the accessor's word in the captured block (0: not captured).
struct requirement {
  buffer_ptr buffer;
  access_mode mode;
  box region;                 // what is accessed, in elements of the buffer
  std::uint64_t token = 0;
  std::uint64_t byte_offset = 0; // added to the address when the token is patched (sub-buffer offset is added by itself)
  bool on_host = false;       // host_task accessor
  void** host_pointer = nullptr; // host_task: where to store the address of the buffer's first byte before it runs
  bool is_output = false;     // holds what a kernel writes for people: of no interest to who compares results
  // host_task, not on_host (interop): where to store the memory of the queue's device that holds the bytes when it runs
  devices::memory** device_memory = nullptr;
};

struct local_memory {
  std::uint64_t token;
  std::uint64_t bytes, alignment;
};

/// One of the kernels that a command runs one after the other for each work-item (runtime/exec_graph/fuse.hpp).
struct joined_kernel {
  const image::kernel_slot* slot = nullptr;
  const char* name = "";
  devices::host_body body;
  std::uint32_t offset = 0, bytes = 0; // what it captured, in the command's block
};
/// A pointer in the block whose memory nobody needs: each work-item has `stride` bytes, those of equal `memory` the same.
struct private_pointer {
  std::uint32_t offset = 0, memory = 0, stride = 0;
};
struct joined_kernels {
  std::vector<joined_kernel> parts;
  std::vector<private_pointer> pointers;
  std::uint64_t item_bytes = 0; // that the kernels access for each work-item, about
  std::shared_ptr<const void> keep_alive;
};
struct kernel_command {
  const image::kernel_slot* slot = nullptr; // layout-compatible with sycl::detail::kernel_slot
  const char* name = "";                    // for messages and traces
  const char* functor = nullptr;            // holds its type's name, which says where a lambda is; null: not known
  devices::host_body body;
  pool::vector<std::byte> captured;
  bool is_range = true;           // parallel_for(range) / single_task: the engine picks local size, the kernel guards
  devices::extent3 global{1, 1, 1}; // items, x fastest. nd_range: a multiple of local
  devices::extent3 local{0, 0, 0};  // nd_range only
  bool fits_group = false;          // groups may be smaller than `local`, as many of them (hierarchical kernels)
  std::vector<local_memory> locals;
  std::vector<image::hidden_argument> hidden; // host device, kernels without an image: what `captured` holds behind the closure
  std::shared_ptr<const joined_kernels> joined; // host device: instead of `slot` and `body`
};
/// One side of an explicit copy: a buffer region or a raw pointer (host or USM).
struct copy_side {
  buffer_ptr buffer;
  box region;                     // with buffer
  void* pointer = nullptr;        // without buffer
  std::shared_ptr<void> keep_alive;
};
/// Between pointers: `rows` rows of `bytes` bytes that start a pitch apart (at least `bytes`).
struct copy_request { copy_side from, to; std::uint64_t bytes = 0, rows = 1, from_pitch = 0, to_pitch = 0; };
struct fill_request { copy_side to; std::uint64_t bytes = 0; std::vector<std::byte> pattern; std::uint64_t rows = 1, pitch = 0; };
/// A kernel that PRISM did not compile, with all its arguments.
struct foreign_kernel_argument {
  enum class kind { value, pointer, accessor, local };
  kind what = kind::value;
  std::uint32_t index = 0;
  std::vector<std::byte> value;   // value
  const void* pointer = nullptr;  // pointer: USM or null
  std::uint64_t token = 0;        // accessor: a requirement of the group
  std::uint64_t bytes = 0;        // local: of the work-group's memory
};
struct foreign_kernel_request {
  std::shared_ptr<devices::kernel> kernel; // of devices::interop
  devices::extent3 global{1, 1, 1}, local{0, 0, 0}, offset{0, 0, 0}; // items, x fastest; local zero: the driver chooses
  std::vector<foreign_kernel_argument> arguments;
};
struct update_host_request { buffer_ptr buffer; box region; };
struct host_task_request { std::function<void()> body; };
struct empty_request {};          // barrier / command group without a command

using request = std::variant<empty_request, kernel_command, copy_request, fill_request, update_host_request,
                             host_task_request, foreign_kernel_request>;

struct command_group {
  request what;
  source_line line; // of the call; a kernel's may be known by its functor instead
  small_vector<requirement, 4> requirements;
  std::vector<command_ptr> dependencies;  // depends_on
  bool barrier = false;                   // waits for everything submitted to the queue before, and later groups wait for it
  bool holds_later = false;               // only the latter
  bool claims_regions = false;            // waits for users of the requirements' regions, not of their whole buffers
  std::vector<std::shared_ptr<void>> keep_alive; // released once the command is complete
};

/// Checks the group, plans copies, submits or holds. Throws prism::error for what is known now (kernel_not_supported,
/// nd_range, invalid, ...); nothing was submitted then.
command_ptr submit(queue_node& queue, command_group&& group);

// ---- graphs

/// A command group of a graph that runs many times.
struct graph_command {
  std::shared_ptr<const command_group> group;  // the same each time; its `dependencies` and `barrier` do not count
  std::function<command_group()> make;         // or made for each run: host tasks, whose accessors are addresses
  /// Instead of prism::submit, of the command alone; returns the command that ends it.
  std::function<command_ptr(queue_node&, command_group&&)> submit;
  std::vector<std::size_t> after;              // numbers of the commands that come before
  std::string name;                            // for people: "node 2 (kernel scale)"
};
/// What became of a graph's commands.
struct replay_shape {
  std::size_t commands = 0;    // that do something
  std::size_t submissions = 0; // a run is made of
  std::size_t kept = 0;        // of these, by the device's own means
  std::size_t measured = 0;    // of these, whose first runs still find out whether that costs less
  std::vector<std::string> ways; // what was found, with figures
  std::size_t barriers = 0;    // between commands of one submission
  std::size_t joined = 0, launches = 0; // kernels that run with others, and the launches that they are
  std::uint64_t removed_bytes = 0;      // of memory that these do without
  std::vector<std::vector<std::size_t>> launched_together; // of each such launch the numbers of its commands, as they were given
  std::optional<std::size_t> prepared;  // commands of an updated graph that could not be taken over
  std::vector<std::string> notes;       // what was joined, and why the rest was not
};
class replay_node {
public:
  virtual ~replay_node() = default;
  virtual replay_shape shape() const = 0;
};
using replay_ptr = std::shared_ptr<replay_node>;
/// Checks all commands and prepares them for the device. Throws prism::error for what submit would refuse, and error{invalid}
/// when the commands form a cycle.
/// `joins`: kernels become one launch where that changes no result (runtime/exec_graph/fusion.hpp). `before`: a replay of the same device
/// whose place this one takes: what has the same command groups is taken over, and runs come after its last one.
replay_ptr prepare_replay(device_node& device, std::vector<graph_command> commands, bool joins = false, const replay_ptr& before = nullptr);
/// Runs them after `dependencies` and after the run before; one command stands for all. Throws error{invalid} for a queue of another device and for a USM allocation that was freed meanwhile.
struct replay_run { command_ptr first, last; }; // the same where there is only one
replay_run submit_replay(queue_node& queue, const replay_ptr& graph, const std::vector<command_ptr>& dependencies);

/// Why the device cannot run the kernel, decided without building it; empty when it can. `record` null: compiled without
/// the plugin.
std::string kernel_refusal(device_node& device, const image::kernel_record* record);
/// The part of it that concerns the kernel's reqd_sub_group_size and reqd_work_group_size.
std::string group_size_refusal(device_node& device, const image::kernel_record& record);
/// Kernels that are being built in the background.
class preparation_node {
public:
  virtual ~preparation_node() = default;
  virtual std::size_t asked() const = 0;
  virtual std::size_t done() const = 0;
  virtual void wait() const = 0;
  /// So far: kernel, device and the driver's words.
  virtual std::vector<std::string> failures() const = 0;
};
/// Builds them on several threads, in this order; those that are built already count as done. What has not begun at the end of the
/// process is left. Keeps the libraries loaded that the kernels are in.
struct wanted_build { device_node* device; const image::kernel_record* record; };
std::shared_ptr<preparation_node> prepare_kernels(std::vector<wanted_build> kernels);

/// Kernels built again for the values they are launched with (specialise.hpp). After so many launches with the same; 0: only those
/// that are asked for.
void specialise_after(unsigned launches);
void specialise_kernel(device_node& device, const image::kernel_record& record);
struct specialised_kernel {
  enum class state { building, measuring, kept, rejected, refused };
  std::string kernel, device;
  state what;
  std::string values; // "24:4=5": the integer of 4 bytes at offset 24 of the captured block
  std::string reason; // rejected, refused
  double ratio;       // of the general build's time; 0 where none was measured
};
std::vector<specialised_kernel> specialised_kernels();

/// What the device says about the kernel; builds it. Throws prism::error when the device cannot run it.
devices::kernel_limits kernel_limits_on(device_node& device, const image::kernel_record* record);

/// What a kernel took on a device: sums over its launches that are complete and succeeded.
struct kernel_time {
  std::string kernel;
  device_node* device = nullptr;
  std::uint64_t calls = 0, timed = 0; // timed: on queues that measure; what follows is of those
  double seconds = 0, shortest = 0, longest = 0, items = 0;
  std::optional<image::kernel_counts> counts; // of one work-item
};
/// From now on; as often off as on. With the first one that asks the sums begin anew. Queues measure that are made after it.
void time_kernels(bool on);
std::vector<kernel_time> kernel_times();

// ---- interoperability: objects that the program made with a driver (devices/api/interop.hpp) ---------------------

/// A device of a foreign context, beside the one that PRISM lists; lives until the process ends.
device_node& adopt_device(std::unique_ptr<devices::device> device, const device_node& listed);
/// The foreign queue must be of this device.
queue_ptr adopt_queue(device_node& device, std::unique_ptr<devices::queue> queue, const queue_settings& settings);
/// A buffer of one dimension whose first contents are those of `memory`.
buffer_ptr adopt_buffer(device_node& device, std::unique_ptr<devices::memory> memory, const buffer_options& options);
/// Writes host bytes to a device's memory and waits.
void write_to(device_node& device, devices::memory& memory, const void* from, std::uint64_t bytes);
/// The memory of each device that has one for the buffer, with its device.
std::vector<std::pair<const devices::device*, devices::memory*>> places_of(const buffer_node& buffer);
/// Where the command stands on its device's timeline, once it was given to the driver; empty for one that no device runs.
devices::timeline_point point_of(command_node& command);
/// The kernel, built for the device. Throws prism::error when the device cannot run it.
devices::kernel& built_kernel_on(device_node& device, const image::kernel_record* record);

// ---- host code that says what it accesses (--check=access) ----------------------------------------------------------

struct host_code_access {
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
  const char* place = nullptr; // "app.cpp:12:5"; null: not known
};
namespace host_code {
inline constinit std::atomic<bool> speaks{false}; // it has once
// Around all memory of commands that nobody has waited for, while PRISM_CHECK=access knows them.
inline constinit std::atomic<std::uint64_t> watched_begin{~std::uint64_t{0}}, watched_end{0};
} // namespace host_code
void look_at_host_code(const host_code_access& what);
/// Before an access of host code. Two loads where no command that nobody has waited for is near.
inline void host_code_uses(const host_code_access& what) {
  using namespace host_code;
  if (!speaks.load(std::memory_order_relaxed)) speaks.store(true, std::memory_order_relaxed);
  if (what.begin < watched_end.load(std::memory_order_relaxed) && watched_begin.load(std::memory_order_relaxed) < what.end) look_at_host_code(what);
}

/// A fresh accessor token: non-canonical, unique in the process. Bits 63..47 of a canonical address are all equal; in a
/// token they are not.
std::uint64_t new_token();
inline constexpr std::uint64_t token_mark = 0x5a1dull << 48;
/// Whether the word can be a token.
constexpr bool is_token(std::uint64_t word) { return (word >> 48) == (token_mark >> 48); }
/// Whether new_token has given this word.
bool token_was_given(std::uint64_t word);

} // namespace prism
