// Command graphs: command groups are recorded once, or added one by one, and executed many times, each time
// at the cost of one submission. The interface follows sycl_ext_oneapi_graph, in PRISM's own namespace, and
// has the meaning of that document, with two differences: a buffer need not outlive its graph (executing a
// graph whose buffer was destroyed throws errc::invalid), and node::update can replace the whole command
// group of a node. Not supported: dynamic parameters, and allocations owned by a graph.
//
// If the device supports command buffers, it stores the graph (Vulkan: one command buffer that is submitted
// again); otherwise the runtime passes the prepared commands to the driver in one submission. Host tasks and
// copies from or to host memory divide a graph into several submissions. The results are the same as for the
// same command groups submitted to a queue. Thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

#include <functional>
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
  update_host
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
class enable_profiling {};             // accepted; profiling needs no property
/// A property of finalize(): adjacent kernels are fused into one launch if that does not change the results.
/// As in sycl_ext_oneapi_graph_fusion it is a hint: command_graph::explain lists the fused kernels, and the
/// reasons why others were not fused.
class perform_fusion {};
} // namespace graph
namespace node {
class depends_on;
class depends_on_all_leaves {};
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
    std::size_t extent[3] = {1, 1, 1};
    for (int d = 0; d < Dimensions; ++d) extent[d] = items[d];
    change_range(Dimensions, extent);
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                               \
    "-Wdeprecated-declarations" // get_offset() is deprecated, but must still be honoured
  template <int Dimensions>
  void update_nd_range(sycl::nd_range<Dimensions> items) {
    std::size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1}, offset[3] = {0, 0, 0};
    for (int d = 0; d < Dimensions; ++d) {
      global[d] = items.get_global_range()[d];
      local[d] = items.get_local_range()[d];
      offset[d] = items.get_offset()[d];
    }
    change_nd_range(Dimensions, global, local, offset);
  }
#pragma GCC diagnostic pop
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

  /// Validates and prepares all nodes. Throws what submitting the commands would throw, and errc::invalid if
  /// the graph has a cycle, a buffer was destroyed, or USM was freed.
  command_graph<graph_state::executable> finalize(const sycl::property_list& properties = {}) const;

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

// ---- execution and recording; in the extension these are members of sycl::queue and sycl::handler

/// Submits the graph. Executions of one graph never overlap. Throws errc::invalid if the queue belongs to
/// another context or device than the graph, if a buffer of the graph was destroyed, or if USM was freed.
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
}
} // namespace sycl::_V1

template <>
struct std::hash<prism::node> : sycl::detail::hash_by_impl {};
template <prism::graph_state State>
struct std::hash<prism::command_graph<State>> : sycl::detail::hash_by_impl {};

#include <sycl/detail/user_macros_restore.hpp>
