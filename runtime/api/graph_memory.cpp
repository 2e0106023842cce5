// Memory that belongs to a graph: async_malloc and async_free. A node that allocates executes nothing: the
// memory exists from the moment the node is made, because the program needs its address then. Memory whose
// last user an allocating node follows in the graph is given out again.
#include "runtime/api/command_group.hpp"
#include "runtime/api/graph_impl.hpp"

#include <sycl/usm.hpp>

#include <algorithm>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

void* allocated(const std::shared_ptr<queue_impl>& on, usm::alloc kind, std::size_t bytes) {
  const queue where = access_impl::make<queue>(on);
  void* const memory = sycl::malloc(bytes, where, kind);
  if (memory == nullptr && bytes != 0)
    throw_error(errc::memory_allocation, "async_malloc: " + describe(*on->device()) + " has no memory for " +
                                             std::to_string(bytes) + " bytes");
  return memory;
}

} // namespace

node_list modifiable_graph::leaves() const {
  const std::lock_guard lock(m_mutex);
  std::vector<bool> followed(m_nodes.size());
  for (const auto& each : m_nodes)
    for (const std::size_t before : each->after) followed[before] = true;
  node_list out;
  for (std::size_t n = 0; n < m_nodes.size(); ++n)
    if (!followed[n]) out.push_back(m_nodes[n]);
  return out;
}

node_list modifiable_graph::recorded_before(const queue_impl& queue) const {
  const std::lock_guard lock(m_mutex);
  node_list out;
  for (const recorder& r : m_recorders) {
    if (r.key != &queue) continue;
    if (queue.in_order() && r.last) out.push_back(r.last);
    if (r.barrier) out.push_back(r.barrier);
  }
  return out;
}

std::shared_ptr<const graph_memory> modifiable_graph::allocate(const std::shared_ptr<queue_impl>& on,
                                                               std::size_t bytes, const node_list& after) {
  const std::lock_guard lock(m_mutex);
  const auto is_free = [&](const owned_memory& each) {
    return each.device == on->device() && each.block->bytes >= bytes && each.freed_by &&
           std::any_of(after.begin(), after.end(), [&](const auto& node) {
      return node->graph.lock().get() == this && reaches(node->number, each.freed_by->number);
    });
  };
  owned_memory* best = nullptr;
  for (owned_memory& each : m_memory)
    if (is_free(each) && (best == nullptr || each.block->bytes < best->block->bytes)) best = &each;
  if (best == nullptr) {
    auto block = std::make_shared<graph_memory>();
    block->bytes = bytes;
    block->memory = {allocated(on, usm::alloc::device, bytes), [context = on->context()](void* memory) {
      sycl::free(memory, access_impl::make<sycl::context>(context));
    }};
    best = &m_memory.emplace_back(owned_memory{std::move(block), on->device(), nullptr});
  }
  best->freed_by = nullptr;
  return best->block;
}

void modifiable_graph::refuse_other_memory(const void* memory) const {
  const std::lock_guard lock(m_mutex);
  if (std::none_of(m_memory.begin(), m_memory.end(), [&](const owned_memory& each) {
    return each.block->memory.get() == memory && !each.freed_by;
  }))
    throw_error(
        errc::invalid,
        "async_free: the pointer is not memory that async_malloc allocated in this graph and that is in use");
}

void modifiable_graph::mark_freed(const std::shared_ptr<graph_node>& node) {
  for (owned_memory& each : m_memory)
    if (each.block->memory.get() == node->contents->frees) each.freed_by = node;
}

void* handler_impl::allocate(usm::alloc kind, std::size_t bytes) {
  claim("an allocation");
  const auto into = graph();
  if (!into) return allocated(m_queue, kind, bytes);
  if (kind != usm::alloc::device)
    throw_error(errc::invalid, "async_malloc: the memory of a graph is usm::alloc::device");
  node_list after = m_before;
  after.insert(after.end(), m_named_nodes.begin(), m_named_nodes.end());
  const node_list recorded = into->recorded_before(*m_queue);
  after.insert(after.end(), recorded.begin(), recorded.end());
  m_allocates = into->allocate(m_queue, bytes, after);
  return m_allocates->memory.get();
}

void handler_impl::release(void* memory) {
  const auto into = graph();
  if (!into) {
    set(prism::host_task_request{[memory, context = m_queue->context()] {
      sycl::free(memory, access_impl::make<sycl::context>(context));
    }},
        "a release");
    return;
  }
  claim("a release");
  into->refuse_other_memory(memory);
  m_frees = memory;
}

}
}
} // namespace sycl::_V1::detail

namespace prism {

using sycl::detail::handler_impl;

void* async_malloc(sycl::handler& group, sycl::usm::alloc kind, std::size_t bytes) {
  return handler_impl::of(group).allocate(kind, bytes);
}
void* async_malloc(const sycl::queue& on, sycl::usm::alloc kind, std::size_t bytes) {
  void* memory = nullptr;
  sycl::queue(on).submit([&](sycl::handler& group) { memory = async_malloc(group, kind, bytes); });
  return memory;
}
void async_free(sycl::handler& group, void* memory) { handler_impl::of(group).release(memory); }
void async_free(const sycl::queue& on, void* memory) {
  sycl::queue(on).submit([&](sycl::handler& group) {
    async_free(group, memory);
    if (state_of(on) == queue_state::executing) handler_impl::of(group).barrier();
  });
}

} // namespace prism
