// The interface through which the runtime reports commands, copies, waits and allocations to observers. The
// runtime does not depend on specific observers. Without observers, each report costs one load and a branch.
// Uses only types of the engine's interface.
//
// Observers are never destroyed. Any thread. No lock of a queue is held during `submitting`, `submitted` and
// `waited`. An observer may take its own locks, but must not call the runtime while it holds them.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/observe/command_label.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace prism::observe {

enum interest : std::uint32_t {
  labels = 1, // commands get names and their lines in the program
  spans = 2,  // queues made from now on measure; the runtime's own copies are reported too
  launch_times =
      4, // queues made from now on measure each command; commands of a graph are submitted one by one
  submissions = 8,
  waits = 16,
  transfers = 32,
  allocations = 64,
};

namespace detail {
inline constinit std::atomic<std::uint32_t> wanted{0};
}
/// The union of all observers' interests; usually 0.
inline std::uint32_t active() noexcept { return detail::wanted.load(std::memory_order_relaxed); }
inline bool wants(std::uint32_t any_of) noexcept { return (active() & any_of) != 0; }

/// The kernel that a command executes.
struct launch_facts {
  std::string kernel;
  const image::kernel_record* record = nullptr;
  double work_items = 0;
};

struct submission_event {
  device_node& device;
  const void* queue = nullptr; // only for comparison
  bool in_order = false, barrier = false, holds_later = false;
  std::uint64_t arrow = 0; // of the trace, from the submission's span; 0: none
  bool is_part = false;    // belongs to a larger unit that is reported as a whole (one_event)
  bool is_graph = false;   // an execution of a graph as a whole: `groups` are those of its commands
  std::span<const graph_command> first_of_graph{}; // with is_graph, in its first execution: all its commands
  std::span<const command_group* const> groups{};  // empty: a command made by the runtime
  std::span<const command_ptr> after{};            // dependencies that the program named
  const launch_facts* launch = nullptr;            // a kernel on a device that the program selected
  command_ptr command{};                           // set in submitted()
};

struct completion_event {
  const runtime::command_label* label; // null: no observer requested labels
  const device_node* device;           // null: not on a device
  std::string_view device_name;        // "opencl:0 ..."
  unsigned queue = 0;                  // index among the device's queues, for messages
  bool measured = false;               // the queue measures
  std::optional<devices::profile> on_device;
  std::uint64_t host_begin_ns = 0, host_end_ns = 0; // on a thread of the runtime; 0: not executed there
  bool failed = false;
};

/// The host knows that something is complete. Exactly one member is set.
struct wait_event {
  const command_node* command = nullptr;
  const void* queue = nullptr; // all commands of this queue
  const buffer_span* bytes = nullptr;
};

struct transfer_event {
  std::uint64_t bytes;
  std::string_view from, to; // "host", "opencl:0"
  std::string_view reason;   // copy_reason of the coherence map, or "explicit copy"
  std::string_view command;  // the command that needs the copy; may be empty
  std::string_view line;     // in the program: "app.cpp:12"; empty when it is not known
  const void* queue;         // queue of that command, only for comparison; null: none
};

struct allocation_event {
  enum class kind { buffer_created, buffer_destroyed, usm_freed } what;
  const void* buffer = nullptr;       // buffer_span::root
  std::uint64_t begin = 0, bytes = 0; // the program's memory that a new buffer uses, or the freed allocation
  const command_node* by = nullptr;   // usm_freed: the host task that frees it; null: the host
};

/// State of an observer for one command; lives as long as the command object.
class follower {
public:
  virtual ~follower() = default;
  /// Called by the submitting thread. For a graph reported as a whole this is the only call.
  virtual void submitted(const submission_event&) {}
  /// Called once, by the thread that detects the completion, before any other thread can see it. The
  /// command's lock is held.
  virtual void completed(const completion_event&) noexcept {}
};
using follower_list = small_vector<std::shared_ptr<follower>, 2>;

class observer {
public:
  virtual ~observer() = default;
  virtual std::uint32_t interests() const noexcept = 0;
  /// Called when the group is complete, before anything is planned. Returns null if the command is of no
  /// interest.
  virtual std::shared_ptr<follower> submitting(const submission_event&) { return nullptr; }
  virtual void waited(const wait_event&) {}
  virtual void copied(const transfer_event&) noexcept {}
  virtual void allocation_changed(const allocation_event&) {}
};

/// Adds an observer, which must never be destroyed.
void add(observer& one);
/// To be called when an observer's interests() have changed.
void interests_changed() noexcept;

// Call wants() first.
follower_list submitting(const submission_event& event);
void waited(const wait_event& event);
void copied(const transfer_event& event) noexcept;
void allocation_changed(const allocation_event& event);

/// While one exists on this thread, submitted commands belong to a larger unit that is reported as a whole.
class one_event {
public:
  one_event() noexcept;
  ~one_event();
  one_event(const one_event&) = delete;
  static bool here() noexcept;

private:
  bool m_before;
};

} // namespace prism::observe
