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
  constexpr const char* names[] = {"empty",    "subgraph",  "kernel",  "memcpy",    "memset",     "memfill",
                                   "prefetch", "memadvise", "barrier", "host_task", "update_host"};
  return names[static_cast<int>(type)];
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
    throw_error(errc::invalid, std::string("node::update: the node is a ") + name_of(m_impl->type) +
                                   ", the group a " + name_of(fresh.type) +
                                   "; only a kernel can replace a kernel, and only a host task a host task");
  }
  auto made = std::make_shared<const graph_contents>(std::move(fresh));
  const std::lock_guard lock(graph->mutex());
  if (m_impl->alternatives) m_impl->alternatives->contents[m_impl->alternatives->active] = made;
  m_impl->contents = std::move(made);
}

} // namespace prism
