// submit(): from a command group to a command. Each kind of request names its uses of buffers, then makes its work
// under the buffers' locks once their places are known. Lock order: buffers, lane, driver.
#include "devices/api/interop.hpp"
#include "runtime/memory/transfer_report.hpp"
#include "runtime/schedule/access_check.hpp"
#include "runtime/schedule/copy_place.hpp"
#include "runtime/schedule/kernel_launch.hpp"
#include "runtime/schedule/kernel_times.hpp"
#include "runtime/schedule/program_line.hpp"
#include "runtime/schedule/queue.hpp"
#include "runtime/schedule/transfer.hpp"
#include "runtime/support/trace.hpp"

#include <algorithm>

namespace prism {

namespace schedule {

namespace {

std::string label_of(const request& what) {
  struct {
    std::string operator()(const empty_request&) const { return "nothing"; }
    std::string operator()(const kernel_command& k) const {
      if (k.name != nullptr && *k.name != '\0') return k.name;
      return k.slot != nullptr && k.slot->record != nullptr ? k.slot->record->display_name : "kernel";
    }
    std::string operator()(const copy_request& c) const { return "copy " + (c.bytes != 0 ? std::to_string(c.bytes) + " B" : std::string("of a buffer")); }
    std::string operator()(const fill_request&) const { return "fill"; }
    std::string operator()(const update_host_request&) const { return "update the host's copy"; }
    std::string operator()(const host_task_request&) const { return "host task"; }
    std::string operator()(const foreign_kernel_request&) const { return "kernel of the program's own"; }
  } const name;
  return std::visit(name, what);
}

class submission {
public:
  submission(queue_entry& queue, command_group& group)
      : m_queue(queue), m_group(group), m_device(queue.entry()),
        m_command(make_command(queue.where(), no_work{})) {
    for (const command_ptr& d : group.dependencies) {
      if (d == nullptr) continue;
      auto on = std::static_pointer_cast<command>(d);
      const bool data = !on->is_host_task();
      m_command->depend_on(std::move(on), data);
    }
    for (std::shared_ptr<void>& k : group.keep_alive) m_command->keep(std::move(k));
  }

  label_ref label() const {
    const auto make = [&] { return std::make_shared<const command_label>(command_label{label_of(m_group.what), line_of(m_group)}); };
    const auto* kernel = std::get_if<kernel_command>(&m_group.what);
    if (kernel == nullptr || kernel->name == nullptr || *kernel->name == '\0') return make();
    const char* const file = m_group.line.file != nullptr ? m_group.line.file : kernel->functor != nullptr ? kernel->functor : "";
    return m_device.labels().get(kernel->name, file, m_group.line.line, make);
  }

  command_ref run() {
    const support::trace::scope traced("submit", "submit");
    if (support::trace::on() || memory::reports_transfers() || command::watches_waits())
      m_command->set_label(label());
    if (times_kernels() && &m_device != context::get().opened_reference())
      if (const auto* kernel = std::get_if<kernel_command>(&m_group.what))
        m_command->count_for(sum_of(m_device, label_of(m_group.what), kernel->slot != nullptr ? kernel->slot->record : nullptr),
                             double(kernel->global[0]) * double(kernel->global[1]) * double(kernel->global[2]));
    if (access_check* const check = access_check::active(); check != nullptr && !access_check::quiet::here()) return run_checked(*check);
    std::visit([this](auto& request) { submit(request); }, m_group.what);
    return std::move(m_command);
  }

private:
  command_ref run_checked(access_check& check) {
    access_check::uses used;
    used.name = label_of(m_group.what);
    used.line = line_of(m_group);
    access_check::look(m_group, used);
    const std::vector<command_ptr> after = m_group.dependencies;
    std::visit([this](auto& request) { submit(request); }, m_group.what);
    check.submitted(m_command, {m_queue.where().get(), m_queue.settings().in_order, m_group.barrier, m_group.barrier || m_group.holds_later}, after, std::move(used));
    return std::move(m_command);
  }
  void submit(empty_request&);
  void submit(kernel_command& kernel);
  void submit(copy_request& copy);
  void submit(fill_request& fill);
  void submit(update_host_request& update);
  void submit(host_task_request& task);
  void submit(foreign_kernel_request& kernel);

