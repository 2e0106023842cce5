#include "runtime/submission/submission.hpp"

#include "runtime/device/device_failure.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/execution/copy_queue_choice.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/observe/source_line.hpp"
#include "runtime/observe/trace.hpp"

#include <algorithm>

namespace prism::runtime {

submission::submission(queue_state& queue, command_group& group)
    : m_queue(queue), m_group(group), m_device(queue.entry()),
      m_command(make_command(queue.where(), no_work{})), m_device_queue(queue.where()) {
  m_command->set_origin(origin_of(group));
  for (const command_ptr& d : group.dependencies) {
    if (d == nullptr) continue;
    auto on = std::static_pointer_cast<scheduled_command>(d);
    const bool data = !on->is_host_task();
    m_command->depend_on(std::move(on), data);
  }
  for (std::shared_ptr<void>& k : group.keep_alive) m_command->retain(std::move(k));
}

namespace {

/// The work-items [first, last) of a launch's dimension that is divided.
struct item_range {
  std::uint64_t first, last, all;
};
item_range items_of_part(const kernel_command& kernel, const kernel_part& part) {
  const std::uint64_t all = kernel.global[part.dimension], local = part.local[part.dimension];
  return {part.first * local, std::min(all, (part.first + part.groups) * local), all};
}

/// ", work-items 0 to 4095 of 16384", of their rows or slices in ranges of several dimensions.
std::string part_text(const request& what) {
  const auto* kernel = std::get_if<kernel_command>(&what);
  if (kernel == nullptr || !kernel->part) return {};
  const item_range items = items_of_part(*kernel, *kernel->part);
  constexpr const char* names[] = {"work-items ", "rows ", "slices "};
  return std::string(", ") + names[kernel->part->dimension] + std::to_string(items.first) + " to " +
         std::to_string(items.last - 1) + " of " + std::to_string(items.all);
}

double item_count(const kernel_command& kernel) {
  double count = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const bool is_divided = kernel.part && kernel.part->dimension == d;
    const item_range items =
        is_divided ? items_of_part(kernel, *kernel.part) : item_range{0, kernel.global[d], kernel.global[d]};
    count *= double(items.last - items.first);
  }
  return count;
}

} // namespace

label_ref submission::label() const {
  const auto make = [&] {
    return std::make_shared<const command_label>(
        command_label{label_of(m_group.what) + part_text(m_group.what), line_of(m_group)});
  };
  const auto* kernel = std::get_if<kernel_command>(&m_group.what);
  if (kernel == nullptr || kernel->part || kernel->name == nullptr || *kernel->name == '\0') return make();
  const char* const file = m_group.line.file != nullptr ? m_group.line.file
                           : kernel->functor != nullptr ? kernel->functor
                                                        : "";
  return m_device.labels().get(kernel->name, file, m_group.line.line, make);
}

/// A failure names the command and its line in the program.
command_ref submission::run() try { return run_and_observe(); } catch (const devices::device_error& failed) {
  rethrow(failed, m_command->description());
} catch (const error& failed) {
  const std::string at = m_command->origin().place();
  const std::string text = failed.what();
  if (at.empty() || text.find(at) != text.npos) throw;
  throw error(failed.code(), text + " (submitted at " + at + ')');
}

command_ref submission::run_and_observe() {
  support::trace::scope traced("submit", "submit");
  if (observe::active() == 0) {
    std::visit([this](auto& request) { submit(request); }, m_group.what);
    return std::move(m_command);
  }
  return run_observed(traced.begin_arrow());
}

command_ref submission::run_observed(std::uint64_t arrow) {
  if (observe::wants(observe::labels)) m_command->set_label(label());
  observe::launch_facts launch;
  const auto* const kernel = std::get_if<kernel_command>(&m_group.what);
  const bool is_timed =
      kernel != nullptr && observe::wants(observe::launch_times) && &m_device != m_device.all().reference();
  if (is_timed)
    launch = {label_of(m_group.what), kernel->slot != nullptr ? kernel->slot->record : nullptr,
              item_count(*kernel)};
  const command_group* const group = &m_group;
  observe::submission_event event{.device = m_device,
                                  .queue = m_queue.where()->identity(),
                                  .in_order = m_queue.settings().in_order,
                                  .barrier = m_group.barrier,
                                  .holds_later = m_group.barrier || m_group.holds_later,
                                  .arrow = arrow,
                                  .is_part = observe::one_event::here(),
                                  .groups = {&group, 1},
                                  .after = m_group.dependencies,
                                  .launch = is_timed ? &launch : nullptr};
  const observe::follower_list followers = observe::submitting(event);
  m_command->follow_with(followers);
  std::visit([this](auto& request) { submit(request); }, m_group.what);
  event.command = m_command;
  for (const auto& each : followers) each->submitted(event);
  return std::move(m_command);
}

use_list submission::requirement_uses(std::initializer_list<const buffer_node*> except) const {
  use_list uses;
  uses.reserve(m_group.requirements.size());
  for (const requirement& r : m_group.requirements) {
    if (std::find(except.begin(), except.end(), r.buffer.get()) != except.end()) continue;
    uses.push_back(use_of(*r.buffer, r.region, mode_reads(r.mode), mode_writes(r.mode)));
    if (r.stated) uses.back().stated = uses.back().buffer->checked(*r.stated);
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
  m_device_queue->enqueue(m_command, {m_queue.settings().in_order, m_group.barrier, m_group.holds_later});
}

void submission::enqueue_copy(std::uint64_t bytes, bool uses_host_memory) {
  const devices::capabilities& info = m_device.info();
  copy_facts facts{m_queue.settings().in_order, info.copies_beside_kernels,
                   info.software || info.type == devices::device_type::cpu, uses_host_memory, bytes};
  if (m_command->is_device_work() && !m_group.barrier && !m_group.holds_later && may_overlap_kernels(facts)) {
    facts.kernel_is_in_the_way = !is_large(facts) && m_queue.where()->has_kernel_in_the_way_of(*m_command);
    if (device_queue_ref copy_queue = overlaps_kernels(facts) ? m_queue.where()->copies() : nullptr;
        copy_queue != nullptr) {
      m_command->move_to(copy_queue);
      m_device_queue = std::move(copy_queue);
    }
  }
  enqueue();
}

void submission::finish_plan(buffer_plan& plan) {
  plan.commit(m_command);
  enqueue();
}

void submission::submit(empty_request&) {
  use_list uses = requirement_uses();
  m_command->payload() = nothing();
  if (uses.empty()) return enqueue();
  buffer_plan plan(&m_device, uses, m_command.get());
  make_in_room(plan, true);
  m_command->payload() = on_device(&plan, {});
  finish_plan(plan);
}

void submission::submit(update_host_request& update) {
  use_list uses = requirement_uses({update.buffer.get()});
  uses.push_back(use_of(*update.buffer, update.region, true, false));
  uses.back().on_host = true;
  uses.back().why = memory::copy_reason::host_read;
  buffer_plan plan(&m_device, uses, m_command.get());
  make_in_room(plan, true);
  m_command->payload() = on_device(&plan, {});
  finish_plan(plan);
}

} // namespace prism::runtime
