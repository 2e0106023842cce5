// The implementation of <prism/graph.hpp>: nodes with the runtime's command groups, modifiable graphs, and
// executable graphs. Lock order: executable graph, modifiable graph, queue.
#pragma once

#include "runtime/api/dynamic_value.hpp"
#include "runtime/api/impl.hpp"
#include "runtime/api/reference.hpp"

#include <prism/graph.hpp>

#include <atomic>

namespace sycl {
inline namespace _V1 {
namespace detail {

class buffer_impl;

/// A buffer whose contents PRISM_VERIFY compares. It is the program's and not owned.
struct compared_buffer {
  verified_use use; // without its buffer
  std::weak_ptr<buffer_impl> buffer;
};

/// A command of the runtime in a node.
struct graph_part {
  std::shared_ptr<const prism::command_group> group;
  // makes a group from `group` for each execution; empty: `group` is used unchanged
  std::function<prism::command_group(const prism::command_group&)> make;
  std::optional<std::vector<compared_buffer>> compared; // of a command that PRISM_VERIFY compares
  int dimensions = -1; // of a kernel whose range may be updated; 0: a single task
};

/// Device memory that belongs to a graph.
struct graph_memory {
  std::shared_ptr<void> memory;
  std::size_t bytes = 0;
};

/// The commands that a command group function recorded.
struct graph_contents {
  prism::node_type type = prism::node_type::empty;
  std::string name;                                // the kernel's name
  std::vector<graph_part> parts;                   // executed in this order
  std::vector<std::weak_ptr<buffer_impl>> buffers; // of the program; not owned
  std::vector<std::shared_ptr<graph_node>> named;  // nodes given to depends_on
  std::vector<std::shared_ptr<void>> keep_alive;   // objects that the parts use
  std::shared_ptr<executable_graph> child;
  std::vector<dynamic_use> dynamic;
  std::shared_ptr<device_impl> device;           // executes the parts
  std::shared_ptr<const graph_memory> allocates; // of a node that allocates
  void* frees = nullptr;                         // of a node that frees
};

/// "node 2 (kernel scale, app.cpp:12)", for messages.
/// Without a number: "the kernel scale, app.cpp:12".
std::string text_of(std::optional<std::size_t> number, const graph_contents& contents);

/// Sets the range of the node's kernel. `asked`: the program's call, for messages. Throws invalid if the node
/// is not a kernel over a range that can be changed.
void set_range(graph_contents& in, const char* asked, const launch_range& items);

/// A node of a graph. Its contents may be replaced, except for `named` and the kind.
class graph_node {
public:
  graph_node(std::weak_ptr<modifiable_graph> in, std::size_t number, graph_contents contents)
      : graph(std::move(in)), number(number), type(contents.type),
        contents(std::make_shared<const graph_contents>(std::move(contents))) {}
  const std::weak_ptr<modifiable_graph> graph;
  const std::size_t number;
  const prism::node_type type;
  // Guarded by the graph's mutex.
  std::shared_ptr<const graph_contents> contents;
  std::vector<std::size_t> after;
  std::shared_ptr<alternative_groups> alternatives;
};

/// Returns a function that submits a group with verification.
std::function<prism::command_ptr(prism::queue_node&, prism::command_group&&)>
comparing_submit(const std::vector<compared_buffer>& buffers);

/// Several contents for a node, of which one is active.
class alternative_groups {
public:
  alternative_groups(const std::shared_ptr<modifiable_graph>& in,
                     std::vector<std::shared_ptr<const graph_contents>> all)
      : graph(in), contents(std::move(all)) {}
  const std::weak_ptr<modifiable_graph> graph;
  // Guarded by the graph's mutex.
  std::vector<std::shared_ptr<const graph_contents>> contents;
  std::size_t active = 0;
};

using node_list = std::vector<std::shared_ptr<graph_node>>;

/// The nodes as the public class.
std::vector<prism::node> public_nodes(const node_list& from);

/// The name of a kind of node, for messages and pictures.
const char* name_of(prism::node_type type);

/// Properties of finalize().
struct graph_settings {
  bool updatable = false, joins = false, measures = false;
};

class modifiable_graph : public std::enable_shared_from_this<modifiable_graph> {
public:
  /// A context and device for each device of the graph; at least one.
  using place_list = std::vector<std::pair<std::shared_ptr<context_impl>, std::shared_ptr<device_impl>>>;
  modifiable_graph(const place_list& places, const property_list& properties);
  ~modifiable_graph(); // ends all recording

  /// With the devices that execute the commands: in a native context others than the program named.
  place_list places() const;
  std::size_t id() const noexcept { return m_id; }

  void begin(const std::shared_ptr<queue_impl>& queue);
  void end(const std::shared_ptr<queue_impl>& queue);
  void end_all();
  bool is_recording() const;

  std::shared_ptr<graph_node> add(graph_contents contents,
                                  const std::vector<std::shared_ptr<graph_node>>& after, bool after_leaves);
  std::shared_ptr<graph_node> add(std::shared_ptr<alternative_groups> group,
                                  const std::vector<std::shared_ptr<graph_node>>& after, bool after_leaves);
  std::shared_ptr<graph_node> record(graph_contents contents, queue_impl& queue);
  void make_edge(const std::shared_ptr<graph_node>& from, const std::shared_ptr<graph_node>& to);
  std::shared_ptr<executable_graph> finalize(const graph_settings& how);
  /// Runs `call(handler)` and returns the contents that it recorded. `on`: a queue of the device that
  /// executes them; null: the first device. `after`: nodes that the new node will depend on.
  graph_contents contents_of(void (*call)(void*, handler&), void* group, const queue_impl* on = nullptr,
                             const node_list& after = {});
  /// Nodes that no other one depends on.
  node_list leaves() const;
  /// Replaces the contents of a node, and those of its active alternative.
  void replace(graph_node& node, graph_contents fresh);

  /// Calls `change` with the contents of all nodes and of their alternatives that use the value, and stores
  /// the results. If one call throws, nothing is stored.
  void replace_uses(const dynamic_value& of,
                    const std::function<void(graph_contents&, const dynamic_use&)>& change);

  /// Returns memory of the graph's own: memory that was freed by a node on which one of `after` depends, or
  /// new memory.
  std::shared_ptr<const graph_memory> allocate(const std::shared_ptr<queue_impl>& on, std::size_t bytes,
                                               const node_list& after);
  /// Throws invalid if the graph has no such memory in use.
  void refuse_other_memory(const void* memory) const;
  /// Nodes that a command recorded from the queue now would depend on through the queue.
  node_list recorded_before(const queue_impl& queue) const;

  std::vector<std::shared_ptr<graph_node>> nodes() const;
  std::vector<std::shared_ptr<graph_node>> named(const std::vector<std::size_t>& numbers) const;
  std::vector<std::shared_ptr<graph_node>> followers(const graph_node& node) const;
  std::mutex& mutex() const noexcept { return m_mutex; }
  void refuse_while_recording(const char* asked) const;

private:
  struct recorder {
    std::weak_ptr<queue_impl> queue;
    const queue_impl* key;
    std::shared_ptr<graph_node> last, barrier;
    std::vector<std::size_t> since; // the last barrier
  };
  struct byte_use {
    const void* root;
    std::uint64_t begin, end;
    bool writes;
    std::size_t node;
  };
  struct owned_memory {
    std::shared_ptr<const graph_memory> block;
    std::shared_ptr<device_impl> device;
    std::shared_ptr<graph_node> freed_by; // null: in use
  };
  const std::shared_ptr<queue_impl>& queue_like(const queue_impl& other, const char* asked) const;
  // The caller holds m_mutex:
  recorder* find(const queue_impl& queue);
  void mark_freed(const std::shared_ptr<graph_node>& node);
  void refresh(graph_contents& contents);
  std::shared_ptr<graph_node> append(graph_contents contents);
  void add_edge(std::size_t from, graph_node& to);
  void add_data_edges(graph_node& to);
  void add_named_edges(const std::vector<std::shared_ptr<graph_node>>& from, graph_node& to);
  std::vector<std::size_t> data_edges(const graph_contents& contents) const;
  void check_own(const std::shared_ptr<graph_node>& node, const char* asked) const;
  bool reaches(std::size_t from, std::size_t to) const;
  void leave(recorder& r);

  bool m_checks_cycles;
  std::size_t m_id;
  // one for each device: the queues of groups that are added; no command is submitted to them
  std::vector<std::shared_ptr<queue_impl>> m_queues;
  mutable std::mutex m_mutex;
  std::vector<std::shared_ptr<graph_node>> m_nodes;
  std::vector<recorder> m_recorders;
  std::vector<byte_use> m_uses; // bytes on which later nodes may depend
  std::vector<owned_memory> m_memory;
  std::weak_ptr<executable_graph> m_made; // if the graph owns memory: the latest executable graph
};

class executable_graph {
public:
  executable_graph(const modifiable_graph& from, const graph_settings& how);
  /// Whether making it would have no driver build a kernel.
  static bool is_built(const modifiable_graph& from, const graph_settings& how);

  /// Throws invalid if the queue belongs to none of the graph's contexts and devices.
  void check_queue(const queue_impl& queue) const;
  prism::graph_run run(queue_impl& queue, const std::vector<prism::command_ptr>& after);
  event event_of(const graph_node& node) const;
  std::size_t owned_bytes() const;
  void update(const std::vector<std::shared_ptr<graph_node>>& changed);
  void update(const modifiable_graph& source);
  std::string describe() const;
  std::string explain() const;
  /// Returns, for each fused launch, the indices of its kernels in flattened().
  std::vector<std::vector<std::size_t>> launched_together() const;
  /// Returns the runtime's commands. A graph that has this one as a node uses them too.
  std::vector<prism::graph_command> flattened() const;
  void check_buffers() const;

private:
  struct entry {
    std::shared_ptr<graph_node> node;
    std::shared_ptr<const graph_contents> contents;
    std::vector<std::size_t> after;
  };
  static std::vector<entry> entries_of(const modifiable_graph& from);
  void check_updatable() const;
  void rebuild(std::vector<entry> nodes);
  /// `starts`: where to store the index of each node's first command, or null.
  static std::vector<prism::graph_command> flatten(const std::vector<entry>& nodes,
                                                   std::vector<std::size_t>* starts = nullptr);
  static void check_buffers(const std::vector<entry>& nodes);

  const modifiable_graph::place_list m_places;
  const graph_settings m_settings;
  mutable std::mutex m_mutex;
  std::vector<entry> m_nodes;
  std::vector<std::size_t> m_first; // the index of each node's first command, then the number of commands
  prism::exec_graph_ptr m_executable;
  struct measured_run {
    std::shared_ptr<const event_origin> queue; // null: there was none
    prism::graph_run run;
    std::vector<std::size_t> first; // m_first at that time
  };
  measured_run m_measured; // the last one
};

}
}
} // namespace sycl::_V1::detail
