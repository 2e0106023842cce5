// A segment of a graph, executed as one submission: converts command groups to commands, and merges all uses
// of buffers.
#include "runtime/exec_graph/executable_graph.hpp"

#include "runtime/launch/bind_arguments.hpp"
#include "runtime/observe/source_line.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/submission/transfer.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cstring>

namespace prism::runtime {

namespace {

/// Whether the pointer is USM that copies and fills of this device can access.
bool on_device(device_state& device, void* pointer, std::uint64_t bytes) {
  const pointer_side side = resolve_pointer(device, pointer, bytes);
  return side.where.object != nullptr && side.peer == nullptr;
}

memory::byte_box bytes_of(const copy_side& side) { return view_of(*side.buffer).checked(side.region); }

graph::node_kind kind_of_copy(device_state& device, const copy_request& copy) {
  const auto reached = [&](const copy_side& side, std::uint64_t pitch) {
    return side.buffer != nullptr ||
           (copy.bytes != 0 && on_device(device, side.pointer, pitched_bytes(copy.rows, pitch, copy.bytes)));
  };
  if (!reached(copy.from, copy.from_pitch) || !reached(copy.to, copy.to_pitch))
    return graph::node_kind::alone;
  // Copies between boxes of different shapes are rare; they are submitted as single commands.
  const bool both = copy.from.buffer != nullptr && copy.to.buffer != nullptr;
  return both && memory::extent_of(bytes_of(copy.from)) != memory::extent_of(bytes_of(copy.to))
             ? graph::node_kind::alone
             : graph::node_kind::device;
}

bool contains(const memory::byte_box& outer, const memory::byte_box& inner) {
  for (int d = 0; d < 3; ++d)
    if (inner.lo[d] < outer.lo[d] || inner.hi[d] > outer.hi[d]) return false;
  return true;
}
bool equal(const memory::byte_box& a, const memory::byte_box& b) { return contains(a, b) && contains(b, a); }

} // namespace

graph::node_kind kind_of(device_state& device, const graph_command& what) {
  if (what.make || what.submit) return graph::node_kind::alone;
  struct {
    device_state& device;
    const command_group& group;
    graph::node_kind operator()(const empty_request&) const {
      return group.requirements.empty() ? graph::node_kind::nothing : graph::node_kind::alone;
    }
    graph::node_kind operator()(const kernel_command&) const { return graph::node_kind::device; }
    graph::node_kind operator()(const copy_request& copy) const {
      return group.requirements.empty() ? kind_of_copy(device, copy) : graph::node_kind::alone;
    }
    graph::node_kind operator()(const fill_request& fill) const {
      const bool here = fill.to.buffer != nullptr ||
                        on_device(device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes));
      return here && group.requirements.empty() ? graph::node_kind::device : graph::node_kind::alone;
    }
    graph::node_kind operator()(const update_host_request&) const { return graph::node_kind::alone; }
    graph::node_kind operator()(const host_task_request&) const { return graph::node_kind::alone; }
    graph::node_kind operator()(const native_kernel_request&) const { return graph::node_kind::alone; }
  } const decide{device, *what.group};
  return std::visit(decide, what.group->what);
}

namespace {

prepared_kernel prepared(device_state& device, const request& what) {
  const auto* kernel = std::get_if<kernel_command>(&what);
  return kernel != nullptr ? prepare_kernel(device, kernel_command(*kernel)) : prepared_kernel();
}

} // namespace

graph_segment::prepared_step::prepared_step(device_state& device, std::shared_ptr<const command_group> what)
    : group(std::move(what)), kernel(prepared(device, group->what)) {}

