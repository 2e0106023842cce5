// <prism/graph.hpp>: the public classes over graph_impl.hpp. prism_graph_node.cpp has node, graph_picture.cpp
// print_graph.
#include "runtime/api/command_group.hpp"
#include "runtime/api/graph_impl.hpp"

#include <algorithm>

namespace prism {

using sycl::errc;
using sycl::detail::access_impl;
using sycl::detail::graph_contents;
using sycl::detail::node_list;
using sycl::detail::public_nodes;
using sycl::detail::throw_error;

namespace {
node_list named_by(const sycl::property_list& properties) {
  node_list out;
  if (!properties.has_property<property::node::depends_on>()) return out;
  const auto named = properties.get_property<property::node::depends_on>();
  for (const node& each : named.prism_nodes()) out.push_back(access_impl::get(each));
  return out;
}

/// The devices of the queues, each once.
sycl::detail::modifiable_graph::place_list places_of(const std::vector<sycl::queue>& queues) {
  sycl::detail::modifiable_graph::place_list out;
  for (const sycl::queue& each : queues) {
    const auto& queue = access_impl::get(each);
    const std::pair place(queue->context(), queue->device());
    if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(place);
  }
  return out;
}

} // namespace

// ---- command_graph<modifiable>

using modifiable = command_graph<graph_state::modifiable>;
using executable = command_graph<graph_state::executable>;

modifiable::command_graph(const sycl::context& in, const sycl::device& on,
                          const sycl::property_list& properties)
    : shared_object(std::make_shared<sycl::detail::modifiable_graph>(
          sycl::detail::modifiable_graph::place_list{{access_impl::get(in), access_impl::get(on)}},
          properties)) {}
modifiable::command_graph(const sycl::queue& like, const sycl::property_list& properties)
    : command_graph(like.get_context(), like.get_device(), properties) {}
modifiable::command_graph(const sycl::device& on, const sycl::property_list& properties)
    : command_graph(sycl::queue(on), properties) {}

modifiable::command_graph(const std::vector<sycl::queue>& like, const sycl::property_list& properties)
    : shared_object(std::make_shared<sycl::detail::modifiable_graph>(places_of(like), properties)) {}

namespace {
sycl::detail::graph_settings settings_of(const sycl::property_list& properties) {
  return {properties.has_property<property::graph::updatable>(),
          properties.has_property<property::graph::perform_fusion>(),
          properties.has_property<property::graph::enable_profiling>()};
}
} // namespace

executable modifiable::finalize(const sycl::property_list& properties) const {
  return access_impl::make<executable>(m_impl->finalize(settings_of(properties)));
}
bool modifiable::is_built(const sycl::property_list& properties) const {
  return sycl::detail::executable_graph::is_built(*m_impl, settings_of(properties));
}

void modifiable::begin_recording(sycl::queue& on, const sycl::property_list&) {
  m_impl->begin(access_impl::get(on));
}
void modifiable::begin_recording(const std::vector<sycl::queue>& all, const sycl::property_list&) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    try {
      m_impl->begin(access_impl::get(all[i]));
    } catch (...) { // undo, so that all or none are recorded
      while (i-- > 0) m_impl->end(access_impl::get(all[i]));
      throw;
    }
  }
}
void modifiable::end_recording() { m_impl->end_all(); }
void modifiable::end_recording(sycl::queue& on) { m_impl->end(access_impl::get(on)); }
void modifiable::end_recording(const std::vector<sycl::queue>& all) {
  for (const sycl::queue& each : all) m_impl->end(access_impl::get(each));
}

node modifiable::add(const sycl::property_list& properties) {
  m_impl->refuse_while_recording("command_graph::add");
  return access_impl::make<node>(
      m_impl->add(graph_contents(), named_by(properties),
                  properties.has_property<property::node::depends_on_all_leaves>()));
}
node modifiable::add_group(void (*call)(void*, sycl::handler&), void* group,
                           const sycl::property_list& properties) {
  m_impl->refuse_while_recording("command_graph::add");
  const node_list after = named_by(properties);
  const bool after_leaves = properties.has_property<property::node::depends_on_all_leaves>();
  std::shared_ptr<sycl::detail::queue_impl> where;
  if (properties.has_property<property::node::on_queue>())
    where = access_impl::get(properties.get_property<property::node::on_queue>().prism_queue());
  return access_impl::make<node>(
      m_impl->add(m_impl->contents_of(call, group, where.get(), after_leaves ? m_impl->leaves() : after),
                  after, after_leaves));
}
node modifiable::add(dynamic_command_group& group, const sycl::property_list& properties) {
  m_impl->refuse_while_recording("command_graph::add");
  return access_impl::make<node>(
      m_impl->add(access_impl::get(group), named_by(properties),
                  properties.has_property<property::node::depends_on_all_leaves>()));
}
void modifiable::make_edge(node& from, node& to) {
  m_impl->make_edge(access_impl::get(from), access_impl::get(to));
}

