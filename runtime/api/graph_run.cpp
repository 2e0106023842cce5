// Executable graphs: the runtime's commands of all nodes, and their updates.
#include "runtime/api/buffer_impl.hpp"
#include "runtime/api/graph_impl.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

prism::graph_command nothing_after(std::vector<std::size_t> after) {
  static const auto nothing = std::make_shared<const prism::command_group>();
  prism::graph_command out;
  out.group = nothing;
  out.after = std::move(after);
  return out;
}

bool same_kernel(const graph_contents& a, const graph_contents& b) {
  if (a.parts.size() != b.parts.size()) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const auto* one = std::get_if<prism::kernel_command>(&a.parts[i].group->what);
    const auto* other = std::get_if<prism::kernel_command>(&b.parts[i].group->what);
    if ((one == nullptr) != (other == nullptr) || (one != nullptr && one->slot != other->slot)) return false;
  }
  return true;
}

} // namespace

executable_graph::executable_graph(const modifiable_graph& from, const graph_settings& how)
    : m_places(from.places()), m_settings(how) {
  rebuild(entries_of(from));
}

bool executable_graph::is_built(const modifiable_graph& from, const graph_settings& how) {
  const std::vector<entry> nodes = entries_of(from);
  check_buffers(nodes);
  const auto [context, device] = from.places().front();
  return guarded([&] { return prism::is_built(device->node(), flatten(nodes), how.joins && !how.measures); },
                 context);
}

std::vector<executable_graph::entry> executable_graph::entries_of(const modifiable_graph& from) {
  const auto nodes = from.nodes();
  const std::lock_guard lock(from.mutex());
  std::vector<entry> out;
  for (const auto& node : nodes) out.push_back({node, node->contents, node->after});
  return out;
}

void executable_graph::check_buffers(const std::vector<entry>& nodes) {
  for (const entry& e : nodes) {
    if (e.contents->child) e.contents->child->check_buffers();
    for (const auto& buffer : e.contents->buffers)
      if (buffer.expired()) {
        throw_error(errc::invalid,
                    "command_graph: " + text_of(e.node->number, *e.contents) +
                        " uses a buffer that was destroyed; buffers must live as long as the graph runs");
      }
  }
}

void executable_graph::check_buffers() const {
  const std::lock_guard lock(m_mutex);
  check_buffers(m_nodes);
}

std::vector<prism::graph_command> executable_graph::flattened() const {
  const std::lock_guard lock(m_mutex);
  return flatten(m_nodes);
}

/// Converts the nodes to commands. A node becomes a sequence of commands; a sub-graph becomes its commands
/// between two empty ones.
std::vector<prism::graph_command> executable_graph::flatten(const std::vector<entry>& nodes,
                                                            std::vector<std::size_t>* starts) {
  std::vector<std::vector<prism::graph_command>> children(nodes.size());
  std::vector<std::size_t> first(nodes.size()), last(nodes.size());
  std::size_t count = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const graph_contents& contents = *nodes[n].contents;
    if (contents.child) children[n] = contents.child->flattened();
    const std::size_t own =
        contents.child ? children[n].size() + 2 : std::max<std::size_t>(contents.parts.size(), 1);
    first[n] = count;
    count += own;
    last[n] = count - 1;
  }
  if (starts != nullptr) {
    *starts = first;
    starts->push_back(count);
  }
  std::vector<prism::graph_command> out;
  out.reserve(count);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const graph_contents& contents = *nodes[n].contents;
    std::vector<std::size_t> before;
    for (const std::size_t each : nodes[n].after) before.push_back(last[each]);
    if (contents.child || contents.parts.empty()) out.push_back(nothing_after(std::move(before)));
    if (contents.child) {
      std::vector<std::size_t> ends{first[n]};
      for (prism::graph_command& c : children[n]) {
        for (std::size_t& each : c.after) each += first[n] + 1;
        c.after.push_back(first[n]);
        c.name = "node " + std::to_string(nodes[n].node->number) + ", " + c.name;
        ends.push_back(out.size());
        out.push_back(std::move(c));
      }
      out.push_back(nothing_after(std::move(ends)));
    } else {
      for (std::size_t p = 0; p < contents.parts.size(); ++p) {
        prism::graph_command c;
        c.group = contents.parts[p].group;
        if (contents.parts[p].make)
          c.make = [group = c.group, make = contents.parts[p].make] { return make(*group); };
        if (contents.parts[p].compared) c.submit = comparing_submit(*contents.parts[p].compared);
        c.device = &contents.device->node();
        c.name = "node " + std::to_string(nodes[n].node->number) +
                 (contents.name.empty() ? std::string() : " (kernel " + contents.name + ")");
        if (p == 0) c.after = std::exchange(before, {});
        else c.after.push_back(out.size() - 1);
        out.push_back(std::move(c));
      }
    }
  }
  return out;
}