graph_segment::graph_segment(device_state& device, const std::vector<graph_command>& commands,
                             const graph::ordered_segment& order, prepared_steps& known,
                             const graph_segment* like)
    : m_device(device), m_submits_again(asked_graph_method() == graph_method_setting::resubmission) {
  if (like != nullptr && !like->is_measured()) {
    m_submits_again = like->m_submits_again;
    m_method_text = like->m_method_text;
  }
  for (const graph::ordered_step& from : order.steps) {
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
  plan.make(false);
  bind(&plan);
}

bool graph_segment::is_made_of(const std::vector<graph_command>& commands,
                               const graph::ordered_segment& order) const {
  return std::equal(m_steps.begin(), m_steps.end(), order.steps.begin(), order.steps.end(),
                    [&](const step& mine, const graph::ordered_step& other) {
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
    written = written || (earlier.writes && contains(earlier.where, use.where));
    if (equal(earlier.where, use.where)) same = &earlier;
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

devices::memory* graph_segment::object_of(const buffer_view& view, const buffer_plan& plan) const {
  // All uses of one buffer on one device use the same allocation.
  const auto found = std::find_if(m_uses.begin(), m_uses.end(),
                                  [&](const buffer_use& u) { return u.buffer->root() == view.root(); });
  return plan.object(*found);
}

void graph_segment::record_usm(std::uint64_t address) {
  const memory::usm_block block = m_device.usm().find(address);
  if (block.base != 0 && std::find(m_usm.begin(), m_usm.end(), block) == m_usm.end()) m_usm.push_back(block);
}

/// If it throws, m_ready stays null, because the previous commands may use memory that was freed.
void graph_segment::bind(const buffer_plan* plan) {
  m_ready = nullptr;
  m_trial = nullptr;
  m_usm.clear();
  m_usm_generation = m_device.usm().generation(); // before the following code looks up allocations
  auto made = std::make_shared<ready_commands>();
  std::vector<devices::command_buffer_step> steps;
  for (const step& s : m_steps) {
    devices::command_list own;
    if (const auto* kernel = std::get_if<kernel_command>(&s.what->group->what))
      append(*s.what, *kernel, plan, own);
    if (const auto* copy = std::get_if<copy_request>(&s.what->group->what)) append(*copy, plan, own);
    if (const auto* fill = std::get_if<fill_request>(&s.what->group->what)) append(*fill, plan, own);
    bool waits = s.after_all;
    for (devices::command& c : own) {
      steps.push_back({c, waits});
      waits = false; // rows of one copy or fill do not overlap
      made->commands.push_back(std::move(c));
    }
    // If a step has no commands, its barrier must still be recorded. The next step may then wait for more
    // than necessary, which is harmless.
    if (own.empty() && waits) steps.push_back({devices::barrier_command{}, true});
  }
  if (made->commands.empty()) made->commands.push_back(devices::barrier_command{});
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (std::holds_alternative<devices::barrier_command>(steps[i - 1].what) && steps[i - 1].after_all)
      steps[i].after_all = true;
  m_allocations.clear();
  if (plan != nullptr)
    for (const buffer_use& u : m_uses) m_allocations.push_back({u.buffer->root().get(), plan->object(u)});
  record_commands(*made, steps);
  m_ready = std::move(made);
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

void graph_segment::append(const prepared_step& s, const kernel_command&, const buffer_plan* plan,
                           devices::command_list& out) {
  if (!s.kernel.runs) return;
  prepared_kernel kernel = s.kernel;
  token_list accessors;
  for (const requirement& r : s.group->requirements) {
    const buffer_view& view = view_of(*r.buffer);
    if (r.token != 0) accessors.push_back({r.token, object_of(view, *plan), view.offset() + r.byte_offset});
  }
  const std::uint32_t slots = kernel.record != nullptr ? kernel.record->slot_count : 0;
  for (std::uint32_t i = 0; i < slots; ++i) {
    const std::size_t at = kernel.record->slots[i].offset;
    if (at + sizeof(std::uint64_t) > kernel.dispatch.arguments.size()) continue;
    std::uint64_t word;
    std::memcpy(&word, kernel.dispatch.arguments.data() + at, sizeof word);
    if (!is_token(word)) record_usm(word);
  }
  bind_arguments(m_device, kernel, accessors);
  out.push_back(std::move(kernel.dispatch));
}

void graph_segment::append(const copy_request& copy, const buffer_plan* plan, devices::command_list& out) {
  memory::byte_box like{{0, 0, 0}, {1, 1, copy.bytes}};
  if (copy.from.buffer != nullptr) like = bytes_of(copy.from);
  else if (copy.to.buffer != nullptr) like = bytes_of(copy.to);
  const bool pointers = copy.from.buffer == nullptr && copy.to.buffer == nullptr;
  const auto shaped = [&](const copy_side& side, std::uint64_t pitch) {
    if (side.buffer != nullptr) {
      const buffer_view& view = view_of(*side.buffer);
      shaped_side out_side{{}, view.geometry(), view.checked(side.region)};
      out_side.where.object = object_of(view, *plan);
      out_side.where.offset = view.offset();
      return out_side;
    }
    const devices::location where =
        resolve_pointer(m_device, side.pointer, pitched_bytes(copy.rows, pitch, copy.bytes)).where;
    record_usm(reinterpret_cast<std::uint64_t>(side.pointer));
    return pointers ? pitched_side(where, copy.rows, pitch, copy.bytes) : dense_side(where, like);
  };
  for (devices::copy_command& c :
       copies_between(shaped(copy.from, copy.from_pitch), shaped(copy.to, copy.to_pitch)))
    out.push_back(c);
}

void graph_segment::append(const fill_request& fill, const buffer_plan* plan, devices::command_list& out) {
  if (fill.pattern.empty()) throw error(error_code::invalid, "fill: the pattern is empty");
  shaped_side to{};
  if (fill.to.buffer != nullptr) {
    const buffer_view& view = view_of(*fill.to.buffer);
    to = {{}, view.geometry(), view.checked(fill.to.region)};
    to.where.object = object_of(view, *plan);
    to.where.offset = view.offset();
  } else {
    if (fill.bytes % fill.pattern.size() != 0)
      throw error(error_code::invalid, "fill: " + std::to_string(fill.bytes) +
                                           " bytes are not a multiple of the pattern's " +
                                           std::to_string(fill.pattern.size()));
    to = pitched_side(
        resolve_pointer(m_device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes)).where,
        fill.rows, fill.pitch, fill.bytes);
    record_usm(reinterpret_cast<std::uint64_t>(fill.to.pointer));
  }
  std::shared_ptr<void> staging;
  for (devices::command& c : fills_of(to, fill.pattern, staging)) out.push_back(std::move(c));
  if (staging != nullptr) m_staging.push_back(std::move(staging));
}

bool graph_segment::usm_is_the_same() {
  const memory::usm_registry& usm = m_device.usm();
  const std::uint64_t generation = usm.generation();
  if (generation == m_usm_generation) return true;
  bool same = true;
  for (const memory::usm_block& used : m_usm) {
    const memory::usm_block now = usm.find(used.base);
    if (now.base != used.base)
      throw error(error_code::invalid,
                  "a graph on " + m_device.label() + " uses a USM allocation of " +
                      std::to_string(used.bytes) +
                      " bytes that was freed after the graph was finalized: free it only after the graph, or "
                      "update the graph's commands");
    same = same && now == used;
  }
  if (same) m_usm_generation = generation;
  return same;
}

bool graph_segment::allocations_are_the_same(const buffer_plan& plan) const {
  for (std::size_t i = 0; i < m_uses.size(); ++i)
    if (plan.object(m_uses[i]) != m_allocations[i].object) return false;
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
  support::trace::scope traced("submit", "submit a part of a graph");
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
  plan.make(false);
  if (!usm_is_the_same() || m_ready == nullptr || !allocations_are_the_same(plan)) bind(&plan);
  take_ready();
  plan.commit(c);
  queue.where()->enqueue(c, {queue.settings().in_order, false});
  return c;
}

} // namespace prism::runtime