std::vector<node> modifiable::get_nodes() const { return public_nodes(m_impl->nodes()); }
std::vector<node> modifiable::get_root_nodes() const {
  node_list roots;
  for (const auto& each : m_impl->nodes()) {
    const std::lock_guard lock(m_impl->mutex());
    if (each->after.empty()) roots.push_back(each);
  }
  return public_nodes(roots);
}
bool modifiable::empty() const { return m_impl->nodes().empty(); }
std::size_t modifiable::get_id() const noexcept { return m_impl->id(); }

// ---- command_graph<executable>

void executable::update(const node& changed) { m_impl->update({access_impl::get(changed)}); }
void executable::update(const std::vector<node>& changed) {
  node_list all;
  for (const node& each : changed) all.push_back(access_impl::get(each));
  m_impl->update(all);
}
void executable::update(const modifiable& source) { m_impl->update(*access_impl::get(source)); }
std::size_t executable::get_required_mem_size() const noexcept { return m_impl->owned_bytes(); }
sycl::event executable::event_of(const node& which) const {
  return m_impl->event_of(*access_impl::get(which));
}
std::string executable::describe() const { return m_impl->describe(); }
std::string executable::explain() const { return m_impl->explain(); }

// ---- dynamic_command_group

namespace {

std::shared_ptr<sycl::detail::alternative_groups>
make_alternatives(const std::shared_ptr<sycl::detail::modifiable_graph>& in,
                  const std::vector<std::function<void(sycl::handler&)>>& groups) {
  if (groups.empty()) throw_error(errc::invalid, "dynamic_command_group: the list of groups is empty");
  std::vector<std::shared_ptr<const graph_contents>> all;
  for (const auto& group : groups) {
    const auto call = [](void* g, sycl::handler& h) {
      (*static_cast<const std::function<void(sycl::handler&)>*>(g))(h);
    };
    all.push_back(std::make_shared<const graph_contents>(
        in->contents_of(call, const_cast<std::function<void(sycl::handler&)>*>(&group))));
    const node_type type = all.back()->type;
    if (type != all.front()->type || (type != node_type::kernel && type != node_type::host_task)) {
      throw_error(errc::invalid,
                  "dynamic_command_group: the groups must all be kernels or all be host tasks");
    }
  }
  return std::make_shared<sycl::detail::alternative_groups>(in, std::move(all));
}

} // namespace

dynamic_command_group::dynamic_command_group(const modifiable& in,
                                             const std::vector<std::function<void(sycl::handler&)>>& groups)
    : shared_object(make_alternatives(access_impl::get(in), groups)) {}

std::size_t dynamic_command_group::get_active_index() const {
  const auto graph = m_impl->graph.lock();
  if (!graph) return m_impl->active;
  const std::lock_guard lock(graph->mutex());
  return m_impl->active;
}

void dynamic_command_group::set_active_index(std::size_t number) {
  const auto graph = m_impl->graph.lock();
  if (!graph) throw_error(errc::invalid, "dynamic_command_group::set_active_index: its graph was destroyed");
  const node_list nodes = graph->nodes();
  const std::lock_guard lock(graph->mutex());
  if (number >= m_impl->contents.size()) {
    throw_error(errc::invalid, "dynamic_command_group::set_active_index: there are " +
                                   std::to_string(m_impl->contents.size()) + " groups, none is number " +
                                   std::to_string(number));
  }
  m_impl->active = number;
  for (const auto& each : nodes)
    if (each->alternatives == m_impl) each->contents = m_impl->contents[number];
}

// ---- execution and recording

sycl::event execute_graph(sycl::queue& on, executable& what, const std::vector<sycl::event>& after) {
  return on.submit([&](sycl::handler& group) {
    group.depends_on(after);
    execute_graph(group, what);
  }, sycl::detail::call_site::unknown()); // its commands have their own source lines
}
void execute_graph(sycl::handler& group, executable& what) { group.prism_graph(access_impl::get(what)); }

queue_state state_of(const sycl::queue& which) noexcept {
  return access_impl::get(which)->is_recording() ? queue_state::recording : queue_state::executing;
}
modifiable graph_of(const sycl::queue& recording) {
  auto graph = access_impl::get(recording)->recorded_by();
  if (!graph) throw_error(errc::invalid, "graph_of: no graph records the queue");
  return modifiable(std::move(graph));
}

} // namespace prism
