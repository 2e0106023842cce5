// Command graphs: command groups are recorded once, or added one by one, and executed many times, each time
// at the cost of one submission. The interface follows sycl_ext_oneapi_graph, in PRISM's own namespace, and
// has the meaning of that document, with these differences: a buffer need not outlive its graph (executing a
// graph whose buffer was destroyed throws errc::invalid), node::update can replace the whole command group of
// a node, a kernel's function object can capture a dynamic parameter, a graph may have commands of several
// devices, and event_of gives a node's own times.
//
// If the device supports command buffers, it stores the graph (Vulkan: one command buffer that is submitted
// again); otherwise the runtime passes the prepared commands to the driver in one submission. Host tasks and
// copies from or to host memory divide a graph into several submissions. The results are the same as for the
// same command groups submitted to a queue. Thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include <functional>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {
class graph_node;
class modifiable_graph;
class executable_graph;
class alternative_groups;
class dynamic_value;

/// The range of a kernel (range or nd_range). Dimensions that it does not have are 1, and 0 in `offset`.
struct launch_range {
  int dimensions = 1;
  bool is_range = true; // not an nd_range
  std::size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1}, offset[3] = {0, 0, 0};
};
template <int D>
launch_range launch_range_of(const range<D>& items) {
  launch_range out;
  out.dimensions = D;
  for (int d = 0; d < D; ++d) out.global[d] = items[d];
  return out;
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" // get_offset() is deprecated, but must still be honoured
template <int D>
launch_range launch_range_of(const nd_range<D>& items) {
  launch_range out;
  out.dimensions = D;
  out.is_range = false;
  for (int d = 0; d < D; ++d) {
    out.global[d] = items.get_global_range()[d];
    out.local[d] = items.get_local_range()[d];
    out.offset[d] = items.get_offset()[d];
  }
  return out;
}
#pragma GCC diagnostic pop
template <typename T>
inline constexpr bool is_launch_range = false;
template <int D>
inline constexpr bool is_launch_range<range<D>> = true;
template <int D>
inline constexpr bool is_launch_range<nd_range<D>> = true;

/// The value of a dynamic parameter. The bytes of an accessor begin with its token.
struct dynamic_bytes {
  enum class kind { value, pointer, accessor };
  kind what = kind::value;
  const void* bytes = nullptr;
  std::size_t size = 0, alignment = 1;
  std::optional<launch_range> items{}; // if the value is a range
};
impl_ptr<dynamic_value> make_dynamic_value(const dynamic_bytes& initial);
void change_dynamic_value(dynamic_value& what, const dynamic_bytes& now);
/// Writes the value to `bytes`, and returns a mark by which the kernel's captured bytes show where it is.
std::uint64_t capture_dynamic_value(handler& group, const impl_ptr<dynamic_value>& what, void* bytes);
void set_dynamic_range(handler& group, const impl_ptr<dynamic_value>& what, void* bytes);
void set_dynamic_argument(handler& group, int index, const impl_ptr<dynamic_value>& what);
void require_dynamic_value(handler& group, const impl_ptr<dynamic_value>& what);
}
}
} // namespace sycl::_V1::detail

namespace prism {

enum class graph_state { modifiable, executable };
enum class queue_state { executing, recording };
enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  barrier,
  host_task,
  update_host,
  async_malloc,
  async_free,
  ext_oneapi_barrier = barrier
};

class node;
class dynamic_command_group;
template <graph_state State = graph_state::modifiable>
class command_graph;
template <>
class command_graph<graph_state::modifiable>;
template <>
class command_graph<graph_state::executable>;