  /// Uses for the requirements; those of `except` are replaced by the request's own.
  use_list requirement_uses(std::initializer_list<const buffer_node*> except = {}) const;
  void enqueue() {
    m_command->where().enqueue(m_command, {m_queue.settings().in_order, m_group.barrier, m_group.holds_later});
  }
  /// For an explicit copy or fill, which may run in the queue's other lane; all its dependencies are known.
  void enqueue_copy(std::uint64_t bytes, bool uses_host_memory) {
    const devices::capabilities& info = m_device.info();
    copy_facts facts{m_queue.settings().in_order, info.copies_beside_kernels, info.software || info.type == devices::device_type::cpu,
                     uses_host_memory, bytes};
    if (m_command->is_device_work() && !m_group.barrier && !m_group.holds_later && may_run_beside_kernels(facts)) {
      facts.kernel_is_in_the_way = !is_large(facts) && m_queue.where()->has_kernel_in_the_way_of(*m_command);
      lane_ref beside = runs_beside_kernels(facts) ? m_queue.where()->copies() : nullptr;
      if (beside != nullptr) m_command->move_to(std::move(beside));
    }
    enqueue();
  }
  /// A command that only orders.
  static work nothing() { return device_work{{devices::barrier_command{}}}; }
  /// Own copies and then `commands`.
  static work on_device(const buffer_plan* plan, devices::command_list commands);
  void finish_plan(buffer_plan& plan) {
    plan.commit(m_command);
    enqueue();
  }

