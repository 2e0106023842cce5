// Command graphs: command groups recorded once, or added one by one, and run many times for the price of one
// submission. Shaped as sycl_ext_oneapi_graph, in PRISM's own namespace: what is here means what that
// document says, but that a buffer needs no promise to outlive its graph (running a graph whose buffer is
// gone throws errc::invalid), and that a node's command group may be replaced whole (node::update). Not here:
// dynamic parameters, allocations owned by a graph.
//
// Where the device can, a graph is kept by it (Vulkan: one command buffer that is submitted again); elsewhere
// its prepared commands go to the driver in one submission. Host tasks and copies from or to host memory
// divide a graph into several. Results are those of the same command groups submitted to a queue.
// Thread-safe.
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
/// Of a buffer or a USM allocation, as in sycl_ext_oneapi_graph_fusion: a graph that was finalized with
/// perform_fusion need not leave its kernels' results in this memory, and its contents may be anything when
/// the graph has run.
class promote_private {};
namespace graph {
class no_cycle_check {};               // cycles are found by finalize then
class assume_buffer_outlives_graph {}; // accepted; see above
class updatable {};                    // of finalize
class enable_profiling {};             // accepted: times cost nothing here
/// Of finalize: adjacent kernels run as one launch where that changes no result. As in
/// sycl_ext_oneapi_graph_fusion it is no promise: command_graph::explain says what was joined, and why the
/// rest was not.
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
  /// Throws errc::invalid for the event of anything but a recorded submission.
  static node get_node_from_event(const sycl::event& recorded);

  // Changes count for executable graphs once these are updated with the node. Throw errc::invalid for a node
  // that is no kernel, for a kernel with reductions, and for another number of dimensions.
  template <int Dimensions>
  void update_range(sycl::range<Dimensions> items) {
    std::size_t extent[3] = {1, 1, 1};
    for (int d = 0; d < Dimensions; ++d) extent[d] = items[d];
    change_range(Dimensions, extent);
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // an offset is taken as it was given
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
  /// PRISM's own: `group(handler&)` in place of what the node does, with other arguments or another kernel.
  /// It must do the same kind of thing; the node's edges stay as they are. Throws errc::invalid otherwise.
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
  /// Throws errc::invalid when the device is not of the context.
  command_graph(const sycl::context& in, const sycl::device& on, const sycl::property_list& properties = {});
  explicit command_graph(const sycl::queue& like, const sycl::property_list& properties = {});
  explicit command_graph(const sycl::device& on, const sycl::property_list& properties = {});

  /// Checks and prepares everything. Throws what submitting the commands would, and errc::invalid for
  /// commands that wait for each other in a circle, buffers that are gone and USM that was freed.
  command_graph<graph_state::executable> finalize(const sycl::property_list& properties = {}) const;

  // Throw errc::invalid for a queue that is recording already, or of another context or device.
  void begin_recording(sycl::queue& on, const sycl::property_list& properties = {});
  void begin_recording(const std::vector<sycl::queue>& all, const sycl::property_list& properties = {});
  void end_recording();
  /// Throw errc::invalid for a queue that another graph records.
  void end_recording(sycl::queue& on);
  void end_recording(const std::vector<sycl::queue>& all);

  // Throw errc::invalid while the graph records a queue.
  node add(const sycl::property_list& properties = {});
  template <typename Group, std::enable_if_t<std::is_invocable_v<Group&, sycl::handler&>, int> = 0>
  node add(Group group, const sycl::property_list& properties = {}) {
    return add_group([](void* g, sycl::handler& h) { (*static_cast<Group*>(g))(h); }, &group, properties);
  }
  node add(dynamic_command_group& group, const sycl::property_list& properties = {});
  /// Throws errc::invalid for nodes of another graph, for one node, and for an edge that closes a circle.
  void make_edge(node& from, node& to);

  /// A picture of the graph for Graphviz. Throws errc::invalid when the name does not end in .dot or cannot
  /// be written.
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
  // Runs submitted before are not affected. Throw errc::invalid for a graph that was finalized without
  // property::graph::updatable, and for a node that is not in it.
  void update(const node& changed);
  void update(const std::vector<node>& changed);
  /// All nodes from a graph of the same shape: nodes of the same kinds with the same kernels and edges in the
  /// same order.
  void update(const command_graph<graph_state::modifiable>& source);

  /// PRISM's own: what a run is made of, "100 commands, 1 submission (kept by the device), 3 barriers"; after
  /// an update also how many commands it had to prepare.
  std::string describe() const;
  /// PRISM's own: a line for each launch of several kernels, for each pair of adjacent kernels that stay
  /// apart with the reason, and for promoted memory. Empty without property::graph::perform_fusion.
  std::string explain() const;
  /// PRISM's own: a picture of what a run does, for Graphviz: the commands of all nodes, those of sub-graphs
  /// too, with a frame around kernels that run as one launch. Throws errc::invalid when the name does not end
  /// in .dot or cannot be written.
  void print_graph(const std::string& path, bool verbose = false) const;

private:
  friend struct sycl::detail::access_impl;
  explicit command_graph(sycl::detail::impl_ptr<sycl::detail::executable_graph> impl)
      : shared_object(std::move(impl)) {}
};

/// Command groups of which a node runs one. All are kernels or all are host tasks, with the same
/// dependencies.
class dynamic_command_group : public sycl::detail::shared_object<sycl::detail::alternative_groups> {
public:
  /// Throws errc::invalid for no groups and for groups of different kinds.
  dynamic_command_group(const command_graph<graph_state::modifiable>& in,
                        const std::vector<std::function<void(sycl::handler&)>>& groups);
  std::size_t get_active_index() const;
  /// Throws errc::invalid for a number that no group has.
  void set_active_index(std::size_t number);
};

// ---- running and recording; the members of sycl::queue and sycl::handler in the extension

/// Runs of one graph never overlap. Throws errc::invalid for a queue of another context or device than the
/// graph's, when a buffer of the graph is gone and when USM was freed.
sycl::event execute_graph(sycl::queue& on, command_graph<graph_state::executable>& what,
                          const std::vector<sycl::event>& after = {});
/// As the command of a group: in a graph that is being made it becomes a node.
void execute_graph(sycl::handler& group, command_graph<graph_state::executable>& what);
queue_state state_of(const sycl::queue& which) noexcept;
/// Throws errc::invalid for a queue that records nothing.
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
