#include "runtime/exec_graph/executable_graph.hpp"

#include "runtime/exec_graph/node_kind.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/submission/submission.hpp"
#include "runtime/launch/launch_slices.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace prism::runtime {

namespace {

device_state& device_of(device_state& own, const graph_command& c) {
  return c.device == nullptr ? own : static_cast<device_state&>(*c.device);
}

std::vector<device_state*> devices_of(device_state& own, const std::vector<graph_command>& commands) {
  std::vector<device_state*> out{&own};
  for (const graph_command& c : commands)
    if (device_state& device = device_of(own, c); std::find(out.begin(), out.end(), &device) == out.end())
      out.push_back(&device);
  return out;
}

std::vector<ordered_segment> order_or_refuse(const std::vector<device_state*>& devices,
                                             const std::vector<graph_command>& commands) {
  std::vector<order_node> nodes;
  nodes.reserve(commands.size());
  for (const graph_command& c : commands) {
    device_state& device = device_of(*devices.front(), c);
    const auto index = std::find(devices.begin(), devices.end(), &device) - devices.begin();
    nodes.push_back({kind_of(device, c), c.after, static_cast<std::size_t>(index)});
  }
  auto order = order_of(nodes);
  if (!order) throw error(error_code::invalid, "the graph's commands form a cycle");
  return std::move(*order);
}

void add(dependency_list& list, const command_ref& on) { list.push_back({on, !on->is_host_task()}); }

fused_commands fused(device_state& device, std::vector<graph_command> commands, bool joins) {
  const bool is_single = devices_of(device, commands).size() == 1, in_slices = asked_slices().is_on();
  if (joins && is_single && !in_slices) return fuse(device, std::move(commands));
  fused_commands out;
  out.commands = std::move(commands);
  if (joins && in_slices) out.notes.push_back("no kernels are fused, because PRISM_SLICE splits launches");
  else if (joins)
    out.notes.push_back("no kernels are fused, because the graph's commands have several devices");
  return out;
}

bool is_full_memory(const devices::device_error& e) {
  return e.category() == devices::error_category::out_of_memory;
}

} // namespace

bool is_built(device_state& device, std::vector<graph_command> commands, bool joins) {
  const fused_commands all = fused(device, std::move(commands), joins);
  return std::all_of(all.commands.begin(), all.commands.end(), [&](const graph_command& c) {
    const auto* kernel = std::get_if<kernel_command>(&c.group->what);
    device_state& on = device_of(device, c);
    return kernel == nullptr || kernel->slot == nullptr || on.is_host() ||
           on.programs().is_known(*kernel->slot->record);
  });
}

executable_graph::executable_graph(device_state& device, std::vector<graph_command> commands, bool joins,
                                   const executable_graph* before)
    : m_device(device), m_runs(before != nullptr ? before->m_runs : std::make_shared<order_of_runs>()),
      m_fused(fused(device, std::move(commands), joins)), m_commands(m_fused.commands),
      m_devices(devices_of(device, m_commands)), m_order(order_or_refuse(m_devices, m_commands)) {
  make_segments(before);
  std::vector<bool> has_followers(m_order.size());
  for (const ordered_segment& segment : m_order)
    for (const std::size_t earlier : segment.after) has_followers[earlier] = true;
  for (std::size_t p = 0; p < m_order.size(); ++p)
    if (!has_followers[p]) m_leaves.push_back(p);
}

device_state& executable_graph::device_of(const ordered_segment& segment) const {
  return runtime::device_of(m_device, m_commands[segment.steps.front().node]);
}

/// The caller holds the mutex of m_runs.
queue_state& executable_graph::queue_for(queue_state& asked, device_state& device) {
  if (&asked.entry() == &device) return asked;
  const bool profiling = asked.settings().profiling;
  std::shared_ptr<queue_state>& own = m_runs->queues[{&device, profiling}];
  if (own == nullptr)
    own = std::make_shared<queue_state>(device, queue_settings{.in_order = false, .profiling = profiling});
  asked.take_failures_of(own);
  return *own;
}

