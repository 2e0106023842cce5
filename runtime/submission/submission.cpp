#include "runtime/submission/submission.hpp"

#include "runtime/access_check/access_check.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/execution/copy_place.hpp"
#include "runtime/observe/kernel_times.hpp"
#include "runtime/observe/program_line.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/observe/transfer_report.hpp"

#include <algorithm>

namespace prism::schedule {

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

} // namespace

submission::submission(queue_entry& queue, command_group& group)
    : m_queue(queue), m_group(group), m_device(queue.entry()),
      m_command(make_command(queue.where(), no_work{})), m_lane(queue.where()) {
  for (const command_ptr& d : group.dependencies) {
    if (d == nullptr) continue;
    auto on = std::static_pointer_cast<command>(d);
    const bool data = !on->is_host_task();
    m_command->depend_on(std::move(on), data);
  }
  for (std::shared_ptr<void>& k : group.keep_alive) m_command->keep(std::move(k));
}

label_ref submission::label() const {
  const auto make = [&] { return std::make_shared<const command_label>(command_label{label_of(m_group.what), line_of(m_group)}); };
  const auto* kernel = std::get_if<kernel_command>(&m_group.what);
  if (kernel == nullptr || kernel->name == nullptr || *kernel->name == '\0') return make();
  const char* const file = m_group.line.file != nullptr ? m_group.line.file : kernel->functor != nullptr ? kernel->functor : "";
  return m_device.labels().get(kernel->name, file, m_group.line.line, make);
}

command_ref submission::run() {
  const support::trace::scope traced("submit", "submit");
  if (support::trace::on() || memory::reports_transfers() || command::watches_waits())
    m_command->set_label(label());
  if (times_kernels() && &m_device != m_device.all().reference())
    if (const auto* kernel = std::get_if<kernel_command>(&m_group.what))
      m_command->count_for(sum_of(m_device, label_of(m_group.what), kernel->slot != nullptr ? kernel->slot->record : nullptr),
                           double(kernel->global[0]) * double(kernel->global[1]) * double(kernel->global[2]));
  if (access_check* const check = access_check::active(); check != nullptr && !access_check::quiet::here()) return run_checked(*check);
  std::visit([this](auto& request) { submit(request); }, m_group.what);
  return std::move(m_command);
}

command_ref submission::run_checked(access_check& check) {
  access_check::uses used;
  used.name = label_of(m_group.what);
  used.line = line_of(m_group);
  access_check::look(m_device.usm(), m_group, used);
  const std::vector<command_ptr> after = m_group.dependencies;
  std::visit([this](auto& request) { submit(request); }, m_group.what);
  check.submitted(m_command, {m_queue.where().get(), m_queue.settings().in_order, m_group.barrier, m_group.barrier || m_group.holds_later}, after, std::move(used));
  return std::move(m_command);
}

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

void submission::enqueue() {
  m_lane->enqueue(m_command, {m_queue.settings().in_order, m_group.barrier, m_group.holds_later});
}

void submission::enqueue_copy(std::uint64_t bytes, bool uses_host_memory) {
  const devices::capabilities& info = m_device.info();
  copy_facts facts{m_queue.settings().in_order, info.copies_beside_kernels, info.software || info.type == devices::device_type::cpu,
                   uses_host_memory, bytes};
  if (m_command->is_device_work() && !m_group.barrier && !m_group.holds_later && may_run_beside_kernels(facts)) {
    facts.kernel_is_in_the_way = !is_large(facts) && m_queue.where()->has_kernel_in_the_way_of(*m_command);
    if (lane_ref beside = runs_beside_kernels(facts) ? m_queue.where()->copies() : nullptr; beside != nullptr) {
      m_command->move_to(beside);
      m_lane = std::move(beside);
    }
  }
  enqueue();
}

void submission::finish_plan(buffer_plan& plan) {
  plan.commit(m_command);
  enqueue();
}

command_ref submit_group(queue_entry& queue, command_group&& group) { return submission(queue, group).run(); }

void submission::submit(empty_request&) {
  use_list uses = requirement_uses();
  m_command->payload() = nothing();
  if (uses.empty()) return enqueue();
  buffer_plan plan(&m_device, uses);
  plan.make(true);
  m_command->payload() = on_device(&plan, {});
  finish_plan(plan);
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

} // namespace prism::schedule