namespace property {
/// A property of a buffer or a USM allocation, as in sycl_ext_oneapi_graph_fusion: a graph that was finalized
/// with perform_fusion need not write its kernels' results to this memory. After an execution of the graph
/// its contents are undefined.
class promote_private {};
namespace graph {
class no_cycle_check {};               // accepted; finalize() detects cycles
class assume_buffer_outlives_graph {}; // accepted; not needed, see above
class updatable {};                    // a property of finalize()
/// A property of finalize(): command_graph::event_of has the times of each node. If the graph is executed on
/// a queue with property::queue::enable_profiling, its commands are submitted one by one, which costs more.
class enable_profiling {};
/// A property of finalize(): adjacent kernels are fused into one launch if that does not change the results.
/// As in sycl_ext_oneapi_graph_fusion it is a hint: command_graph::explain lists the fused kernels, and the
/// reasons why others were not fused.
class perform_fusion {};
} // namespace graph
namespace node {
class depends_on;
class depends_on_all_leaves {};
/// A PRISM extension, for graphs of several devices: the node's command is for the device of this queue.
class on_queue {
public:
  explicit on_queue(sycl::queue where) : m_queue(std::move(where)) {}
  const sycl::queue& prism_queue() const noexcept { return m_queue; }

private:
  sycl::queue m_queue;
};
} // namespace node
} // namespace property

/// A command group in a graph.
class node : public sycl::detail::shared_object<sycl::detail::graph_node> {
public:
  node_type get_type() const;
  std::vector<node> get_predecessors() const;
  std::vector<node> get_successors() const;
  /// Throws errc::invalid if the event does not belong to a recorded submission.
  static node get_node_from_event(const sycl::event& recorded);

  // An executable graph uses a change after it is updated with the node. These functions throw errc::invalid
  // if the node is not a kernel, if the kernel has reductions, or if the number of dimensions differs.
  template <int Dimensions>
  void update_range(sycl::range<Dimensions> items) {
    const auto all = sycl::detail::launch_range_of(items);
    change_range(Dimensions, all.global);
  }
  template <int Dimensions>
  void update_nd_range(sycl::nd_range<Dimensions> items) {
    const auto all = sycl::detail::launch_range_of(items);
    change_nd_range(Dimensions, all.global, all.local, all.offset);
  }
  /// A PRISM extension: replaces the node's command group by `group(handler&)`, which may have other
  /// arguments or another kernel. It must be of the same kind (kernel, copy, ...). The node's edges do not
  /// change. Throws errc::invalid for another kind.
  template <typename Group>
  void update(Group group) {
    replace([](void* g, sycl::handler& h) { (*static_cast<Group*>(g))(h); }, &group);
  }

private:
  friend struct sycl::detail::access_impl;
  explicit node(sycl::detail::impl_ptr<sycl::detail::graph_node> impl) : shared_object(std::move(impl)) {}
  void change_range(int dimensions, const std::size_t* items);
  void change_nd_range(int dimensions, const std::size_t* global, const std::size_t* local,
                       const std::size_t* offset);
  void replace(void (*call)(void*, sycl::handler&), void* group);
};

class property::node::depends_on {
public:
  template <typename... Nodes>
  depends_on(const Nodes&... nodes) : m_nodes{nodes...} {}
  const std::vector<prism::node>& prism_nodes() const noexcept { return m_nodes; }

private:
  std::vector<prism::node> m_nodes;
};

