// Prepares and executes a segment: merges all uses of buffers, chooses the method, and submits.
#include "runtime/exec_graph/segment.hpp"

#include "runtime/exec_graph/node_kind.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/observe/source_line.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

bool contains(const memory::byte_box& outer, const memory::byte_box& inner) {
  for (int d = 0; d < 3; ++d)
    if (inner.lo[d] < outer.lo[d] || inner.hi[d] > outer.hi[d]) return false;
  return true;
}
bool equal(const memory::byte_box& a, const memory::byte_box& b) { return contains(a, b) && contains(b, a); }

prepared_kernel prepared(device_state& device, const request& what) {
  const auto* kernel = std::get_if<kernel_command>(&what);
  return kernel != nullptr ? prepare_kernel(device, kernel_command(*kernel)) : prepared_kernel();
}

} // namespace

graph_segment::prepared_step::prepared_step(device_state& device, std::shared_ptr<const command_group> what)
    : group(std::move(what)), kernel(prepared(device, group->what)) {}

graph_segment::graph_segment(device_state& device, const std::vector<graph_command>& commands,
                             const ordered_segment& order, prepared_steps& known, const graph_segment* like)
    : m_device(device), m_submits_again(asked_graph_method() == graph_method_setting::resubmission) {
  if (like != nullptr && !like->is_measured()) {
    m_submits_again = like->m_submits_again;
    m_method_text = like->m_method_text;
  }
  for (const ordered_step& from : order.steps) {
    const std::shared_ptr<const command_group>& group = commands[from.node].group;
    std::shared_ptr<const prepared_step>& ready = known[group.get()];
    if (ready == nullptr) ready = std::make_shared<const prepared_step>(device, group);
    m_steps.push_back({ready, from.after_all});
    add_uses(*ready);
  }
  if (m_uses.empty()) {
    bind(nullptr);
    return;
  }
  buffer_plan plan(&m_device, m_uses);
  make_in_room(plan, false);
  bind(&plan);
}

bool graph_segment::is_made_of(const std::vector<graph_command>& commands,
                               const ordered_segment& order) const {
  return std::equal(m_steps.begin(), m_steps.end(), order.steps.begin(), order.steps.end(),
                    [&](const step& mine, const ordered_step& other) {
    return mine.what->group == commands[other.node].group && mine.after_all == other.after_all;
  });
}

void graph_segment::add_steps_to(prepared_steps& known) const {
  for (const step& s : m_steps) known.emplace(s.what->group.get(), s.what);
}

std::size_t graph_segment::barriers() const {
  return std::size_t(
      std::count_if(m_steps.begin(), m_steps.end(), [](const step& s) { return s.after_all; }));
}

void graph_segment::add_uses(const prepared_step& s) {
  for (const requirement& r : s.group->requirements) {
    buffer_use use = use_of(*r.buffer, r.region, mode_reads(r.mode), mode_writes(r.mode));
    if (r.stated) use.stated = use.buffer->checked(*r.stated);
    use.needs_address = s.kernel.needs_address;
    if (!s.kernel.runs) use.where = {}; // still orders the command, but copies no bytes
    add_use(use);
  }
  if (const auto* copy = std::get_if<copy_request>(&s.group->what)) {
    if (copy->from.buffer != nullptr) add_use(use_of(*copy->from.buffer, copy->from.region, true, false));
    if (copy->to.buffer != nullptr) add_use(use_of(*copy->to.buffer, copy->to.region, false, true));
  }
  if (const auto* fill = std::get_if<fill_request>(&s.group->what))
    if (fill->to.buffer != nullptr) add_use(use_of(*fill->to.buffer, fill->to.region, false, true));
}

/// Merges a use with those of earlier steps. Bytes that an earlier step writes need not be current before the
/// segment.
void graph_segment::add_use(const buffer_use& use) {
  buffer_use* same = nullptr;
  bool written = false;
  for (buffer_use& earlier : m_uses) {
    if (earlier.buffer != use.buffer) continue;
    const memory::byte_box before = earlier.stated.value_or(earlier.where),
                           now = use.stated.value_or(use.where);
    written = written || (earlier.writes && contains(before, now));
    if (equal(earlier.where, use.where) && earlier.stated == use.stated) same = &earlier;
  }
  if (same == nullptr) {
    m_uses.push_back(use);
    if (written) m_uses.back().reads = false;
    return;
  }
  same->reads = same->reads || (use.reads && !written);
  same->writes = same->writes || use.writes;
  same->needs_address = same->needs_address || use.needs_address;
}

std::string graph_segment::what_it_is() const {
  const std::string line = m_steps.empty() ? std::string() : line_of(*m_steps.front().what->group);
  return "a graph's " + std::to_string(m_steps.size()) + " commands" +
         (line.empty() ? "" : " (" + line + ")") + " on " + m_device.label();
}

