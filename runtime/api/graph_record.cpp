// Recording of command groups into a graph: handler_impl's functions for it, and the parts of the groups that
// are made anew for each execution.
#include "runtime/api/command_group.hpp"
#include "runtime/api/graph_impl.hpp"
#include "runtime/api/reference.hpp"

#include <algorithm>
#include <cstring>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

prism::node_type type_of(const prism::request& what, const char* name) {
  using prism::node_type;
  const std::string said = name ? name : "";
  if (std::holds_alternative<prism::host_task_request>(what)) return node_type::host_task;
  if (std::holds_alternative<prism::update_host_request>(what)) return node_type::update_host;
  if (std::holds_alternative<prism::copy_request>(what)) return node_type::memcpy;
  if (std::holds_alternative<prism::fill_request>(what))
    return said == "a memset" ? node_type::memset : node_type::memfill;
  if (said == "a kernel") return node_type::kernel;
  if (said == "a prefetch") return node_type::prefetch;
  if (said == "a mem_advise") return node_type::memadvise;
  if (said == "an allocation") return node_type::async_malloc;
  if (said == "a release") return node_type::async_free;
  return node_type::empty;
}

/// Makes a group whose host task gets its own state for each execution, because the addresses of its
/// accessors differ. Executions of a graph do not overlap.
std::function<prism::command_group(const prism::command_group&)>
remade_task(std::shared_ptr<host_task_state> state) {
  state->places = std::make_shared<std::vector<std::pair<std::size_t, std::size_t>>>();
  return [state = std::move(state)](const prism::command_group& group) {
    auto own = std::make_shared<host_task_state>(*state);
    prism::command_group made = group;
    for (std::size_t i = 0; i < own->pointers.size(); ++i) {
      prism::requirement& r = made.requirements[i]; // finish_requirements puts these first
      if (r.host_pointer) r.host_pointer = &own->pointers[i].first;
      if (r.device_memory) r.device_memory = &own->pointers[i].memory;
    }
    made.what = prism::host_task_request{[own] { own->run(); }};
    return made;
  };
}

/// Makes a group with a new output block for each execution, for kernels compiled without the plugin. The
/// block is printed when the execution has ended.
std::function<prism::command_group(const prism::command_group&)>
remade_output(std::shared_ptr<host_outputs> outputs, std::uint32_t offset) {
  return [outputs = std::move(outputs), offset](const prism::command_group& group) {
    prism::command_group made = group;
    auto output = outputs->take();
    output_block* const block = output->block();
    std::memcpy(std::get<prism::kernel_command>(made.what).captured.data() + offset, &block, sizeof block);
    made.keep_alive.push_back(std::move(output));
    return made;
  };
}

/// Prints what the kernels of the node wrote and empties the blocks for the next run.
struct graph_printing {
  std::vector<std::shared_ptr<output_channel>> channels;
  prism::command_group made() const {
    struct run {
      std::vector<void*> blocks;
    };
    auto own = std::make_shared<run>();
    own->blocks.resize(channels.size());
    prism::command_group group;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      prism::requirement r;
      r.buffer = channels[i]->buffer();
      r.mode = prism::access_mode::read_write;
      r.region.extent[2] = channels[i]->bytes();
      r.on_host = true;
      r.host_pointer = &own->blocks[i];
      group.requirements.push_back(std::move(r));
    }
    group.what = prism::host_task_request{[own, channels = channels] {
      for (std::size_t i = 0; i < channels.size(); ++i)
        if (channels[i]->print(own->blocks[i])) channels[i]->empty(own->blocks[i]);
    }};
    return group;
  }
};

std::vector<compared_buffer> not_owned(std::vector<verified_use> uses) {
  std::vector<compared_buffer> out;
  for (verified_use& use : uses) {
    std::weak_ptr<buffer_impl> buffer = std::exchange(use.buffer, nullptr);
    out.push_back({std::move(use), std::move(buffer)});
  }
  return out;
}

} // namespace

/// Executions whose buffers were destroyed are refused earlier.
std::function<prism::command_ptr(prism::queue_node&, prism::command_group&&)>
comparing_submit(const std::vector<compared_buffer>& buffers) {
  return [buffers](prism::queue_node& queue, prism::command_group&& group) {
    std::vector<verified_use> now;
    for (const compared_buffer& each : buffers) {
      now.push_back(each.use);
      now.back().buffer = each.buffer.lock();
    }
    group.claims_regions = false; // whole buffers are compared
    prism::command_ptr compared;
    prism::command_ptr command = submit_verified(queue, std::move(group), now, compared);
    return compared ? compared : command;
  };
}