template <>
class command_graph<graph_state::modifiable>
    : public sycl::detail::shared_object<sycl::detail::modifiable_graph> {
public:
  /// Throws errc::invalid if the device does not belong to the context.
  command_graph(const sycl::context& in, const sycl::device& on, const sycl::property_list& properties = {});
  explicit command_graph(const sycl::queue& like, const sycl::property_list& properties = {});
  explicit command_graph(const sycl::device& on, const sycl::property_list& properties = {});
  /// A PRISM extension: a graph with commands of all devices of these queues. A command belongs to the device
  /// of the queue that was recorded, or that property::node::on_queue names; otherwise to the first one's.
  /// Throws errc::invalid if there are no queues.
  explicit command_graph(const std::vector<sycl::queue>& like, const sycl::property_list& properties = {});

  /// Validates and prepares all nodes. Throws what submitting the commands would throw, and errc::invalid if
  /// the graph has a cycle, a buffer was destroyed, or USM was freed; also if the graph owns memory
  /// (async_malloc) and another executable graph that was made from it still exists.
  command_graph<graph_state::executable> finalize(const sycl::property_list& properties = {}) const;
  /// A PRISM extension: returns whether finalize() with these properties would have no driver build a kernel,
  /// because this process or an earlier one has built all of them, the fused ones too. Throws errc::invalid
  /// if a buffer was destroyed.
  bool is_built(const sycl::property_list& properties = {}) const;

  // Throw errc::invalid if a queue is recording already, or belongs to another context or device.
  void begin_recording(sycl::queue& on, const sycl::property_list& properties = {});
  void begin_recording(const std::vector<sycl::queue>& all, const sycl::property_list& properties = {});
  void end_recording();
  /// Throw errc::invalid if another graph is recording the queue.
  void end_recording(sycl::queue& on);
  void end_recording(const std::vector<sycl::queue>& all);

  // Throw errc::invalid while the graph is recording a queue.
  node add(const sycl::property_list& properties = {});
  template <typename Group, std::enable_if_t<std::is_invocable_v<Group&, sycl::handler&>, int> = 0>
  node add(Group group, const sycl::property_list& properties = {}) {
    return add_group([](void* g, sycl::handler& h) { (*static_cast<Group*>(g))(h); }, &group, properties);
  }
  node add(dynamic_command_group& group, const sycl::property_list& properties = {});
  /// Throws errc::invalid if a node belongs to another graph, if both nodes are the same, or if the edge
  /// would close a cycle.
  void make_edge(node& from, node& to);

  /// Writes the graph as a Graphviz file (a name that ends in .dot) or as a picture (.svg). Throws
  /// errc::invalid for another name, and if the file cannot be written.
  void print_graph(const std::string& path, bool verbose = false) const;
  std::vector<node> get_nodes() const; // in the order they were added
  std::vector<node> get_root_nodes() const;
  bool empty() const;
  std::size_t get_id() const noexcept;

private:
  friend struct sycl::detail::access_impl;
  friend command_graph<graph_state::modifiable> graph_of(const sycl::queue& recording);
  explicit command_graph(sycl::detail::impl_ptr<sycl::detail::modifiable_graph> impl)
      : shared_object(std::move(impl)) {}
  node add_group(void (*call)(void*, sycl::handler&), void* group, const sycl::property_list& properties);
};
command_graph(const sycl::context&, const sycl::device&, const sycl::property_list& = {})
    -> command_graph<graph_state::modifiable>;
command_graph(const sycl::queue&, const sycl::property_list& = {}) -> command_graph<graph_state::modifiable>;
command_graph(const sycl::device&, const sycl::property_list& = {}) -> command_graph<graph_state::modifiable>;
command_graph(const std::vector<sycl::queue>&, const sycl::property_list& = {})
    -> command_graph<graph_state::modifiable>;

template <>
class command_graph<graph_state::executable>
    : public sycl::detail::shared_object<sycl::detail::executable_graph> {
public:
  // Executions that were already submitted are not affected. Throw errc::invalid if the graph was finalized
  // without property::graph::updatable, or if a node is not in it.
  void update(const node& changed);
  void update(const std::vector<node>& changed);
  /// Updates all nodes from a graph of the same shape: its nodes have the same kinds, kernels and edges in
  /// the same order.
  void update(const command_graph<graph_state::modifiable>& source);

  /// Returns the bytes of the memory that the graph owns (async_malloc).
  std::size_t get_required_mem_size() const noexcept;

  /// A PRISM extension: returns the event of a node in the last execution that was submitted; its profiling
  /// information has the times of the node's commands. Throws errc::invalid if the graph was finalized
  /// without property::graph::enable_profiling, if the node is not in it, and if the graph was not yet
  /// executed on a queue with property::queue::enable_profiling.
  sycl::event event_of(const node& which) const;

  /// A PRISM extension: returns a summary of one execution, such as "100 commands, 1 submission, 3 barriers".
  /// After an update it also has the number of commands that were prepared again.
  std::string describe() const;
  /// A PRISM extension: returns one line for each fused launch, for each pair of adjacent kernels that was
  /// not fused, with the reason, and for promoted memory. Empty without property::graph::perform_fusion.
  std::string explain() const;
  /// A PRISM extension: writes one execution as a Graphviz file or as a picture: the commands of all nodes,
  /// including those of sub-graphs; fused kernels have a frame, in the picture a colour of their own. Throws
  /// as the function above.
  void print_graph(const std::string& path, bool verbose = false) const;

private:
  friend struct sycl::detail::access_impl;
  explicit command_graph(sycl::detail::impl_ptr<sycl::detail::executable_graph> impl)
      : shared_object(std::move(impl)) {}
};

