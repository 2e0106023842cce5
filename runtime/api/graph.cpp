// Modifiable graphs: their nodes, the edges that follow from depends_on, from data and from in-order queues,
// and the recording of queues.
#include "runtime/api/graph_impl.hpp"

#include "runtime/api/command_group.hpp"

#include <algorithm>
#include <map>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

std::size_t next_id() {
  static std::atomic<std::size_t> last{0};
  return ++last;
}

struct engine_use {
  prism::buffer_span span;
  bool writes;
};

/// Returns the bytes of buffers that the commands use.
std::vector<engine_use> uses_of(const graph_contents& contents) {
  std::vector<engine_use> out;
  const auto add = [&](const prism::buffer_ptr& buffer, bool writes) {
    if (buffer) out.push_back({prism::span_of(*buffer), writes});
  };
  for (const graph_part& part : contents.parts) {
    for (const prism::requirement& r : part.group->requirements)
      add(r.buffer, r.mode != prism::access_mode::read);
    if (const auto* copy = std::get_if<prism::copy_request>(&part.group->what)) {
      add(copy->from.buffer, false);
      add(copy->to.buffer, true);
    }
    if (const auto* fill = std::get_if<prism::fill_request>(&part.group->what)) add(fill->to.buffer, true);
    if (const auto* update = std::get_if<prism::update_host_request>(&part.group->what))
      add(update->buffer, false);
  }
  return out;
}

} // namespace

modifiable_graph::modifiable_graph(const place_list& places, const property_list& properties)
    : m_checks_cycles(!properties.has_property<prism::property::graph::no_cycle_check>()), m_id(next_id()) {
  if (places.empty()) throw_error(errc::invalid, "command_graph: the list of queues is empty");
  for (const auto& [context, device] : places)
    m_queues.push_back(queue_impl::make(context, device, async_handler(), property_list()));
}

modifiable_graph::~modifiable_graph() {
  for (recorder& r : m_recorders) leave(r);
}

modifiable_graph::place_list modifiable_graph::places() const {
  place_list out;
  for (const auto& queue : m_queues) out.emplace_back(queue->context(), queue->device());
  return out;
}

std::shared_ptr<executable_graph> modifiable_graph::finalize(const graph_settings& how) {
  const auto owns_memory = [&] { return !m_memory.empty(); };
  {
    const std::lock_guard lock(m_mutex);
    if (owns_memory() && !m_made.expired())
      throw_error(errc::invalid, "command_graph::finalize: the graph owns memory (async_malloc), and an "
                                 "executable graph that was made from it still exists");
  }
  auto made = std::make_shared<executable_graph>(*this, how);
  const std::lock_guard lock(m_mutex);
  if (owns_memory()) m_made = made;
  return made;
}

// ---- queues

/// The graph's own queue for the device and context of another one.
const std::shared_ptr<queue_impl>& modifiable_graph::queue_like(const queue_impl& other,
                                                                const char* asked) const {
  for (const auto& queue : m_queues)
    if (queue->context() == other.context() && queue->device() == other.device()) return queue;
  throw_error(
      errc::invalid,
      std::string(asked) + ": the queue belongs to another device or context than the graph, which is for " +
          describe(*m_queues.front()->device()) +
          (m_queues.size() == 1 ? std::string() : " and " + std::to_string(m_queues.size() - 1) + " more"));
}

modifiable_graph::recorder* modifiable_graph::find(const queue_impl& queue) {
  for (recorder& r : m_recorders)
    if (r.key == &queue && !r.queue.expired()) return &r;
  return nullptr;
}

void modifiable_graph::leave(recorder& r) {
  if (const auto queue = r.queue.lock()) queue->record_into(nullptr);
}

void modifiable_graph::begin(const std::shared_ptr<queue_impl>& queue) {
  queue_like(*queue, "begin_recording");
  const std::lock_guard lock(m_mutex);
  if (queue->is_recording())
    throw_error(errc::invalid, "begin_recording: the queue is recording already; call end_recording first");
  queue->record_into(shared_from_this());
  m_recorders.push_back({queue, queue.get(), nullptr, nullptr, {}});
}

void modifiable_graph::end(const std::shared_ptr<queue_impl>& queue) {
  if (!queue->is_recording()) return;
  const std::lock_guard lock(m_mutex);
  recorder* const found = find(*queue);
  if (!found) throw_error(errc::invalid, "end_recording: another graph records the queue");
  leave(*found);
  m_recorders.erase(m_recorders.begin() + (found - m_recorders.data()));
}

void modifiable_graph::end_all() {
  const std::lock_guard lock(m_mutex);
  for (recorder& r : m_recorders) leave(r);
  m_recorders.clear();
}

bool modifiable_graph::is_recording() const {
  const std::lock_guard lock(m_mutex);
  return std::any_of(m_recorders.begin(), m_recorders.end(),
                     [](const recorder& r) { return !r.queue.expired(); });
}