void handler_impl::set_graph(std::shared_ptr<executable_graph> graph) {
  graph->check_queue(*m_queue);
  claim("a graph");
  m_graph = std::move(graph);
}

void handler_impl::keep_command_in(graph_contents& to) {
  if (!m_group.dependencies.empty()) {
    throw_error(
        errc::invalid,
        "depends_on: a command of a graph cannot wait for the event of a command outside of the graph; run "
        "the graph after that event");
  }
  std::shared_ptr<output_memory> unused;
  std::optional<std::uint32_t> output_offset;
  if (auto* kernel = std::get_if<prism::kernel_command>(&m_group.what)) {
    const std::size_t count_before = m_group.keep_alive.size();
    finish_kernel(*kernel);
    if (m_group.keep_alive.size() > count_before) { // the last one is a block for output
      output_offset = kernel->hidden.back().offset;
      m_group.keep_alive.pop_back();
    }
  }
  finish_requirements();
  for (const use& u : m_uses) {
    u.buffer->root().used_by(m_queue);
    to.buffers.push_back(u.buffer);
  }
  graph_part part;
  auto group = std::make_shared<prism::command_group>(std::move(m_group));
  group->barrier = group->holds_later = false;
  part.dimensions = std::holds_alternative<prism::kernel_command>(group->what) ? m_dimensions : -1;
  part.group = std::move(group);
  if (m_host_task) part.make = remade_task(m_host_task);
  else if (output_offset) part.make = remade_output(m_queue->outputs().shared_from_this(), *output_offset);
  else if (verifies()) part.compared = not_owned(buffers_to_compare());
  to.parts.push_back(std::move(part));
}

void handler_impl::keep_in(graph_contents& to) {
  to.named.insert(to.named.end(), m_named_nodes.begin(), m_named_nodes.end());
  to.device = m_queue->device();
  if (m_graph) {
    if (m_graph->owned_bytes() != 0)
      throw_error(errc::invalid,
                  "handler::ext_oneapi_graph: a graph that owns memory (async_malloc) cannot be a node");
    to.type = prism::node_type::subgraph;
    to.child = m_graph;
    return;
  }
  to.type =
      m_group.barrier || m_group.holds_later ? prism::node_type::barrier : type_of(m_group.what, m_command);
  if (const auto* kernel = std::get_if<prism::kernel_command>(&m_group.what))
    to.name = kernel->name ? kernel->name : "";
  to.allocates = m_allocates;
  to.frees = m_frees;
  const origin first_kernel = as_origin();
  keep_command_in(to);
  for (const auto& group : m_then) {
    handler_impl next(m_queue);
    next.m_constants = m_constants;
    next.m_origin = first_kernel;
    group(next.facade());
    next.keep_command_in(to);
    m_channels.insert(m_channels.end(), next.m_channels.begin(), next.m_channels.end());
  }
  // The captures of the further groups own PRISM's internal buffers.
  if (!m_then.empty())
    to.keep_alive.push_back(std::make_shared<std::vector<std::function<void(handler&)>>>(std::move(m_then)));
  keep_dynamic_in(to);
  if (m_channels.empty()) return;
  const graph_printing printing{std::move(m_channels)};
  graph_part part;
  part.make = [printing](const prism::command_group&) { return printing.made(); };
  part.group = std::make_shared<const prism::command_group>(printing.made());
  to.parts.push_back(std::move(part));
}

event handler_impl::submit_graph() {
  const prism::graph_run run =
      guarded([&] { return m_graph->run(*m_queue, m_group.dependencies); }, m_queue->context());
  auto made = std::allocate_shared<event_impl>(prism::pool::allocator<event_impl>(), run.last,
                                               m_queue->origin(), run.first, nullptr);
  if (!m_named_events.empty()) made->set_named(std::move(m_named_events));
  return access_impl::make<event>(std::move(made));
}

/// If the group depends on the event of a recorded submission, its queue is recorded into the same graph from
/// now on.
event handler_impl::record() {
  std::shared_ptr<modifiable_graph> graph = m_queue->recorded_by();
  if (!graph) {
    graph = m_named_nodes.front()->graph.lock();
    if (!graph || !graph->is_recording()) {
      throw_error(
          errc::invalid,
          "depends_on: the event belongs to a submission that was recorded into a command graph and does not "
          "run by itself; depend on the event of the graph's execution");
    }
    graph->begin(m_queue);
  }
  graph_contents contents;
  keep_in(contents);
  auto made = std::make_shared<event_impl>(nullptr, m_queue->origin());
  made->set_node(graph->record(std::move(contents), *m_queue));
  return access_impl::make<event>(std::move(made));
}

}
}
} // namespace sycl::_V1::detail
