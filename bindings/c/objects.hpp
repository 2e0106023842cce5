// What the handles of prism.h stand for, and the registered memory. Any thread.
#pragma once

#include "bindings/c/handles.hpp"

#include <prism/graph.hpp>
#include <prism/kernel_library.hpp>
#include <prism/source_kernel.hpp>

#include <sycl/sycl.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace prism::c_interface {

struct device_object : object {
  static constexpr handle_kind kind = handle_kind::device;
  sycl::device device;
  explicit device_object(sycl::device of) : device(std::move(of)) {}
};

/// Registered memory. `uses`: events of work that may still use it.
struct allocation {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
  std::int32_t kind = 0; // PRISM_MEMORY_*
  sycl::context context;
  sycl::device device;
  std::mutex mutex;
  std::vector<sycl::event> uses;
  std::atomic<std::size_t> elements_of = 0;  // how many arrays have their elements there by a view of it
  std::size_t arrays = 0;                    // PRISM_MEMORY_ARRAY: how many registered it
  std::vector<std::shared_ptr<void>> owners; // the same: keep the memory alive

  allocation(sycl::context in, sycl::device on) : context(std::move(in)), device(std::move(on)) {}
  void used_by(const sycl::event& event);
  /// The events of work that may still use it.
  std::vector<sycl::event> pending();
};
using allocation_ref = std::shared_ptr<allocation>;

/// Errors of running work, until a wait takes them.
struct late_failures {
  std::mutex mutex;
  std::vector<std::pair<prism_status, std::string>> all;
  /// Throws the first as `failure` and drops the others.
  void throw_first();
};

struct graph_object : object {
  static constexpr handle_kind kind = handle_kind::graph;
  std::mutex mutex;
  sycl::queue queue; // that is recorded
  command_graph<graph_state::modifiable> recorded;
  std::optional<command_graph<graph_state::executable>> ready;
  std::vector<allocation_ref> memory; // that its commands use
  explicit graph_object(const sycl::queue& like) : queue(like), recorded(like) {}
  ~graph_object() override;
};

struct queue_object : object {
  static constexpr handle_kind kind = handle_kind::queue;
  std::shared_ptr<late_failures> failures = std::make_shared<late_failures>();
  sycl::queue queue;
  std::mutex mutex;
  std::weak_ptr<graph_object> recording;
  queue_object(const sycl::device& on, const sycl::property_list& properties);
  /// After a submission: the memory is in use until the event is complete.
  void submitted(const sycl::event& event, const std::vector<allocation_ref>& memory);
};

struct event_object : object {
  static constexpr handle_kind kind = handle_kind::event;
  sycl::event event;
  std::shared_ptr<late_failures> failures;
  event_object(sycl::event of, std::shared_ptr<late_failures> reported)
      : event(std::move(of)), failures(std::move(reported)) {}
};

struct library_object : object {
  static constexpr handle_kind kind = handle_kind::library;
  void* opened = nullptr;
  const exported::kernel* first = nullptr;
  const exported::task_set* first_tasks = nullptr;
  std::string file;
  ~library_object() override;
};

/// A kernel of a library, or of a text: then `what` describes it, and `source` launches it.
struct kernel_object : object {
  static constexpr handle_kind kind = handle_kind::kernel;
  std::shared_ptr<library_object> library;
  const exported::kernel* what = nullptr;
  std::optional<source_kernel> source;
  exported::kernel own;
  std::vector<exported::parameter> parameters; // of `own`
};

/// "saxpy 1 items: float, const float*, float*"
std::string signature_of(const kernel_object& kernel);
/// The arguments for a launch, checked against the kernel. Adds memory that they name to `memory`.
std::vector<exported::argument> checked_arguments(const queue_object& queue, const kernel_object& kernel,
                                                  const prism_argument* arguments, std::size_t count,
                                                  std::vector<allocation_ref>& memory);

/// Throws failure (PRISM_BAD_HANDLE, PRISM_BAD_POINTER).
std::vector<sycl::event> events_of(prism_event* const* waits, std::size_t count);
/// Stores an event's handle where the caller wants one.
void give_event(prism_event** to, const queue_object& queue, const sycl::event& event);

/// The device of a handle; of NULL the default device.
sycl::device device_of(const prism_device* device);

/// The memory in which [pointer + lowest, pointer + highest) lies. Throws failure (PRISM_BAD_POINTER) if it
/// is not registered or ends before, if the queue's device cannot use it, and if `alignment` does not divide
/// the pointer. `name`: the argument's.
allocation_ref memory_for(const queue_object& queue, const void* pointer, std::ptrdiff_t lowest,
                          std::ptrdiff_t highest, std::size_t alignment, const std::string& name);

/// The same for any device.
allocation_ref registered_memory(const void* pointer, std::ptrdiff_t lowest, std::ptrdiff_t highest,
                                 std::size_t alignment, const std::string& name);

/// The memory for an array with its elements there: prism_free refuses it until the result ends. Throws
/// `failure` (PRISM_BAD_POINTER) if it was freed since it was found.
allocation_ref held_by_array(const allocation_ref& memory);

/// Registers memory of an array, once for each array; ranges of one allocation become one. False for
/// memory that is registered already, in which an array was made. Throws failure (PRISM_INVALID) where the
/// range meets the end of such memory.
bool add_array_memory(const sycl::queue& queue, std::uintptr_t first, std::size_t bytes,
                      std::shared_ptr<void> owner);
void remove_array_memory(std::uintptr_t first) noexcept;

/// "PRISM_F32"'s bytes; 0 for a number that is not a type.
std::size_t bytes_of_type(std::int32_t type);
/// Of a complex number that of its parts.
std::size_t alignment_of_type(std::int32_t type);
std::string name_of_type(std::int32_t type);

} // namespace prism::c_interface
