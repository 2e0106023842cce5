// <prism/graph.hpp>: the public classes over graph_impl.hpp.
#include "runtime/api/command_group.hpp"
#include "runtime/api/graph_impl.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace prism {

using sycl::errc;
using sycl::detail::access_impl;
using sycl::detail::graph_contents;
using sycl::detail::graph_node;
using sycl::detail::graph_part;
using sycl::detail::throw_error;
using node_list = std::vector<std::shared_ptr<graph_node>>;

namespace {

std::vector<node> public_nodes(const node_list& from) {
  std::vector<node> out;
  for (const auto& each : from) out.push_back(access_impl::make<node>(each));
  return out;
}

/// Returns the graph of a node. Throws invalid if it was destroyed.
std::shared_ptr<sycl::detail::modifiable_graph> living_graph(const graph_node& of) {
  auto graph = of.graph.lock();
  if (!graph) throw_error(errc::invalid, "node: its graph was destroyed");
  return graph;
}

node_list named_by(const sycl::property_list& properties) {
  node_list out;
  if (!properties.has_property<property::node::depends_on>()) return out;
  const auto named = properties.get_property<property::node::depends_on>();
  for (const node& each : named.prism_nodes()) out.push_back(access_impl::get(each));
  return out;
}

/// Replaces the kernel command of the node. The caller holds the mutex of the graph.
void replace_kernel(graph_node& in, const char* asked, int dimensions,
                    const std::function<void(kernel_command&)>& change) {
  const graph_contents& now = *in.contents;
  if (now.type != node_type::kernel || now.parts.size() != 1 || now.parts[0].make ||
      now.parts[0].dimensions < 1) {
    throw_error(errc::invalid,
                std::string(asked) + ": the node is not a kernel over a range that can be changed");
  }
  if (now.parts[0].dimensions != dimensions) {
    throw_error(errc::invalid, std::string(asked) + ": the kernel's range has " +
                                   std::to_string(now.parts[0].dimensions) + " dimensions, the new one " +
                                   std::to_string(dimensions));
  }
  auto group = std::make_shared<command_group>(*now.parts[0].group);
  change(std::get<kernel_command>(group->what));
  graph_contents changed = now;
  changed.parts[0].group = std::move(group);
  auto made = std::make_shared<const graph_contents>(std::move(changed));
  if (in.alternatives) in.alternatives->contents[in.alternatives->active] = made;
  in.contents = std::move(made);
}

void write_words(kernel_command& kernel, int dimensions, const std::size_t* words) {
  std::memcpy(kernel.captured.data(), words, std::size_t(dimensions) * sizeof(std::size_t));
}

const char* text_of(node_type type) {
  constexpr const char* names[] = {"empty",    "subgraph",  "kernel",  "memcpy",    "memset",     "memfill",
                                   "prefetch", "memadvise", "barrier", "host_task", "update_host"};
  return names[static_cast<int>(type)];
}

std::string described(const command_group& group) {
  const auto* kernel = std::get_if<kernel_command>(&group.what);
  if (!kernel) return {};
  return "\\nrange " + std::to_string(kernel->global[2]) + " x " + std::to_string(kernel->global[1]) + " x " +
         std::to_string(kernel->global[0]) + ", " + std::to_string(kernel->captured.size()) +
         " bytes of arguments, " + std::to_string(group.requirements.size()) + " accessors";
}

/// Writes a Graphviz file.
class picture {
public:
  explicit picture(const std::string& path) : m_path(path) {
    const std::string ending = ".dot";
    if (path.size() <= ending.size() ||
        path.compare(path.size() - ending.size(), ending.size(), ending) != 0) {
      throw_error(errc::invalid,
                  "command_graph::print_graph: the name \"" + path + "\" does not end in .dot");
    }
    m_out.open(path);
    m_out << "digraph prism {\n";
  }
  void add(std::size_t number, const std::string& label, const std::vector<std::size_t>& after) {
    m_out << "  n" << number << " [label=\"" << label << "\"];\n";
    for (const std::size_t before : after) m_out << "  n" << before << " -> n" << number << ";\n";
  }
  void add_frame(const std::string& label, const std::vector<std::size_t>& numbers) {
    m_out << "  subgraph cluster_" << m_frames++ << " {\n    label=\"" << label << "\";\n";
    for (const std::size_t number : numbers) m_out << "    n" << number << ";\n";
    m_out << "  }\n";
  }
  void finish() {
    m_out << "}\n";
    m_out.flush();
    if (!m_out)
      throw_error(errc::invalid, "command_graph::print_graph: \"" + m_path + "\" cannot be written");
  }

private:
  const std::string m_path;
  std::ofstream m_out;
  std::size_t m_frames = 0;
};

} // namespace

// ---- node

node_type node::get_type() const { return m_impl->type; }
std::vector<node> node::get_predecessors() const {
  const auto graph = living_graph(*m_impl);
  std::vector<std::size_t> numbers;
  {
    const std::lock_guard lock(graph->mutex());
    numbers = m_impl->after;
  }
  return public_nodes(graph->named(numbers));
}
std::vector<node> node::get_successors() const {
  return public_nodes(living_graph(*m_impl)->followers(*m_impl));
}