void modifiable_graph::refuse_while_recording(const char* asked) const {
  if (is_recording()) {
    throw_error(errc::invalid, std::string(asked) + ": the graph records a queue; call end_recording first");
  }
}

// ---- nodes

std::shared_ptr<graph_node> modifiable_graph::append(graph_contents contents) {
  refresh(contents);
  auto made = std::make_shared<graph_node>(weak_from_this(), m_nodes.size(), std::move(contents));
  m_nodes.push_back(made);
  if (made->contents->frees != nullptr) mark_freed(made);
  return made;
}

void modifiable_graph::add_edge(std::size_t from, graph_node& to) {
  if (from != to.number && std::find(to.after.begin(), to.after.end(), from) == to.after.end())
    to.after.push_back(from);
}

void modifiable_graph::check_own(const std::shared_ptr<graph_node>& node, const char* asked) const {
  if (node->graph.lock().get() != this)
    throw_error(errc::invalid, std::string(asked) + ": the node belongs to another graph");
}

void modifiable_graph::add_named_edges(const std::vector<std::shared_ptr<graph_node>>& from, graph_node& to) {
  for (const auto& each : from) add_edge(each->number, to);
}

std::vector<std::size_t> modifiable_graph::data_edges(const graph_contents& contents) const {
  std::vector<std::size_t> out;
  for (const engine_use& use : uses_of(contents))
    for (const byte_use& earlier : m_uses)
      if (earlier.root == use.span.root && earlier.begin < use.span.end && use.span.begin < earlier.end &&
          (earlier.writes || use.writes))
        out.push_back(earlier.node);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void modifiable_graph::add_data_edges(graph_node& to) {
  for (const std::size_t from : data_edges(*to.contents)) add_edge(from, to);
  for (const engine_use& use : uses_of(*to.contents)) {
    const prism::buffer_span& span = use.span;
    // Drop earlier uses that this writer covers: a command that waits for the writer waits for them too.
    if (use.writes)
      m_uses.erase(std::remove_if(m_uses.begin(), m_uses.end(),
                                  [&](const byte_use& earlier) {
        return earlier.node != to.number && earlier.root == span.root && span.begin <= earlier.begin &&
               earlier.end <= span.end;
      }),
                   m_uses.end());
    m_uses.push_back({span.root, span.begin, span.end, use.writes, to.number});
  }
}

std::shared_ptr<graph_node> modifiable_graph::add(graph_contents contents,
                                                  const std::vector<std::shared_ptr<graph_node>>& after,
                                                  bool after_leaves) {
  const std::lock_guard lock(m_mutex);
  for (const auto& each : after) check_own(each, "property::node::depends_on");
  for (const auto& each : contents.named) check_own(each, "depends_on");
  std::vector<bool> followed(m_nodes.size());
  if (after_leaves)
    for (const auto& each : m_nodes)
      for (const std::size_t before : each->after) followed[before] = true;
  const auto made = append(std::move(contents));
  add_named_edges(after, *made);
  add_named_edges(made->contents->named, *made);
  add_data_edges(*made);
  if (after_leaves)
    for (std::size_t n = 0; n < followed.size(); ++n)
      if (!followed[n]) add_edge(n, *made);
  return made;
}

std::shared_ptr<graph_node> modifiable_graph::add(std::shared_ptr<alternative_groups> group,
                                                  const std::vector<std::shared_ptr<graph_node>>& after,
                                                  bool after_leaves) {
  if (group->graph.lock().get() != this)
    throw_error(errc::invalid, "command_graph::add: the dynamic_command_group belongs to another graph");
  {
    const std::lock_guard lock(m_mutex);
    const auto edges = [&](const graph_contents& contents) {
      std::vector<std::size_t> all = data_edges(contents);
      for (const auto& each : contents.named) all.push_back(each->number);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      return all;
    };
    for (const auto& each : group->contents)
      if (edges(*each) != edges(*group->contents.front())) {
        throw_error(errc::invalid,
                    "command_graph::add: the groups of the dynamic_command_group depend on different nodes");
      }
  }
  for (const auto& each : group->contents)
    for (const dynamic_use& use : each->dynamic) use.from->add_graph(shared_from_this());
  const auto made = add(*group->contents[group->active], after, after_leaves);
  const std::lock_guard lock(m_mutex);
  made->alternatives = std::move(group);
  return made;
}

std::shared_ptr<graph_node> modifiable_graph::record(graph_contents contents, queue_impl& queue) {
  const std::lock_guard lock(m_mutex);
  recorder* const from = find(queue);
  if (!from)
    throw_error(errc::invalid,
                "a submission could not be recorded because another thread ended the recording");
  for (const auto& each : contents.named) check_own(each, "depends_on");
  const bool is_barrier = contents.type == prism::node_type::barrier;
  const auto made = append(std::move(contents));
  add_named_edges(made->contents->named, *made);
  add_data_edges(*made);
  if (queue.in_order() && from->last) add_edge(from->last->number, *made);
  if (from->barrier) add_edge(from->barrier->number, *made);
  if (is_barrier) {
    for (const std::size_t n : from->since) add_edge(n, *made);
    from->since.clear();
    from->barrier = made;
  } else {
    from->since.push_back(made->number);
  }
  from->last = made;
  return made;
}

bool modifiable_graph::reaches(std::size_t from,
                               std::size_t to) const { // follows edges backwards: `from` comes after `to`
  std::vector<std::size_t> open{from};
  std::vector<bool> seen(m_nodes.size());
  while (!open.empty()) {
    const std::size_t n = open.back();
    open.pop_back();
    if (n == to) return true;
    if (seen[n]) continue;
    seen[n] = true;
    open.insert(open.end(), m_nodes[n]->after.begin(), m_nodes[n]->after.end());
  }
  return false;
}

void modifiable_graph::make_edge(const std::shared_ptr<graph_node>& from,
                                 const std::shared_ptr<graph_node>& to) {
  refuse_while_recording("command_graph::make_edge");
  const std::lock_guard lock(m_mutex);
  check_own(from, "command_graph::make_edge");
  check_own(to, "command_graph::make_edge");
  if (from == to) throw_error(errc::invalid, "command_graph::make_edge: a node cannot come after itself");
  if (m_checks_cycles && reaches(from->number, to->number)) {
    throw_error(errc::invalid, "command_graph::make_edge: node " + std::to_string(from->number) +
                                   " comes after node " + std::to_string(to->number) +
                                   " already; the edge would close a cycle");
  }
  add_edge(from->number, *to);
}

graph_contents modifiable_graph::contents_of(void (*call)(void*, handler&), void* group, const queue_impl* on,
                                             const node_list& after) {
  handler_impl state(on == nullptr ? m_queues.front() : queue_like(*on, "property::node::on_queue"));
  state.add_to(shared_from_this(), after);
  call(group, state.facade());
  graph_contents out;
  state.keep_in(out);
  if (out.type == prism::node_type::barrier) {
    throw_error(errc::invalid, "command_graph::add: a barrier is for recorded queues; add an empty node with "
                               "property::node::depends_on_all_leaves instead");
  }
  return out;
}

/// Gives uses of dynamic parameters their current values: they may have changed since the group's function
/// ran.
void modifiable_graph::refresh(graph_contents& contents) {
  for (const dynamic_use& use : std::vector<dynamic_use>(contents.dynamic)) {
    use.from->add_graph(shared_from_this());
    use.from->write(contents, use, use.from->now());
  }
}

void modifiable_graph::replace(graph_node& node, graph_contents fresh) {
  const std::lock_guard lock(m_mutex);
  refresh(fresh);
  auto made = std::make_shared<const graph_contents>(std::move(fresh));
  if (node.alternatives) node.alternatives->contents[node.alternatives->active] = made;
  node.contents = std::move(made);
}

void modifiable_graph::replace_uses(const dynamic_value& of,
                                    const std::function<void(graph_contents&, const dynamic_use&)>& change) {
  using shared = std::shared_ptr<const graph_contents>;
  const std::lock_guard lock(m_mutex);
  std::map<shared, shared> changed;
  const auto prepare = [&](const shared& now) {
    const auto uses_it = [&](const dynamic_use& use) { return use.from.get() == &of; };
    if (changed.count(now) != 0 || std::none_of(now->dynamic.begin(), now->dynamic.end(), uses_it)) return;
    auto made = std::make_shared<graph_contents>(*now);
    for (const dynamic_use& use : now->dynamic)
      if (uses_it(use)) change(*made, use);
    changed.emplace(now, std::move(made));
  };
  for (const auto& node : m_nodes) {
    prepare(node->contents);
    if (node->alternatives)
      for (const shared& each : node->alternatives->contents) prepare(each);
  }
  const auto store = [&](shared& in) {
    if (const auto found = changed.find(in); found != changed.end()) in = found->second;
  };
  for (const auto& node : m_nodes) {
    store(node->contents);
    if (node->alternatives)
      for (shared& each : node->alternatives->contents) store(each);
  }
}

std::vector<std::shared_ptr<graph_node>> modifiable_graph::nodes() const {
  const std::lock_guard lock(m_mutex);
  return m_nodes;
}

std::vector<std::shared_ptr<graph_node>>
modifiable_graph::named(const std::vector<std::size_t>& numbers) const {
  const std::lock_guard lock(m_mutex);
  std::vector<std::shared_ptr<graph_node>> out;
  for (const std::size_t n : numbers) out.push_back(m_nodes[n]);
  return out;
}

std::vector<std::shared_ptr<graph_node>> modifiable_graph::followers(const graph_node& node) const {
  const std::lock_guard lock(m_mutex);
  std::vector<std::shared_ptr<graph_node>> out;
  for (const auto& each : m_nodes)
    if (std::find(each->after.begin(), each->after.end(), node.number) != each->after.end())
      out.push_back(each);
  return out;
}

}
}
} // namespace sycl::_V1::detail