/// A list of command groups, of which a node executes the active one. All are kernels or all are host tasks,
/// with the same dependencies.
class dynamic_command_group : public sycl::detail::shared_object<sycl::detail::alternative_groups> {
public:
  /// Throws errc::invalid if there are no groups or if they are of different kinds.
  dynamic_command_group(const command_graph<graph_state::modifiable>& in,
                        const std::vector<std::function<void(sycl::handler&)>>& groups);
  std::size_t get_active_index() const;
  /// Throws errc::invalid if there is no group with this index.
  void set_active_index(std::size_t number);
};

/// An argument that has the value of a dynamic parameter; dynamic_parameter::in returns it. A kernel captures
/// it by value, and uses it as the value.
template <typename T>
class alignas(alignof(T) > 8 ? alignof(T) : 8) dynamic_argument {
public:
  operator const T&() const noexcept { return m_value; }
  const T& get() const noexcept { return m_value; }
  template <typename Index>
  decltype(auto) operator[](const Index& index) const {
    return m_value[index];
  }

private:
  template <typename>
  friend class dynamic_parameter;
  dynamic_argument(std::uint64_t mark, const T& value) : m_mark(mark), m_value(value) {}
  std::uint64_t m_mark; // the runtime finds the argument by it
  T m_value;
};

/// A value of a graph's commands: a placeholder accessor, a USM pointer or another trivially copyable value.
/// update() changes all nodes that use it; an executable graph uses the change after it is updated.
template <typename T>
class dynamic_parameter : public sycl::detail::shared_object<sycl::detail::dynamic_value> {
  static_assert(std::is_trivially_copyable_v<T>, "a dynamic parameter has a trivially copyable type");

public:
  explicit dynamic_parameter(const T& initial)
      : shared_object(sycl::detail::make_dynamic_value(bytes_of(initial))) {}
  /// As above; nodes of other graphs may use the parameter too.
  dynamic_parameter(const command_graph<graph_state::modifiable>&, const T& initial)
      : dynamic_parameter(initial) {}

  /// Throws errc::invalid if an accessor is not a placeholder or its buffer was destroyed, and what
  /// node::update_range throws; then nothing is changed.
  void update(const T& value) { sycl::detail::change_dynamic_value(*this->m_impl, bytes_of(value)); }

  /// A PRISM extension: returns the value for the kernel of this command group, which must capture it:
  /// `h.parallel_for(n, [=, x = pointer.in(h)](sycl::id<1> i) { x[i] = 0; })`. Accessors need no
  /// handler::require. Throws errc::invalid if the group is not for a graph; adding it to the graph throws
  /// errc::invalid if its kernel does not capture the argument.
  dynamic_argument<T> in(sycl::handler& group) const {
    alignas(T) unsigned char bytes[sizeof(T)];
    const std::uint64_t mark = sycl::detail::capture_dynamic_value(group, this->m_impl, bytes);
    return dynamic_argument<T>(mark, *std::launder(reinterpret_cast<const T*>(bytes)));
  }
  /// A PRISM extension: returns the value for use as the range of the group's kernel. Throws as in().
  template <typename U = T, std::enable_if_t<sycl::detail::is_launch_range<U>, int> = 0>
  T as_range(sycl::handler& group) const {
    alignas(T) unsigned char bytes[sizeof(T)];
    sycl::detail::set_dynamic_range(group, this->m_impl, bytes);
    return *std::launder(reinterpret_cast<const T*>(bytes));
  }