  queue_entry& m_queue;
  command_group& m_group;
  device_entry& m_device;
  command_ref m_command;
};

use_list submission::requirement_uses(std::initializer_list<const buffer_node*> except) const {
  use_list uses;
  uses.reserve(m_group.requirements.size());
  for (const requirement& r : m_group.requirements) {
    if (std::find(except.begin(), except.end(), r.buffer.get()) != except.end()) continue;
    uses.push_back(use_of(*r.buffer, r.region, mode_reads(r.mode), mode_writes(r.mode)));
    uses.back().on_host = r.on_host;
    uses.back().claims_region = m_group.claims_regions;
    if (r.on_host) uses.back().why = memory::copy_reason::host_read;
  }
  return uses;
}

work submission::on_device(const buffer_plan* plan, devices::command_list commands) {
  if (plan != nullptr && !plan->own_copies().empty())
    commands.insert(commands.begin(), plan->own_copies().begin(), plan->own_copies().end());
  if (commands.empty()) return nothing();
  return device_work{std::move(commands)};
}

void submission::submit(empty_request&) {
  use_list uses = requirement_uses();
  m_command->payload() = nothing();
  if (uses.empty()) return enqueue();
  buffer_plan plan(&m_device, uses);
  plan.make(true);
  m_command->payload() = on_device(&plan, {});
  finish_plan(plan);
}

void submission::submit(kernel_command& request) {
  prepared_kernel kernel = prepare_kernel(m_device, std::move(request));
  if (m_device.is_host()) m_command->needs_module_of(kernel.code());
  use_list uses = requirement_uses();
  for (buffer_use& u : uses) {
    u.needs_address = kernel.needs_address;
    if (!kernel.runs) u.where = {}; // orders, moves no bytes
  }
  token_list accessors;
  const auto work_now = [&](const buffer_plan* plan) {
    if (!kernel.runs) return nothing();
    bind_arguments(m_device, kernel, accessors);
    if (kernel.uses_known) m_command->mark_uses_known();
    if (specialiser::watches()) m_device.specialising().look(kernel, *m_command);
    devices::command_list commands;
    commands.push_back(std::move(kernel.dispatch));
    return on_device(plan, std::move(commands));
  };
  if (uses.empty()) {
    m_command->payload() = work_now(nullptr);
    return enqueue();
  }
  buffer_plan plan(&m_device, uses);
  plan.make(true);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const requirement& r = m_group.requirements[i];
    if (r.token != 0 && !uses[i].on_host)
      accessors.push_back({r.token, plan.object(uses[i]), uses[i].buffer->offset() + r.byte_offset});
  }
  m_command->payload() = work_now(&plan);
  finish_plan(plan);
}

/// A buffer's side of an explicit copy, once its place is known.
shaped_side side_of(const buffer_plan& plan, const buffer_use& use, bool as_host) {
  shaped_side side{{}, use.buffer->geometry(), use.where};
  if (as_host) side.where.host = plan.host_pointer(use);
  else side.where.object = plan.object(use);
  side.where.offset = use.buffer->offset();
  return side;
}

/// Work for copies whose sides are all known.
work copy_work(device_entry& device, const pointer_side& from, const pointer_side& to,
               std::vector<devices::copy_command> copies, const buffer_plan* plan, const command& user) {
  if (memory::reports_transfers()) {
    const auto place = [&](const pointer_side& side) {
      return side.where.object == nullptr ? std::string("host") : side.foreign != nullptr ? side.foreign->label() : device.label();
    };
    std::uint64_t bytes = 0;
    for (const devices::copy_command& c : copies) bytes += c.row_bytes * c.rows * c.slices;
    memory::report_transfer({bytes, place(from), place(to), "explicit copy", {}, user.line(), user.lane_shared().get()});
  }
  if (from.foreign != nullptr || to.foreign != nullptr) {
    device_entry& source = from.foreign != nullptr ? *from.foreign : device;
    device_entry& target = to.foreign != nullptr ? *to.foreign : device;
    const bool one_device = &source == &target || from.where.object == nullptr || to.where.object == nullptr;
    device_entry& alone = from.foreign != nullptr ? source : target;
    return host_work{[&source, &target, &alone, one_device, copies = std::move(copies)] {
      for (const devices::copy_command& c : copies)
        if (one_device) run_now(alone, c);
        else run_through_host(source, target, c);
    }};
  }
  const bool on_host = !copies.empty() && copies[0].from.object == nullptr && copies[0].to.object == nullptr;
  if (on_host && !device.is_host())
    return host_work{[copies = std::move(copies)] {
      for (const devices::copy_command& c : copies) copy_on_host(c);
    }};
  devices::command_list commands;
  if (plan != nullptr) commands.assign(plan->own_copies().begin(), plan->own_copies().end());
  for (devices::copy_command& c : copies) commands.push_back(c);
  if (commands.empty()) commands.push_back(devices::barrier_command{});
  return device_work{std::move(commands)};
}

void submission::submit(copy_request& copy) {
  m_command->keep(copy.from.keep_alive);
  m_command->keep(copy.to.keep_alive);
  use_list uses = requirement_uses({copy.from.buffer.get(), copy.to.buffer.get()});
  std::size_t from_use = uses.size(), to_use = uses.size();
  std::uint64_t bytes = copy.bytes;
  memory::byte_box like{{0, 0, 0}, {1, 1, bytes}};
  if (copy.from.buffer != nullptr) {
    uses.push_back(use_of(*copy.from.buffer, copy.from.region, true, false));
    like = uses.back().where;
  }
  if (copy.to.buffer != nullptr) {
    to_use = uses.size();
    uses.push_back(use_of(*copy.to.buffer, copy.to.region, false, true));
    if (copy.from.buffer == nullptr) like = uses.back().where;
    else if (dense_side({}, like).shape != dense_side({}, uses.back().where).shape) {
      if (uses.back().where.bytes() < like.bytes())
        throw error(error_code::invalid, "copy: the destination has " + std::to_string(uses.back().where.bytes()) +
                                             " bytes, the source " + std::to_string(like.bytes()));
      uses.back().reads = true; // what lies beyond the source's bytes stays
    }
  }
  bytes = like.bytes();
  if (bytes == 0) {
    uses.erase(std::remove_if(uses.begin(), uses.end(), [](const buffer_use& u) { return u.where.empty(); }), uses.end());
    m_command->payload() = nothing();
    return enqueue();
  }
  pointer_side from, to;
  if (copy.from.buffer == nullptr)
    from = resolve_pointer(m_device, copy.from.pointer, pitched_bytes(copy.rows, copy.from_pitch, bytes));
  if (copy.to.buffer == nullptr)
    to = resolve_pointer(m_device, copy.to.pointer, pitched_bytes(copy.rows, copy.to_pitch, bytes));
  if (uses.empty()) {
    m_command->payload() = copy_work(m_device, from, to,
                                     copies_between(pitched_side(from.where, copy.rows, copy.from_pitch, bytes),
                                                    pitched_side(to.where, copy.rows, copy.to_pitch, bytes)),
                                     nullptr, *m_command);
    return enqueue_copy(bytes * copy.rows, from.where.object == nullptr || to.where.object == nullptr);
  }
  buffer_plan plan(&m_device, uses);
  // From the host's copy to host memory no device is needed.
  const bool host_copy = copy.from.buffer != nullptr && copy.to.buffer == nullptr && to.where.object == nullptr &&
                         !m_device.is_host() && plan.current_on_host_only(uses[from_use]);
  if (host_copy) uses[from_use].on_host = true;
  const bool foreign = from.foreign != nullptr || to.foreign != nullptr;
  plan.make(!host_copy && !foreign);
  const shaped_side source = copy.from.buffer != nullptr ? side_of(plan, uses[from_use], host_copy) : dense_side(from.where, like);
  const shaped_side target = copy.to.buffer != nullptr ? side_of(plan, uses[to_use], false) : dense_side(to.where, like);
  from.where = source.where;
  to.where = target.where;
  m_command->payload() = copy_work(m_device, from, to, copies_between(source, target), &plan, *m_command);
  if (copy.from.buffer != nullptr && copy.to.buffer != nullptr) m_command->mark_uses_known();
  plan.commit(m_command);
  enqueue_copy(bytes, from.where.object == nullptr || to.where.object == nullptr);
}

void submission::submit(fill_request& fill) {
  m_command->keep(fill.to.keep_alive);
  if (fill.pattern.empty()) throw error(error_code::invalid, "fill: the pattern has no bytes");
  std::shared_ptr<void> staging;
  if (fill.to.buffer != nullptr) {
    use_list uses = requirement_uses({fill.to.buffer.get()});
    uses.push_back(use_of(*fill.to.buffer, fill.to.region, false, true));
    buffer_plan plan(&m_device, uses);
    plan.make(true);
    m_command->payload() = on_device(&plan, fills_of(side_of(plan, uses.back(), false), fill.pattern, staging));
    m_command->mark_uses_known();
    m_command->keep(staging);
    plan.commit(m_command);
    return enqueue_copy(fill.bytes, false);
  }
  if (fill.bytes % fill.pattern.size() != 0)
    throw error(error_code::invalid, "fill: " + std::to_string(fill.bytes) + " bytes are not a multiple of the pattern's " +
                                         std::to_string(fill.pattern.size()));
  const pointer_side to = resolve_pointer(m_device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes));
  const shaped_side target = pitched_side(to.where, fill.rows, fill.pitch, fill.bytes);
  if (to.where.object == nullptr) {
    m_command->payload() = host_work{[p = fill.to.pointer, n = fill.bytes, rows = fill.rows, pitch = fill.pitch,
                                      pattern = std::move(fill.pattern)] {
      for (std::uint64_t row = 0; row < rows; ++row) fill_on_host(static_cast<std::byte*>(p) + row * pitch, n, pattern);
    }};
  } else if (to.foreign != nullptr) {
    devices::command_list commands = fills_of(target, fill.pattern, staging);
    m_command->payload() = host_work{[on = to.foreign, commands = std::move(commands)] {
      for (const devices::command& c : commands) run_now(*on, c);
    }};
  } else {
    m_command->payload() = on_device(nullptr, fills_of(target, fill.pattern, staging));
  }
  m_command->keep(staging);
  enqueue_copy(fill.bytes * fill.rows, false);
}

void submission::submit(update_host_request& update) {
  use_list uses = requirement_uses({update.buffer.get()});
  uses.push_back(use_of(*update.buffer, update.region, true, false));
  uses.back().on_host = true;
  uses.back().why = memory::copy_reason::host_read;
  buffer_plan plan(&m_device, uses);
  plan.make(true);
  m_command->payload() = on_device(&plan, {});
  finish_plan(plan);
}

void submission::submit(host_task_request& task) {
  m_command->payload() = host_work{std::move(task.body)};
  m_command->mark_host_task();
  use_list uses = requirement_uses();
  if (uses.empty()) return enqueue();
  buffer_plan plan(&m_device, uses);
  plan.make(false);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    void** const to = m_group.requirements[i].host_pointer;
    auto* const base = static_cast<std::byte*>(uses[i].on_host ? plan.host_pointer(uses[i]) : nullptr);
    if (to != nullptr && base != nullptr) *to = base + uses[i].buffer->offset();
    devices::memory** const memory = m_group.requirements[i].device_memory;
    if (memory != nullptr && !uses[i].on_host) *memory = plan.object(uses[i]);
  }
  finish_plan(plan);
}