/// Returns null if the buffers of the commands do not fit into the device's memory together, or if their
/// launches are submitted in slices.
std::shared_ptr<graph_segment> executable_graph::make_segment(const ordered_segment& segment,
                                                              const graph_segment* like,
                                                              graph_segment::prepared_steps& known) const {
  if (asked_slices().is_on()) return nullptr;
  try {
    return std::make_shared<graph_segment>(device_of(segment), m_commands, segment, known, like);
  } catch (const devices::device_error& failed) {
    if (!is_full_memory(failed)) throw;
    support::log(support::level::info, "a graph's " + std::to_string(segment.steps.size()) +
                                           " commands are submitted one by one: " + failed.what());
    return nullptr;
  }
}

void executable_graph::make_segments(const executable_graph* before) {
  const std::lock_guard lock(m_runs->mutex);
  graph_segment::prepared_steps known;
  std::vector<std::shared_ptr<graph_segment>> earlier;
  if (before != nullptr)
    for (const auto& segment : before->m_segments)
      if (segment != nullptr) {
        segment->add_steps_to(known);
        earlier.push_back(segment);
      }
  const std::size_t known_before = known.size();
  for (const ordered_segment& segment : m_order) {
    m_segments.push_back(nullptr);
    if (segment.where != node_kind::device) continue;
    const auto same = std::find_if(earlier.begin(), earlier.end(),
                                   [&](const auto& e) { return e->is_made_of(m_commands, segment); });
    if (same == earlier.end()) {
      const auto like = std::find_if(earlier.begin(), earlier.end(),
                                     [&](const auto& e) { return e->size() == segment.steps.size(); });
      m_segments.back() = make_segment(segment, like == earlier.end() ? nullptr : like->get(), known);
      continue;
    }
    (*same)->usm_is_the_same(); // throws if an allocation was freed
    m_segments.back() = std::move(*same);
    earlier.erase(same); // a device executes a command buffer once at a time, so each segment needs its own
  }
  if (before != nullptr) m_prepared = known.size() - known_before;
}

graph_shape executable_graph::shape() const {
  const std::lock_guard lock(m_runs->mutex);
  graph_shape out;
  out.devices = m_devices.size();
  out.in_slices = asked_slices().is_on();
  out.fused = m_fused.fused;
  out.launches = m_fused.launches;
  out.removed_bytes = m_fused.removed_bytes;
  out.launched_together = m_fused.launched_together;
  out.notes = m_fused.notes;
  out.prepared = m_prepared;
  for (std::size_t p = 0; p < m_segments.size(); ++p) {
    const std::size_t size = m_order[p].steps.size();
    const auto& segment = m_segments[p];
    out.commands += size;
    out.submissions += segment != nullptr ? 1 : size;
    if (segment == nullptr && m_order[p].where == node_kind::device) out.apart += size;
    if (segment == nullptr) continue;
    segment->resolve_method();
    out.recorded += segment->is_recorded();
    out.measured += segment->is_measured();
    out.barriers += segment->barriers();
    if (!segment->method_text().empty()) out.ways.push_back(segment->method_text());
  }
  return out;
}

/// Adds dependencies on the commands that the program named and on the previous execution. Device work in the
/// same device queue is already ordered.
void executable_graph::add_outside(dependency_list& list, const std::vector<command_ptr>& dependencies,
                                   const driver_queue* same, bool on_device) const {
  for (const command_ptr& d : dependencies)
    if (d != nullptr) add(list, std::static_pointer_cast<scheduled_command>(d));
  const command_ref last = m_runs->last.lock();
  if (last == nullptr || last->finished()) return;
  const bool behind = on_device && last->is_device_work() && &last->where() == same &&
                      last->current() == scheduled_command::phase::submitted;
  if (!behind) list.push_back({last, false});
}

command_ref executable_graph::run_alone(queue_state& queue, const graph_command& what,
                                        const dependency_list& after) {
  command_group group = what.make ? what.make() : command_group(*what.group);
  group.barrier = group.holds_later = false;
  group.dependencies.clear();
  for (const dependency& d : after) group.dependencies.push_back(d.on);
  return std::static_pointer_cast<scheduled_command>(what.submit ? what.submit(queue, std::move(group))
                                                                 : submit_group(queue, std::move(group)));
}

/// Executes commands one after another, so that each has its own execution time. Stores them in `out` if it
/// has room for each, and the first command of all.
command_ref executable_graph::run_apart(queue_state& queue, const ordered_segment& segment,
                                        dependency_list after, graph_run& out) {
  command_ref last;
  for (const ordered_step& step : segment.steps) {
    last = run_alone(queue, m_commands[step.node], after);
    after.clear();
    add(after, last);
    if (out.first == nullptr) out.first = last;
    if (out.each.empty()) continue;
    out.each[step.node] = last;
    out.order.push_back(step.node);
  }
  return last;
}

