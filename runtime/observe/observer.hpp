// What the runtime tells those who ask: of commands, copies, waits and allocations. The runtime knows no
// observer by its name; when nobody observes each place costs one load and a branch. Names types of the
// engine's interface only.
//
// Observers live for ever. Any thread; no lock of a queue is held at `submitting`, `submitted` and `waited`.
// An observer may take locks of its own, under which it calls nothing of the runtime.
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
  labels = 1, // commands know what they are called, and their lines in the program
  spans = 2,  // queues made from now on measure; the runtime's own copies are followed too
  launch_times =
      4, // queues made from now on measure each command; a graph's commands are submitted one by one
  submissions = 8,
  waits = 16,
  transfers = 32,
  allocations = 64,
};

namespace detail {
inline constinit std::atomic<std::uint32_t> wanted{0};
}
/// The union of all observers' interests; 0 as a rule.
inline std::uint32_t active() noexcept { return detail::wanted.load(std::memory_order_relaxed); }
inline bool wants(std::uint32_t any_of) noexcept { return (active() & any_of) != 0; }

/// A kernel that a command runs.
struct launch_facts {
  std::string kernel;
  const image::kernel_record* record = nullptr;
  double work_items = 0;
};

struct submission_event {
  device_node& device;
  const void* queue = nullptr; // to be compared only
  bool in_order = false, barrier = false, holds_later = false;
  bool is_part = false;  // of something that is told as a whole (one_event)
  bool is_graph = false; // a run of one, as a whole: `groups` are those of its commands
  std::span<const command_group* const> groups{}; // none: a command of the runtime's own
  std::span<const command_ptr> after{};           // what the program said it depends on
  const launch_facts* launch = nullptr;           // of one kernel on a device of the program's
  command_ptr command{};                          // in submitted()
};

struct completion_event {
  const runtime::command_label* label; // null: nobody wants labels
  const device_node* device;           // null: of none
  std::string_view device_name;        // "opencl:0 ..."
  unsigned queue = 0;                  // of the device's, for people
  bool measured = false;               // the queue measures
  std::optional<devices::profile> on_device;
  std::uint64_t host_begin_ns = 0, host_end_ns = 0; // on a thread of the runtime; 0: not there
  bool failed = false;
};

/// The host knows that it is complete: exactly one of these.
struct wait_event {
  const command_node* command = nullptr;
  const void* queue = nullptr; // all its commands
  const buffer_span* bytes = nullptr;
};

struct transfer_event {
  std::uint64_t bytes;
  std::string_view from, to; // "host", "opencl:0"
  std::string_view reason;   // of the ledger (copy_reason), or "explicit copy"
  std::string_view command;  // what it was made for; may be empty
  std::string_view line;     // of the program: "app.cpp:12"; empty when it is not known
  const void* queue;         // of that command, to be compared only; null: none
};

struct allocation_event {
  enum class kind { buffer_created, buffer_destroyed, usm_freed } what;
  const void* buffer = nullptr;       // buffer_span::root
  std::uint64_t begin = 0, bytes = 0; // the program's memory that a created buffer uses; the freed allocation
};

/// What an observer keeps with a command, as long as the command's object lives.
class follower {
public:
  virtual ~follower() = default;
  /// On the thread that submits. Of a graph's run that is told as a whole: the only call.
  virtual void submitted(const submission_event&) {}
  /// Once, by the thread that notices it, before anybody sees the command complete; the command's lock is
  /// held.
  virtual void completed(const completion_event&) noexcept {}
};
using follower_list = small_vector<std::shared_ptr<follower>, 2>;

class observer {
public:
  virtual ~observer() = default;
  virtual std::uint32_t interests() const noexcept = 0;
  /// The group is complete and nothing is planned yet. Null: the command is of no interest.
  virtual std::shared_ptr<follower> submitting(const submission_event&) { return nullptr; }
  virtual void waited(const wait_event&) {}
  virtual void copied(const transfer_event&) noexcept {}
  virtual void allocation_changed(const allocation_event&) {}
};

/// From now on, for ever.
void add(observer& one);
/// An observer's interests are others now.
void interests_changed() noexcept;

// Ask wants() first.
follower_list submitting(const submission_event& event);
void waited(const wait_event& event);
void copied(const transfer_event& event) noexcept;
void allocation_changed(const allocation_event& event);

/// While one lives on this thread commands are parts of something that is told as a whole.
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