/// What an argument becomes; `accessors` holds the places of the group's buffers.
devices::foreign_argument foreign_argument_of(device_entry& device, foreign_kernel_argument& from, const token_list& accessors) {
  using kind = foreign_kernel_argument::kind;
  devices::foreign_argument to;
  to.index = from.index;
  switch (from.what) {
  case kind::value: to.value = std::move(from.value); break;
  case kind::local:
    to.what = devices::foreign_argument::kind::local;
    to.offset = from.bytes;
    break;
  case kind::pointer: {
    to.what = devices::foreign_argument::kind::memory;
    const pointer_side side = resolve_pointer(device, const_cast<void*>(from.pointer), 0);
    if (side.foreign != nullptr)
      throw error(error_code::invalid, "a kernel of the program's own on " + device.label() + " was given a USM pointer of " +
                                           side.foreign->label() + ", which it cannot reach");
    to.object = side.where.object;
    to.offset = to.object != nullptr ? side.where.offset : reinterpret_cast<std::uint64_t>(from.pointer);
    break;
  }
  case kind::accessor:
    to.what = devices::foreign_argument::kind::memory;
    for (const token_value& a : accessors) {
      if (a.token != from.token) continue;
      to.object = a.object;
      to.offset = a.offset;
    }
  }
  return to;
}

