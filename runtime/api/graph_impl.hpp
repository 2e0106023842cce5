// The implementation of <prism/graph.hpp>: nodes with the runtime's command groups, modifiable graphs, and
// executable graphs. Lock order: executable graph, modifiable graph, queue.
#pragma once

#include "runtime/api/impl.hpp"

#include <prism/graph.hpp>

#include <atomic>

namespace sycl {
inline namespace _V1 {
namespace detail {

class buffer_impl;

/// A command of the runtime in a node.
struct graph_part {
  std::shared_ptr<const prism::command_group> group;
  std::function<prism::command_group()>
      make; // makes the group anew for each execution; empty: `group` is used unchanged
  std::function<prism::command_ptr(prism::queue_node&, prism::command_group&&)>
      submit;          // see prism::graph_command
  int dimensions = -1; // of a kernel whose range may be updated; 0: a single task
};

/// The commands that a command group function recorded.
struct graph_contents {
  prism::node_type type = prism::node_type::empty;
  std::string name;                                // the kernel's name
  std::vector<graph_part> parts;                   // executed in this order
  std::vector<std::weak_ptr<buffer_impl>> buffers; // of the program; not owned
  std::vector<std::shared_ptr<graph_node>> named;  // nodes given to depends_on
  std::vector<std::shared_ptr<void>> kept;         // keeps objects alive that the parts use
  std::shared_ptr<executable_graph> child;
};

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

class modifiable_graph : public std::enable_shared_from_this<modifiable_graph> {
public:
  modifiable_graph(std::shared_ptr<context_impl> in, std::shared_ptr<device_impl> on,
                   const property_list& properties);
  ~modifiable_graph(); // ends all recording

  const std::shared_ptr<context_impl>& context() const noexcept { return m_context; }
  const std::shared_ptr<device_impl>& device() const noexcept { return m_device; }
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
  /// Runs `call(handler)` and returns the contents that it recorded.
  graph_contents contents_of(void (*call)(void*, handler&), void* group);

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
  // The caller holds m_mutex:
  recorder* find(const queue_impl& queue);
  std::shared_ptr<graph_node> append(graph_contents contents);
  void add_edge(std::size_t from, graph_node& to);
  void add_data_edges(graph_node& to);
  void add_named_edges(const std::vector<std::shared_ptr<graph_node>>& from, graph_node& to);
  std::vector<std::size_t> data_edges(const graph_contents& contents) const;
  void check_own(const std::shared_ptr<graph_node>& node, const char* asked) const;
  bool reaches(std::size_t from, std::size_t to) const;
  void leave(recorder& r);

  std::shared_ptr<context_impl> m_context;
  std::shared_ptr<device_impl> m_device;
  bool m_checks_cycles;
  std::size_t m_id;
  std::shared_ptr<queue_impl> m_queue; // the queue of groups that are added; no command is submitted to it
  mutable std::mutex m_mutex;
  std::vector<std::shared_ptr<graph_node>> m_nodes;
  std::vector<recorder> m_recorders;
  std::vector<byte_use> m_uses; // bytes on which later nodes may depend
};

class executable_graph {
public:
  executable_graph(const modifiable_graph& from, bool updatable, bool joins);

  const std::shared_ptr<context_impl>& context() const noexcept { return m_context; }
  const std::shared_ptr<device_impl>& device() const noexcept { return m_device; }
  prism::graph_run run(queue_impl& queue, const std::vector<prism::command_ptr>& after);
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
  void check_updatable() const;
  void rebuild(std::vector<entry> nodes);
  static std::vector<prism::graph_command> flatten(const std::vector<entry>& nodes);
  static void check_buffers(const std::vector<entry>& nodes);

  std::shared_ptr<context_impl> m_context;
  std::shared_ptr<device_impl> m_device;
  const bool m_updatable, m_joins;
  mutable std::mutex m_mutex;
  std::vector<entry> m_nodes;
  prism::exec_graph_ptr m_executable;
};

}
}
} // namespace sycl::_V1::detail