/// Records a command buffer if the device supports that and it is not known to be slower.
void graph_segment::record_commands(ready_commands& made,
                                    std::span<const devices::command_buffer_step> steps) {
  if (m_submits_again) return;
  const graph_method_setting asked = asked_graph_method();
  made.recorded = m_device.raw().create_command_buffer(steps);
  if (made.recorded == nullptr) {
    const std::string refusal = m_device.raw().no_command_buffer_reason();
    const bool is_asked = asked == graph_method_setting::command_buffer;
    support::log(is_asked && !refusal.empty() ? support::level::warn : support::level::info,
                 what_it_is() + " are resubmitted in each execution: " +
                     (refusal.empty() ? "the driver cannot record one of them" : refusal));
  } else if (asked == graph_method_setting::measure && made.recorded->may_cost_more() &&
             m_method_text.empty()) {
    m_trial = std::make_shared<method_trial>();
  }
}

void graph_segment::resolve_method() {
  const auto found = m_trial != nullptr ? m_trial->verdict() : std::nullopt;
  if (!found) return;
  m_trial = nullptr;
  m_submits_again = !found->keep;
  m_method_text = std::string(found->keep ? "recorded" : "resubmitted") + " (" +
                  (found->text().empty() ? "no execution could be measured" : found->text()) + ")";
  support::log(support::level::info, what_it_is() + ": " + m_method_text);
  if (!m_submits_again) return;
  auto plain = std::make_shared<ready_commands>(); // executions in flight still use the command buffer
  plain->commands = m_ready->commands;
  m_ready = std::move(plain);
}

bool graph_segment::usm_is_the_same() {
  const memory::usm_registry& usm = m_device.usm();
  const std::uint64_t generation = usm.generation();
  if (generation == m_usm_generation) return true;
  bool same = true;
  for (const auto& [used, line] : m_usm) {
    const memory::usm_block now = usm.find(used.base);
    if (now.base != used.base)
      throw error(error_code::invalid,
                  "a graph on " + m_device.label() + " uses a USM allocation of " +
                      std::to_string(used.bytes) + " bytes" +
                      (line.empty() ? std::string() : " (" + line + ")") +
                      " that was freed after the graph was finalized: free it only after the graph, or "
                      "update the graph's commands");
    same = same && now == used;
  }
  if (same) m_usm_generation = generation;
  return same;
}

bool graph_segment::allocations_are_the_same(const buffer_plan& plan) const {
  for (std::size_t i = 0; i < m_uses.size(); ++i)
    if (plan.object(m_uses[i]) != m_allocations[i].object ||
        m_uses[i].buffer->root()->allocations.releases() != m_allocations[i].releases)
      return false;
  return true;
}

/// Reports the explicit copies of one execution. Copies for buffers are reported by the plan.
void graph_segment::report_copies(const queue_state& queue) const {
  for (const step& s : m_steps) {
    const auto* copy = std::get_if<copy_request>(&s.what->group->what);
    if (copy == nullptr) continue;
    const std::uint64_t bytes = copy->from.buffer != nullptr ? bytes_of(copy->from).bytes()
                                : copy->to.buffer != nullptr ? bytes_of(copy->to).bytes()
                                                             : copy->bytes * copy->rows;
    const std::string line = line_of(*s.what->group);
    observe::copied(
        {bytes, m_device.label(), m_device.label(), "explicit copy", {}, line, queue.where()->identity()});
  }
}

command_ref graph_segment::run(queue_state& queue, const dependency_list& after,
                               const std::shared_ptr<void>& whole) {
  support::trace::scope traced("submit", "submit a segment of a graph");
  const command_ref c = make_command(queue.where(), no_work{});
  command_origin from;
  if (!m_steps.empty()) from = origin_of(*m_steps.front().what->group);
  from.what = command_origin::kind::graph;
  from.count = m_steps.size();
  c->set_origin(from);
  if (observe::wants(observe::labels))
    c->set_label("a graph's " + std::to_string(m_steps.size()) + " commands",
                 m_steps.empty() ? std::string() : line_of(*m_steps.front().what->group));
  if (observe::wants(observe::spans))
    c->follow_with(observe::submitting({.device = m_device, .arrow = traced.begin_arrow()}));
  if (observe::wants(observe::transfers)) report_copies(queue);
  for (const dependency& d : after) c->depend_on(d.on, d.data);
  c->retain(whole);
  resolve_method();
  const auto take_ready = [&] {
    // Queues that measure submit each command separately anyway.
    std::shared_ptr<submission_method> ready = m_ready;
    if (m_trial != nullptr && !queue.where()->measures()) ready = m_trial->next_run(m_ready);
    c->payload() = device_work{{}, ready.get()};
    c->retain(ready);
  };
  if (m_uses.empty()) {
    if (!usm_is_the_same() || m_ready == nullptr) bind(nullptr);
    take_ready();
    queue.where()->enqueue(c, {queue.settings().in_order, false});
    return c;
  }
  buffer_plan plan(&m_device, m_uses);
  make_in_room(plan, false);
  if (!usm_is_the_same() || m_ready == nullptr || !allocations_are_the_same(plan)) bind(&plan);
  take_ready();
  plan.commit(c);
  queue.where()->enqueue(c, {queue.settings().in_order, false});
  return c;
}

} // namespace prism::runtime