void submission::submit(foreign_kernel_request& request) {
  use_list uses = requirement_uses();
  std::optional<buffer_plan> plan;
  token_list accessors;
  if (!uses.empty()) {
    plan.emplace(&m_device, uses);
    plan->make(true);
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    accessors.push_back({m_group.requirements[i].token, plan->object(uses[i]), uses[i].buffer->offset() + m_group.requirements[i].byte_offset});
  auto launch = std::make_shared<devices::foreign_launch>();
  launch->global = request.global;
  launch->local = request.local;
  launch->offset = request.offset;
  for (foreign_kernel_argument& argument : request.arguments)
    launch->arguments.push_back(foreign_argument_of(m_device, argument, accessors));
  devices::dispatch_command dispatch;
  dispatch.object = request.kernel.get();
  if (const auto* const function = dynamic_cast<const devices::function_kernel*>(dispatch.object)) launch->function = &function->call();
  dispatch.foreign = std::move(launch);
  m_command->keep(std::move(request.kernel));
  devices::command_list commands;
  commands.push_back(std::move(dispatch));
  m_command->payload() = on_device(plan ? &*plan : nullptr, std::move(commands));
  if (plan) finish_plan(*plan);
  else enqueue();
}

} // namespace

} // namespace schedule

command_ptr submit(queue_node& queue, command_group&& group) {
  schedule::context::get(); // refuses a forked child
  const schedule::deferred_release later; // destructors of finished work run without locks
  try {
    return schedule::submission(static_cast<schedule::queue_entry&>(queue), group).run();
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

queue_ptr create_queue(device_node& device, const queue_settings& settings) {
  schedule::context::get();
  try {
    return std::make_shared<schedule::queue_entry>(static_cast<schedule::device_entry&>(device), settings);
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

} // namespace prism