void executable_graph::rebuild(std::vector<entry> nodes) {
  check_buffers(nodes);
  std::vector<std::size_t> first;
  prism::exec_graph_ptr made = guarded([&] {
    return prism::prepare_graph(m_places.front().second->node(), flatten(nodes, &first),
                                m_settings.joins && !m_settings.measures, m_executable);
  }, m_places.front().first);
  m_executable = std::move(made);
  m_nodes = std::move(nodes);
  m_first = std::move(first);
}

void executable_graph::check_queue(const queue_impl& queue) const {
  for (const auto& [context, device] : m_places)
    if (queue.context() == context && queue.device() == device) return;
  throw_error(errc::invalid, "execute_graph: the graph was made for " +
                                 detail::describe(*m_places.front().second) +
                                 ", the queue belongs to another device or context");
}

std::size_t executable_graph::owned_bytes() const {
  const std::lock_guard lock(m_mutex);
  std::set<const graph_memory*> all;
  for (const entry& e : m_nodes)
    if (e.contents->allocates) all.insert(e.contents->allocates.get());
  std::size_t sum = 0;
  for (const graph_memory* each : all) sum += each->bytes;
  return sum;
}

prism::graph_run executable_graph::run(queue_impl& queue, const std::vector<prism::command_ptr>& after) {
  prism::exec_graph_ptr now;
  std::vector<std::size_t> first;
  const bool measures = m_settings.measures && queue.profiling();
  {
    const std::lock_guard lock(m_mutex);
    check_buffers(m_nodes);
    now = m_executable;
    if (measures) first = m_first;
  }
  prism::graph_run run = prism::submit_exec_graph(queue.node(), now, after, measures);
  if (measures) {
    const std::lock_guard lock(m_mutex);
    m_measured = {queue.origin(), run, std::move(first)};
  }
  return run;
}

event executable_graph::event_of(const graph_node& node) const {
  const std::lock_guard lock(m_mutex);
  const auto refuse = [&](const std::string& why) {
    throw_error(errc::invalid, "command_graph::event_of: " + why);
  };
  if (!m_settings.measures) refuse("the graph was finalized without property::graph::enable_profiling");
  if (node.number >= m_nodes.size() || m_nodes[node.number].node.get() != &node)
    refuse("node " + std::to_string(node.number) + " is not in the graph");
  if (!m_measured.queue)
    refuse("the graph was not yet executed on a queue with property::queue::enable_profiling");
  const std::size_t begin = m_measured.first[node.number], end = m_measured.first[node.number + 1];
  prism::command_ptr first, last;
  for (const std::size_t command : m_measured.run.order) {
    if (command < begin || command >= end) continue;
    last = m_measured.run.each[command];
    if (!first) first = last;
  }
  if (!last) refuse(text_of(node.number, *m_nodes[node.number].contents) + " executes nothing");
  return access_impl::make<event>(std::make_shared<event_impl>(last, m_measured.queue, first));
}

void executable_graph::check_updatable() const {
  if (!m_settings.updatable) {
    throw_error(errc::invalid,
                "command_graph::update: the graph was finalized without property::graph::updatable");
  }
}

