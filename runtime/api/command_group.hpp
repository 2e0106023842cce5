// A command group while its function runs: the implementation of sycl::handler, which collects and submits
// the command. Only one thread may use it at a time.
#pragma once

#include "runtime/api/buffer_impl.hpp"
#include "runtime/api/dynamic_value.hpp"
#include "runtime/api/kernel_impl.hpp"
#include "runtime/api/output.hpp"
#include "runtime/api/reference.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

/// The data that a host task needs when it runs. The task owns it.
struct host_task_state {
  struct pointer {
    std::uint64_t token;
    std::uint64_t byte_offset;
    void* first = nullptr; // of the buffer; the runtime sets it
    prism::devices::memory* memory =
        nullptr; // on the queue's device, for a device accessor; the runtime sets it
  };
  std::vector<pointer> pointers;
  /// In a graph, whose tasks run more than once: the offsets of tokens in the task's object, each with the
  /// index of its pointer.
  std::shared_ptr<std::vector<std::pair<std::size_t, std::size_t>>> places;
  // Not the queue_impl: its destructor calls the user's handler, which must not run on a thread of the
  // runtime.
  std::shared_ptr<device_impl> device;
  prism::queue_ptr queue;
  std::function<void(const interop_handle&)> task;
  void* bytes = nullptr; // the task's function object; run() replaces its tokens by addresses
  std::size_t size = 0;
  bool is_interop = false; // the task takes an interop_handle: device accessors stay on the device
  void run();
};

class interop_impl {
public:
  explicit interop_impl(const host_task_state& task) : m_task(task) {}
  const host_task_state& task() const noexcept { return m_task; }

private:
  const host_task_state& m_task;
};

struct graph_memory;
class graph_node;
class executable_graph;
class modifiable_graph;

/// The runtime's requirement for an accessor with this token. `claims_regions`: of the command group.
prism::requirement requirement_of(const buffer_impl& buffer, const access_request& request,
                                  std::uint64_t token, bool claims_regions);
/// Throws invalid if the device cannot access the buffer.
void check_buffer(const buffer_impl& buffer, const std::shared_ptr<device_impl>& device);

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
  /// Returns the local accessors that the kernel captures; only these use local memory.
  std::vector<prism::local_memory> locals_of(const kernel_launch& launch) const;
  /// Adds to the local memory of the group's kernel. Throws memory_allocation if the device has less.
  void need_local(const prism::local_memory& local);
  std::uint64_t bind_stream(std::size_t text);
  void depends_on(const event& what);
  void set_constant(const void* id, const void* value, std::size_t bytes);
  void get_constant(const void* id, void* value, std::size_t bytes) const;
  void use_bundle(std::shared_ptr<kernel_bundle_impl> bundle);
  void set_kernel(const kernel_launch& launch);
  void set_argument(int index, prism::native_kernel_argument&& argument);
  /// Launches a native kernel (interoperability). If its sizes are null, the driver chooses the work-group
  /// size.
  void set_native_kernel(const kernel& object, const native_range& items);
  /// Launches a free function kernel with the arguments that were set. `group`: the handler of this group.
  void launch_function(handler& group, const kernel& object, const native_range& items);
  void set_native_function(std::function<void*(const prism::native_work&)> function);
  void set_host_task(std::function<void(const interop_handle&)> task, void* bytes, std::size_t size,
                     bool is_interop);
  /// Marks that the group has a command. Throws invalid if it has one already.
  void claim(const char* name);
  void set(prism::request what, const char* name);
  void then(std::function<void(handler&)> group) { m_then.push_back(std::move(group)); }
  void wrap(const char* functor) noexcept { m_functor = functor; }
  void barrier() { m_group.barrier = true; }
  /// Makes later groups of the queue wait for this one.
  void hold_later() { m_group.holds_later = true; }
  /// Permits other groups to use at the same time the elements that this group's ranged accessors leave out.
  void claim_regions() { m_group.claims_regions = true; }

  /// Returns the copy side for an accessor of this group. The copy then implies the accessor's requirement.
  prism::copy_side side_of(const accessor_side& accessor);
  const std::shared_ptr<buffer_impl>& buffer_of(const accessor_side& accessor);

  /// Whether its queue or PRISM_REPRODUCIBLE asks for sums whose order does not depend on the device.
  bool fixes_order() const;

  event submit();
  /// Moves the collected command into a graph node. Submits nothing.
  void keep_in(graph_contents& to);
  void set_graph(std::shared_ptr<executable_graph> graph);

  /// Makes the group one for a graph. `after`: nodes that its node will depend on.
  void add_to(std::shared_ptr<modifiable_graph> graph, std::vector<std::shared_ptr<graph_node>> after) {
    m_into = std::move(graph);
    m_before = std::move(after);
  }
  std::uint64_t capture(const std::shared_ptr<dynamic_value>& what, void* bytes);
  void set_dynamic_range(const std::shared_ptr<dynamic_value>& what, void* bytes);
  void set_dynamic_argument(int index, const std::shared_ptr<dynamic_value>& what);
  void require(const std::shared_ptr<dynamic_value>& what);
  void* allocate(usm::alloc kind, std::size_t bytes);
  void release(void* memory);
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
  /// Whether the launch must be given the fixed order. Throws if it cannot have it.
  bool gives_fixed_order(const kernel_launch& launch) const;
  [[noreturn]] void refuse_fixed_order(const std::string& kernel, const std::string& why) const;
  void finish_requirements();
  /// Appends the hidden arguments of the image after the captured values.
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
  void keep_dynamic_in(graph_contents& to);
  void keep_captured(const dynamic_use& use, graph_contents& to) const;
  std::shared_ptr<modifiable_graph> graph() const;
  void refuse_outside_graph(const char* asked) const;
  std::uint64_t bind_dynamic(const std::shared_ptr<dynamic_value>& what);
  std::vector<verified_use> buffers_to_compare() const;

  std::shared_ptr<queue_impl> m_queue;
  handler m_facade;
  prism::command_group m_group;
  const char* m_command = nullptr; // name of its command; null: it has none
  const char* m_functor = nullptr; // kernel_command::functor; null: not known yet
  struct origin { // of a group that continues another one, as that of a reduction's second kernel: the first
                  // kernel
    const char* name = nullptr; // null: no kernel
    const char* functor = nullptr;
    prism::source_line line;
  };
  origin as_origin() const;
  origin m_origin;
  bool m_is_hierarchical = false; // its kernel
  int m_dimensions = -1;          // of its kernel, as in kernel_launch
  std::vector<std::shared_ptr<graph_node>> m_named_nodes;
  std::shared_ptr<executable_graph> m_graph; // the graph that it executes
  std::shared_ptr<modifiable_graph> m_into;  // the graph that it is added to; null: perhaps recorded
  std::vector<std::shared_ptr<graph_node>> m_before;
  std::vector<dynamic_use> m_dynamic;
  std::shared_ptr<const graph_memory> m_allocates;
  void* m_frees = nullptr;
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