/// Returns null if the buffers of the segment do not fit into the device's memory together any more; then
/// nothing was submitted.
command_ref executable_graph::run_segment(queue_state& queue, graph_segment& segment,
                                          const dependency_list& after) {
  try {
    return segment.run(queue, after, shared_from_this());
  } catch (const devices::device_error& failed) {
    if (!is_full_memory(failed)) throw;
    return nullptr;
  }
}

/// A command without work.
command_ref executable_graph::order_only(queue_state& queue, const dependency_list& after) {
  graph_command nothing;
  nothing.group = std::make_shared<command_group>();
  return run_alone(queue, nothing, after);
}

/// Observers of memory accesses see an execution of the graph as one command.
class executable_graph::reported_run {
public:
  reported_run(executable_graph& of, queue_state& queue, const std::vector<command_ptr>& dependencies)
      : m_event{.device = of.m_device} {
    if (!observe::wants(observe::submissions)) return;
    m_after = dependencies;
    if (command_ref last = of.m_runs->last.lock()) m_after.push_back(std::move(last));
    for (const graph_command& c : of.m_commands) m_groups.push_back(c.group.get());
    m_event.queue = queue.where()->identity();
    m_event.in_order = queue.settings().in_order;
    m_event.is_graph = true;
    m_event.groups = m_groups;
    if (!std::exchange(of.m_was_reported, true)) m_event.first_of_graph = of.m_commands;
    m_event.after = m_after;
    m_followers = observe::submitting(m_event);
  }
  void submitted(const command_ref& end) {
    m_event.command = end;
    for (const auto& each : m_followers) each->submitted(m_event);
  }

private:
  std::vector<command_ptr> m_after;
  std::vector<const command_group*> m_groups;
  observe::submission_event m_event;
  observe::follower_list m_followers;
};

graph_run executable_graph::run(queue_state& queue, const std::vector<command_ptr>& dependencies,
                                bool one_by_one) {
  if (std::find(m_devices.begin(), m_devices.end(), &queue.entry()) == m_devices.end())
    throw error(error_code::invalid, "a graph made for " + m_device.label() +
                                         " was submitted to a queue of " + queue.entry().label());
  const std::lock_guard lock(m_runs->mutex);
  for (const auto& segment : m_segments) // before anything is submitted
    if (segment != nullptr) segment->usm_is_the_same();
  reported_run reported(*this, queue, dependencies);
  const observe::one_event as_one;
  const bool timed = one_by_one || observe::wants(observe::launch_times);
  graph_run out;
  if (one_by_one) out.each.resize(m_commands.size());
  // A command in the program's queue before and after those of other devices gives them the order of that
  // queue.
  const bool has_others = m_devices.size() > 1;
  command_ref begin;
  if (has_others) {
    dependency_list after;
    add_outside(after, dependencies, queue.where().get(), false);
    begin = order_only(queue, after);
  }
  std::vector<command_ref> done;
  const auto before = [&](const ordered_segment& segment, bool as_one) {
    dependency_list after;
    for (const std::size_t earlier : segment.after) add(after, done[earlier]);
    if (segment.after.empty() && has_others) add(after, begin);
    else if (segment.after.empty()) add_outside(after, dependencies, queue.where().get(), as_one);
    return after;
  };
  for (std::size_t p = 0; p < m_order.size(); ++p) {
    queue_state& on = queue_for(queue, device_of(m_order[p]));
    command_ref segment;
    if (m_segments[p] != nullptr && !timed)
      segment = run_segment(on, *m_segments[p], before(m_order[p], true));
    if (segment == nullptr) segment = run_apart(on, m_order[p], before(m_order[p], false), out);
    if (out.first == nullptr) out.first = segment;
    done.push_back(std::move(segment));
  }
  command_ref end;
  if (m_leaves.size() == 1 && !has_others) {
    end = done[m_leaves[0]];
  } else {
    dependency_list after;
    for (const std::size_t p : m_leaves) add(after, done[p]);
    if (m_leaves.empty()) add_outside(after, dependencies, queue.where().get(), true);
    end = order_only(queue, after);
  }
  reported.submitted(end);
  m_runs->last = end;
  if (out.first == nullptr) out.first = end;
  out.last = std::move(end);
  return out;
}

} // namespace prism::runtime