void executable_graph::update(const std::vector<std::shared_ptr<graph_node>>& changed) {
  check_updatable();
  const std::lock_guard lock(m_mutex);
  std::vector<entry> nodes = m_nodes;
  for (const auto& node : changed) {
    if (node->number >= nodes.size() || nodes[node->number].node != node) {
      throw_error(errc::invalid, "command_graph::update: node " + std::to_string(node->number) +
                                     " is not in the graph, or was added after it "
                                     "was finalized");
    }
    if (node->type != prism::node_type::kernel && node->type != prism::node_type::host_task) {
      throw_error(errc::invalid, "command_graph::update: " + text_of(node->number, *node->contents) +
                                     " is a " + name_of(node->type) +
                                     "; only kernels and host tasks can be updated");
    }
    const auto graph = node->graph.lock();
    if (graph) {
      const std::lock_guard graph_lock(graph->mutex());
      nodes[node->number].contents = node->contents;
    } else {
      nodes[node->number].contents = node->contents; // contents are immutable, so sharing them is safe
    }
  }
  rebuild(std::move(nodes));
}

void executable_graph::update(const modifiable_graph& source) {
  check_updatable();
  if (source.places() != m_places) {
    throw_error(errc::invalid, "command_graph::update: the source graph is for another device or context");
  }
  const auto theirs = source.nodes();
  const std::lock_guard lock(m_mutex);
  const std::lock_guard source_lock(source.mutex());
  std::vector<entry> nodes = m_nodes;
  if (theirs.size() != nodes.size()) {
    throw_error(errc::invalid, "command_graph::update: the source graph has " +
                                   std::to_string(theirs.size()) + " nodes, this one " +
                                   std::to_string(nodes.size()));
  }
  using prism::node_type;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const graph_node& from = *theirs[n];
    const auto refuse = [&](const char* why) {
      throw_error(errc::invalid, "command_graph::update: " + text_of(n, *from.contents) + " " + why);
    };
    if (from.contents->device != nodes[n].contents->device)
      refuse("is for another device in the source graph");
    if (from.type != nodes[n].node->type) refuse("is of another kind in the source graph");
    if (from.after != nodes[n].after) refuse("has other edges in the source graph");
    if (from.type == node_type::kernel && !same_kernel(*from.contents, *nodes[n].contents))
      refuse("has another kernel in the source graph");
    if (from.type != node_type::kernel && from.type != node_type::host_task &&
        from.type != node_type::empty && from.type != node_type::barrier)
      refuse("is neither a kernel nor a host task nor empty");
    nodes[n].contents = from.contents;
  }
  rebuild(std::move(nodes));
}

std::string executable_graph::describe() const {
  const std::lock_guard lock(m_mutex);
  const prism::graph_shape shape = m_executable->shape();
  const auto counted = [](std::size_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  std::string out = counted(shape.commands, "command") + ", " + counted(shape.submissions, "submission");
  const auto some = [&](std::size_t n, const char* how) {
    return n == 0 ? "" : " (" + (n == shape.submissions ? "" : std::to_string(n) + " ") + how + ")";
  };
  out += some(shape.recorded, "stored by the device") + some(shape.measured, "measured in its first runs");
  out += ", " + counted(shape.barriers, "barrier");
  if (shape.devices > 1) out += ", " + std::to_string(shape.devices) + " devices";
  if (shape.apart != 0)
    out +=
        ", " + counted(shape.apart, "command") +
        (shape.in_slices ? " one by one, because PRISM_SLICE splits launches"
                         : " one by one, because their buffers do not fit into the device's memory together");
  if (shape.launches != 0)
    out += ", " + counted(shape.fused, "kernel") + " fused into " + std::to_string(shape.launches) +
           (shape.launches == 1 ? " launch" : " launches");
  if (shape.removed_bytes != 0)
    out += " without " + std::to_string(shape.removed_bytes) + " bytes of memory between them";
  for (const std::string& way : shape.ways) out += ", " + way;
  if (shape.prepared) out += ", " + std::to_string(*shape.prepared) + " prepared by the last update";
  return out;
}

std::vector<std::vector<std::size_t>> executable_graph::launched_together() const {
  const std::lock_guard lock(m_mutex);
  return m_executable->shape().launched_together;
}

std::string executable_graph::explain() const {
  const std::lock_guard lock(m_mutex);
  std::string out;
  for (const std::string& line : m_executable->shape().notes) out += line + '\n';
  return out;
}

}
}
} // namespace sycl::_V1::detail
