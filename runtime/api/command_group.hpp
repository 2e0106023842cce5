// One command group while its function runs: what sycl::handler writes into, and its submission. One thread
// at a time.
#pragma once

#include "runtime/api/buffer_impl.hpp"
#include "runtime/api/kernel_impl.hpp"
#include "runtime/api/output.hpp"
#include "runtime/api/reference.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

/// What a host task needs when it runs; kept alive by the task.
struct host_task_state {
  struct pointer {
    std::uint64_t token;
    std::uint64_t byte_offset;
    void* first = nullptr; // of the buffer; written by the engine
    prism::devices::memory* memory =
        nullptr; // on the queue's device, for a device accessor; written by the engine
  };
  std::vector<pointer> pointers;
  /// In a graph, whose tasks run more than once: where tokens stood in the task's object, and of which
  /// pointers.
  std::shared_ptr<std::vector<std::pair<std::size_t, std::size_t>>> places;
  // Not the queue itself: its end, with the user's handler, must not happen on a thread of the runtime.
  std::shared_ptr<device_impl> device;
  prism::queue_ptr queue;
  std::function<void(const interop_handle&)> task;
  void* bytes = nullptr; // the task's own object, whose tokens are replaced
  std::size_t size = 0;
  bool is_interop = false; // takes the handle: device accessors stay on the device
  void run();
};

class interop_impl {
public:
  explicit interop_impl(const host_task_state& task) : m_task(task) {}
  const host_task_state& task() const noexcept { return m_task; }

private:
  const host_task_state& m_task;
};

struct graph_contents;
class graph_node;
class executable_graph;

class handler_impl {
public:
  explicit handler_impl(std::shared_ptr<queue_impl> queue) : m_queue(std::move(queue)), m_facade(*this) {}
  handler& facade() noexcept { return m_facade; }
  static handler_impl& of(handler& group) noexcept { return group.m_impl; }
  queue_impl& queue() const noexcept { return *m_queue; }

  void called_at(call_site site) noexcept { m_group.line = line_of(site); }
  std::uint64_t bind(const impl_ptr<buffer_impl>& buffer, const access_request& request);
  void bind_placeholder(std::uint64_t token);
  std::uint64_t bind_local(std::uint64_t bytes, std::uint64_t alignment);
  /// The local accessors that a kernel captures: only they take local memory.
  std::vector<prism::local_memory> locals_of(const kernel_launch& launch) const;
  /// Counts what the group's kernel needs; throws memory_allocation when it is more than the device has.
  void need_local(const prism::local_memory& local);
  std::uint64_t bind_stream(std::size_t text);
  void depends_on(const event& what);
  void set_constant(const void* id, const void* value, std::size_t bytes);
  void get_constant(const void* id, void* value, std::size_t bytes) const;
  void use_bundle(std::shared_ptr<kernel_bundle_impl> bundle);
  void set_kernel(const kernel_launch& launch);
  void set_argument(int index, prism::native_kernel_argument&& argument);
  /// A kernel that the program made with a driver; null sizes: the driver chooses.
  void set_native_kernel(const kernel& object, const native_range& items);
  void set_native_function(std::function<void*(const prism::native_work&)> function);
  void set_host_task(std::function<void(const interop_handle&)> task, void* bytes, std::size_t size,
                     bool is_interop);
  /// A group has one command: throws invalid for the second.
  void claim(const char* name);
  void set(prism::request what, const char* name);
  void then(std::function<void(handler&)> group) { m_then.push_back(std::move(group)); }
  void barrier() { m_group.barrier = true; }
  /// Later groups of the queue wait for this one.
  void hold_later() { m_group.holds_later = true; }
  /// Other groups may use what this one's ranged accessors leave out, at the same time.
  void claim_regions() { m_group.claims_regions = true; }

  /// The engine's side for an accessor of this group; its requirement then comes from the copy itself.
  prism::copy_side side_of(const accessor_side& accessor);
  const std::shared_ptr<buffer_impl>& buffer_of(const accessor_side& accessor);

  event submit();
  /// What the function said, for a graph; nothing is submitted.
  void keep_in(graph_contents& to);
  void set_graph(std::shared_ptr<executable_graph> graph);
  static void call(const host_task_state& state);

private:
  struct use {
    std::uint64_t token;
    std::shared_ptr<buffer_impl> buffer;
    access_request request;
    bool is_side = false;
  };
  use* find(std::uint64_t token);
  bool is_local(std::uint64_t token) const;
  bool is_channel(std::uint64_t token) const;
  void add(std::uint64_t token, std::shared_ptr<buffer_impl> buffer, const access_request& request);
  void check_nd_range(const kernel_launch& launch) const;
  void check_tokens(const kernel_launch& launch);
  void check_attributes(const kernel_launch& launch);
  void finish_requirements();
  /// Appends what the image asks for behind the closure.
  void finish_kernel(prism::kernel_command& kernel);
  void finish_kernel_without_record(prism::kernel_command& kernel);
  std::uint64_t open_channel(std::size_t bytes);
  std::uint64_t open_fault_channel(prism::kernel_command& kernel,
                                   const prism::image::hidden_argument& checks);
  prism::command_ptr submit_printing(const prism::command_ptr& after);
  prism::command_ptr submit_engine();
  event submit_graph();
  event record();
  void keep_command_in(graph_contents& to);
  std::vector<verified_use> buffers_to_compare() const;
  void keep_printing_in(graph_contents& to);

  std::shared_ptr<queue_impl> m_queue;
  handler m_facade;
  prism::command_group m_group;
  const char* m_command = nullptr; // name of the command it has
  int m_dimensions = -1;           // of its kernel, as kernel_launch says
  std::vector<std::shared_ptr<graph_node>> m_named_nodes;
  std::shared_ptr<executable_graph> m_graph; // that it runs
  prism::small_vector<use, 4> m_uses;
  std::vector<prism::local_memory> m_locals;
  std::vector<prism::native_kernel_argument> m_arguments; // of a native kernel
  std::uint64_t m_local_bytes = 0;
  std::shared_ptr<host_task_state> m_host_task;
  std::vector<std::function<void(handler&)>> m_then;
  std::vector<std::weak_ptr<event_impl>> m_named_events;
  constant_values m_constants;
  std::shared_ptr<kernel_bundle_impl> m_bundle;
  prism::command_ptr m_verified;                           // PRISM_VERIFY's comparison with the reference
  std::vector<std::shared_ptr<output_channel>> m_channels; // streams and printf, printed in this order
};

}
}
} // namespace sycl::_V1::detail