  // What handler::set_arg and handler::require do.
  void prism_set_argument(sycl::handler& group, int index) const {
    sycl::detail::set_dynamic_argument(group, index, this->m_impl);
  }
  void prism_require(sycl::handler& group) const {
    static_assert(sycl::detail::is_accessor<T>, "handler::require is for accessors");
    sycl::detail::require_dynamic_value(group, this->m_impl);
  }

private:
  static sycl::detail::dynamic_bytes bytes_of(const T& value) {
    using sycl::detail::dynamic_bytes;
    dynamic_bytes out{dynamic_bytes::kind::value, &value, sizeof value, alignof(T)};
    if constexpr (sycl::detail::is_accessor<T>) out.what = dynamic_bytes::kind::accessor;
    else if constexpr (std::is_pointer_v<T>) out.what = dynamic_bytes::kind::pointer;
    else if constexpr (sycl::detail::is_launch_range<T>) out.items = sycl::detail::launch_range_of(value);
    return out;
  }
};

// ---- memory owned by a graph, as in sycl_ext_oneapi_async_memory_alloc

// In a command group for a graph, or on a queue that records: a node that allocates or frees memory which
// belongs to the graph. The memory lives as long as the graph and its executable graph; a later node that
// depends on the node that freed it may get the same memory. Only the graph's nodes may use it. Throw
// errc::invalid for another kind than usm::alloc::device, and for a pointer that is not in use by the graph.
//
// Elsewhere: async_malloc allocates at once, and async_free frees when the group's dependencies are complete
// (on a queue: all its commands submitted so far).
void* async_malloc(sycl::handler& group, sycl::usm::alloc kind, std::size_t bytes);
void* async_malloc(const sycl::queue& on, sycl::usm::alloc kind, std::size_t bytes);
void async_free(sycl::handler& group, void* memory);
void async_free(const sycl::queue& on, void* memory);

// ---- execution and recording; in the extension these are members of sycl::queue and sycl::handler

/// Submits the graph. Executions of one graph never overlap. Throws errc::invalid if the queue belongs to
/// none of the graph's contexts and devices, if a buffer of the graph was destroyed, or if USM was freed.
sycl::event execute_graph(sycl::queue& on, command_graph<graph_state::executable>& what,
                          const std::vector<sycl::event>& after = {});
/// Makes the graph the command of a command group. If the group is added to a graph, it becomes a node.
void execute_graph(sycl::handler& group, command_graph<graph_state::executable>& what);
queue_state state_of(const sycl::queue& which) noexcept;
/// Returns the graph that is recording the queue. Throws errc::invalid if there is none.
command_graph<graph_state::modifiable> graph_of(const sycl::queue& recording);

} // namespace prism

namespace sycl {
inline namespace _V1 {
template <>
struct is_property<prism::property::graph::no_cycle_check> : std::true_type {};
template <>
struct is_property<prism::property::graph::assume_buffer_outlives_graph> : std::true_type {};
template <>
struct is_property<prism::property::graph::updatable> : std::true_type {};
template <>
struct is_property<prism::property::graph::enable_profiling> : std::true_type {};
template <>
struct is_property<prism::property::graph::perform_fusion> : std::true_type {};
template <>
struct is_property<prism::property::promote_private> : std::true_type {};
template <typename T, int D, typename A>
struct is_property_of<prism::property::promote_private, buffer<T, D, A>> : std::true_type {};
template <>
struct is_property<prism::property::node::depends_on> : std::true_type {};
template <>
struct is_property<prism::property::node::depends_on_all_leaves> : std::true_type {};
template <>
struct is_property<prism::property::node::on_queue> : std::true_type {};
}
} // namespace sycl::_V1

template <>
struct std::hash<prism::node> : sycl::detail::hash_by_impl {};
template <prism::graph_state State>
struct std::hash<prism::command_graph<State>> : sycl::detail::hash_by_impl {};
template <typename T>
struct std::hash<prism::dynamic_parameter<T>> : sycl::detail::hash_by_impl {};

#include <sycl/detail/user_macros_restore.hpp>
