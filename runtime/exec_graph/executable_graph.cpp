#include "runtime/exec_graph/executable_graph.hpp"

#include "runtime/exec_graph/node_kind.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/submission/submission.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace prism::runtime {

namespace {

std::vector<ordered_segment> order_or_refuse(device_state& device,
                                             const std::vector<graph_command>& commands) {
  std::vector<order_node> nodes;
  nodes.reserve(commands.size());
  for (const graph_command& c : commands) nodes.push_back({kind_of(device, c), c.after});
  auto order = order_of(nodes);
  if (!order) throw error(error_code::invalid, "the graph's commands form a cycle");
  return std::move(*order);
}

void add(dependency_list& list, const command_ref& on) { list.push_back({on, !on->is_host_task()}); }

fused_commands as_they_are(std::vector<graph_command> commands) {
  fused_commands out;
  out.commands = std::move(commands);
  return out;
}

} // namespace

executable_graph::executable_graph(device_state& device, std::vector<graph_command> commands, bool joins,
                                   const executable_graph* before)
    : m_device(device), m_runs(before != nullptr ? before->m_runs : std::make_shared<order_of_runs>()),
      m_fused(joins ? fuse(device, std::move(commands)) : as_they_are(std::move(commands))),
      m_commands(m_fused.commands), m_order(order_or_refuse(device, m_commands)) {
  make_parts(before);
  std::vector<bool> has_followers(m_order.size());
  for (const ordered_segment& part : m_order)
    for (const std::size_t earlier : part.after) has_followers[earlier] = true;
  for (std::size_t p = 0; p < m_order.size(); ++p)
    if (!has_followers[p]) m_leaves.push_back(p);
}

void executable_graph::make_parts(const executable_graph* before) {
  const std::lock_guard lock(m_runs->mutex);
  graph_segment::prepared_steps known;
  std::vector<std::shared_ptr<graph_segment>> earlier;
  if (before != nullptr)
    for (const auto& part : before->m_parts)
      if (part != nullptr) {
        part->add_steps_to(known);
        earlier.push_back(part);
      }
  const std::size_t known_before = known.size();
  for (const ordered_segment& part : m_order) {
    m_parts.push_back(nullptr);
    if (part.where != node_kind::device) continue;
    const auto same = std::find_if(earlier.begin(), earlier.end(),
                                   [&](const auto& e) { return e->is_made_of(m_commands, part); });
    if (same == earlier.end()) {
      const auto like = std::find_if(earlier.begin(), earlier.end(),
                                     [&](const auto& e) { return e->size() == part.steps.size(); });
      m_parts.back() = std::make_shared<graph_segment>(m_device, m_commands, part, known,
                                                       like == earlier.end() ? nullptr : like->get());
      continue;
    }
    (*same)->usm_is_the_same(); // throws if an allocation was freed
    m_parts.back() = std::move(*same);
    earlier.erase(same); // a device executes a command buffer once at a time, so each segment needs its own
  }
  if (before != nullptr) m_prepared = known.size() - known_before;
}

graph_shape executable_graph::shape() const {
  const std::lock_guard lock(m_runs->mutex);
  graph_shape out;
  out.submissions = m_order.size();
  out.joined = m_fused.joined;
  out.launches = m_fused.launches;
  out.removed_bytes = m_fused.removed_bytes;
  out.launched_together = m_fused.launched_together;
  out.notes = m_fused.notes;
  out.prepared = m_prepared;
  for (const auto& part : m_parts) {
    out.commands += part != nullptr ? part->size() : 1;
    if (part == nullptr) continue;
    part->resolve_method();
    out.kept += part->is_recorded();
    out.measured += part->is_measured();
    out.barriers += part->barriers();
    if (!part->method_text().empty()) out.ways.push_back(part->method_text());
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

/// Executes commands one after another, so that each has its own execution time.
command_ref executable_graph::run_apart(queue_state& queue, const ordered_segment& part,
                                        dependency_list after) {
  command_ref last;
  for (const ordered_step& step : part.steps) {
    last = run_alone(queue, m_commands[step.node], after);
    after.clear();
    add(after, last);
  }
  return last;
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

graph_run executable_graph::run(queue_state& queue, const std::vector<command_ptr>& dependencies) {
  if (&queue.entry() != &m_device)
    throw error(error_code::invalid, "a graph made for " + m_device.label() +
                                         " was submitted to a queue of " + queue.entry().label());
  const std::shared_ptr<void> whole = shared_from_this();
  const std::lock_guard lock(m_runs->mutex);
  for (const auto& part : m_parts) // before anything is submitted
    if (part != nullptr) part->usm_is_the_same();
  reported_run reported(*this, queue, dependencies);
  const observe::one_event as_one;
  const bool timed = observe::wants(observe::launch_times);
  std::vector<command_ref> done;
  for (std::size_t p = 0; p < m_order.size(); ++p) {
    dependency_list after;
    for (const std::size_t before : m_order[p].after) add(after, done[before]);
    if (m_order[p].after.empty())
      add_outside(after, dependencies, queue.where().get(), m_parts[p] != nullptr && !timed);
    done.push_back(m_parts[p] != nullptr && !timed ? m_parts[p]->run(queue, after, whole)
                                                   : run_apart(queue, m_order[p], std::move(after)));
  }
  command_ref end;
  if (m_leaves.size() == 1) {
    end = done[m_leaves[0]];
  } else {
    dependency_list after;
    for (const std::size_t p : m_leaves) add(after, done[p]);
    if (m_leaves.empty()) add_outside(after, dependencies, queue.where().get(), true);
    graph_command nothing;
    nothing.group = std::make_shared<command_group>();
    end = run_alone(queue, nothing, after);
  }
  reported.submitted(end);
  m_runs->last = end;
  return {done.empty() ? end : done.front(), end};
}

} // namespace prism::runtime
