// Nodes of <prism/graph.hpp>: their neighbours, and updates of their contents.
#include "runtime/api/graph_impl.hpp"

#include <algorithm>
#include <cstring>

namespace sycl {
inline namespace _V1 {
namespace detail {

std::vector<prism::node> public_nodes(const node_list& from) {
  std::vector<prism::node> out;
  for (const auto& each : from) out.push_back(access_impl::make<prism::node>(each));
  return out;
}

const char* name_of(prism::node_type type) {
  constexpr const char* names[] = {"empty",       "subgraph",     "kernel",    "memcpy",  "memset",
                                   "memfill",     "prefetch",     "memadvise", "barrier", "host_task",
                                   "update_host", "async_malloc", "async_free"};
  return names[static_cast<int>(type)];
}

std::string text_of(std::optional<std::size_t> number, const graph_contents& contents) {
  std::string what = contents.name.empty() ? std::string() : "kernel " + contents.name;
  const std::string line = contents.parts.empty() ? std::string() : prism::line_of(*contents.parts[0].group);
  const bool has_line =
      contents.name.find(line.substr(line.rfind('/') + 1)) != std::string::npos; // a lambda's
  if (!line.empty() && !has_line) what += (what.empty() ? "" : ", ") + line;
  if (!number) return what.empty() ? std::string("the group") : "the " + what;
  return "node " + std::to_string(*number) + (what.empty() ? std::string() : " (" + what + ")");
}

void set_range(graph_contents& in, const char* asked, const launch_range& items) {
  const std::string refused = std::string(asked) + ": " + text_of(std::nullopt, in);
  if (in.type != prism::node_type::kernel || in.parts.size() != 1 || in.parts[0].make ||
      in.parts[0].dimensions < 1)
    throw_error(errc::invalid, refused + " is not a kernel over a range that can be changed");
  const auto dimensions = static_cast<std::size_t>(items.dimensions);
  if (in.parts[0].dimensions != items.dimensions) {
    throw_error(errc::invalid, refused + ": the kernel's range has " +
                                   std::to_string(in.parts[0].dimensions) + " dimensions, the new one " +
                                   std::to_string(items.dimensions));
  }
  auto group = std::make_shared<prism::command_group>(*in.parts[0].group);
  auto& kernel = std::get<prism::kernel_command>(group->what);
  if (kernel.is_range != items.is_range)
    throw_error(errc::invalid, refused + (kernel.is_range ? " runs over a range, not an nd_range"
                                                          : " runs over an nd_range, not a range"));
  for (std::size_t d = 0; d < dimensions; ++d) {
    kernel.global[d] = items.global[dimensions - 1 - d];
    if (!items.is_range) kernel.local[d] = items.local[dimensions - 1 - d];
  }
  std::copy(kernel.global.begin(), kernel.global.end(), kernel.body.items);
  // The captured bytes begin with the range, or with the offset of an nd_range.
  std::memcpy(kernel.captured.data(), items.is_range ? items.global : items.offset,
              dimensions * sizeof(std::size_t));
  in.parts[0].group = std::move(group);
}

}
}
} // namespace sycl::_V1::detail

namespace prism {

using sycl::errc;
using sycl::detail::access_impl;
using sycl::detail::graph_contents;
using sycl::detail::graph_node;
using sycl::detail::name_of;
using sycl::detail::public_nodes;
using sycl::detail::throw_error;

namespace {

/// Returns the graph of a node. Throws invalid if it was destroyed.
std::shared_ptr<sycl::detail::modifiable_graph> living_graph(const graph_node& of) {
  auto graph = of.graph.lock();
  if (!graph) throw_error(errc::invalid, "node: its graph was destroyed");
  return graph;
}

void change_launch(graph_node& in, const char* asked, const sycl::detail::launch_range& items) {
  const auto graph = living_graph(in);
  graph_contents changed;
  {
    const std::lock_guard lock(graph->mutex());
    changed = *in.contents;
  }
  set_range(changed, asked, items);
  graph->replace(in, std::move(changed));
}

} // namespace

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
  sycl::detail::launch_range wanted;
  wanted.dimensions = dimensions;
  std::copy(items, items + dimensions, wanted.global);
  change_launch(*m_impl, "node::update_range", wanted);
}

void node::change_nd_range(int dimensions, const std::size_t* global, const std::size_t* local,
                           const std::size_t* offset) {
  sycl::detail::launch_range wanted;
  wanted.dimensions = dimensions;
  wanted.is_range = false;
  std::copy(global, global + dimensions, wanted.global);
  std::copy(local, local + dimensions, wanted.local);
  std::copy(offset, offset + dimensions, wanted.offset);
  change_launch(*m_impl, "node::update_nd_range", wanted);
}

void node::replace(void (*call)(void*, sycl::handler&), void* group) {
  const auto graph = living_graph(*m_impl);
  graph_contents fresh = graph->contents_of(call, group);
  if (fresh.type != m_impl->type || (fresh.type != node_type::kernel && fresh.type != node_type::host_task)) {
    throw_error(errc::invalid, std::string("node::update: the node is a ") + name_of(m_impl->type) +
                                   ", the group a " + name_of(fresh.type) +
                                   "; only a kernel can replace a kernel, and only a host task a host task");
  }
  graph->replace(*m_impl, std::move(fresh));
}

} // namespace prism