node node::get_node_from_event(const sycl::event& recorded) {
  auto found = access_impl::get(recorded)->node();
  if (!found)
    throw_error(errc::invalid,
                "node::get_node_from_event: the event is not that of a submission recorded into a graph");
  return access_impl::make<node>(std::move(found));
}

void node::change_range(int dimensions, const std::size_t* items) {
  const auto graph = living_graph(*m_impl);
  const std::lock_guard lock(graph->mutex());
  replace_kernel(*m_impl, "node::update_range", dimensions, [&](kernel_command& kernel) {
    if (!kernel.is_range)
      throw_error(errc::invalid, "node::update_range: the kernel runs over an nd_range; use update_nd_range");
    for (int d = 0; d < dimensions; ++d) kernel.global[std::size_t(d)] = items[dimensions - 1 - d];
    std::copy(kernel.global.begin(), kernel.global.end(), kernel.body.items);
    write_words(kernel, dimensions, items);
  });
}

void node::change_nd_range(int dimensions, const std::size_t* global, const std::size_t* local,
                           const std::size_t* offset) {
  const auto graph = living_graph(*m_impl);
  const std::lock_guard lock(graph->mutex());
  replace_kernel(*m_impl, "node::update_nd_range", dimensions, [&](kernel_command& kernel) {
    if (kernel.is_range)
      throw_error(errc::invalid, "node::update_nd_range: the kernel runs over a range; use update_range");
    for (int d = 0; d < dimensions; ++d) {
      kernel.global[std::size_t(d)] = global[dimensions - 1 - d];
      kernel.local[std::size_t(d)] = local[dimensions - 1 - d];
    }
    std::copy(kernel.global.begin(), kernel.global.end(), kernel.body.items);
    write_words(kernel, dimensions, offset);
  });
}

void node::replace(void (*call)(void*, sycl::handler&), void* group) {
  const auto graph = living_graph(*m_impl);
  graph_contents fresh = graph->contents_of(call, group);
  if (fresh.type != m_impl->type || (fresh.type != node_type::kernel && fresh.type != node_type::host_task)) {
    throw_error(errc::invalid, std::string("node::update: the node is a ") + text_of(m_impl->type) +
                                   ", the group a " + text_of(fresh.type) +
                                   "; only a kernel can replace a kernel, and only a host task a host task");
  }
  auto made = std::make_shared<const graph_contents>(std::move(fresh));
  const std::lock_guard lock(graph->mutex());
  if (m_impl->alternatives) m_impl->alternatives->contents[m_impl->alternatives->active] = made;
  m_impl->contents = std::move(made);
}

// ---- command_graph<modifiable>

using modifiable = command_graph<graph_state::modifiable>;
using executable = command_graph<graph_state::executable>;

modifiable::command_graph(const sycl::context& in, const sycl::device& on,
                          const sycl::property_list& properties)
    : shared_object(std::make_shared<sycl::detail::modifiable_graph>(access_impl::get(in),
                                                                     access_impl::get(on), properties)) {}
modifiable::command_graph(const sycl::queue& like, const sycl::property_list& properties)
    : command_graph(like.get_context(), like.get_device(), properties) {}
modifiable::command_graph(const sycl::device& on, const sycl::property_list& properties)
    : command_graph(sycl::queue(on), properties) {}

executable modifiable::finalize(const sycl::property_list& properties) const {
  return access_impl::make<executable>(std::make_shared<sycl::detail::executable_graph>(
      *m_impl, properties.has_property<property::graph::updatable>(),
      properties.has_property<property::graph::perform_fusion>()));
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
  return access_impl::make<node>(
      m_impl->add(m_impl->contents_of(call, group), named_by(properties),
                  properties.has_property<property::node::depends_on_all_leaves>()));
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

void modifiable::print_graph(const std::string& path, bool verbose) const {
  picture out(path);
  for (const auto& each : m_impl->nodes()) {
    const std::lock_guard lock(m_impl->mutex());
    std::string label = std::to_string(each->number) + ": " + text_of(each->type);
    if (!each->contents->name.empty()) label += "\\n" + each->contents->name;
    for (const graph_part& part : each->contents->parts)
      if (verbose) label += described(*part.group);
    out.add(each->number, label, each->after);
  }
  out.finish();
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
std::string executable::describe() const { return m_impl->describe(); }
std::string executable::explain() const { return m_impl->explain(); }

void executable::print_graph(const std::string& path, bool verbose) const {
  picture out(path);
  const std::vector<graph_command> commands = m_impl->flattened();
  for (std::size_t n = 0; n < commands.size(); ++n)
    out.add(n,
            (commands[n].name.empty() ? std::string("nothing") : commands[n].name) +
                (verbose ? described(*commands[n].group) : std::string()),
            commands[n].after);
  for (const auto& launch : m_impl->launched_together()) out.add_frame("one launch", launch);
  out.finish();
}

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
