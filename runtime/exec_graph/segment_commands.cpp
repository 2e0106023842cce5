// The commands of a segment: binds its command groups to the current allocations.
#include "runtime/exec_graph/node_kind.hpp"
#include "runtime/exec_graph/segment.hpp"
#include "runtime/launch/bind_arguments.hpp"
#include "runtime/submission/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace prism::runtime {

std::uint64_t graph_segment::offset_of(const buffer_view& view, const buffer_plan& plan) const {
  const auto found = std::find_if(m_uses.begin(), m_uses.end(),
                                  [&](const buffer_use& u) { return u.buffer->root() == view.root(); });
  return view.offset() - found->buffer->offset() + plan.offset_of(*found);
}

devices::memory* graph_segment::object_of(const buffer_view& view, const buffer_plan& plan) const {
  // All uses of one buffer on one device use the same allocation.
  const auto found = std::find_if(m_uses.begin(), m_uses.end(),
                                  [&](const buffer_use& u) { return u.buffer->root() == view.root(); });
  return plan.object(*found);
}

void graph_segment::record_usm(std::uint64_t address, const command_group& user) {
  const memory::usm_block block = m_device.usm().find(address);
  const auto is_it = [&](const used_usm& each) { return each.block == block; };
  if (block.base != 0 && std::none_of(m_usm.begin(), m_usm.end(), is_it))
    m_usm.push_back({block, line_of(user)});
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
    if (const auto* copy = std::get_if<copy_request>(&s.what->group->what)) append(*s.what, *copy, plan, own);
    if (const auto* fill = std::get_if<fill_request>(&s.what->group->what)) append(*s.what, *fill, plan, own);
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
    for (const buffer_use& u : m_uses)
      m_allocations.push_back(
          {u.buffer->root().get(), plan->object(u), u.buffer->root()->allocations.releases()});
  record_commands(*made, steps);
  m_ready = std::move(made);
}

void graph_segment::append(const prepared_step& s, const kernel_command&, const buffer_plan* plan,
                           devices::command_list& out) {
  if (!s.kernel.runs) return;
  prepared_kernel kernel = s.kernel;
  token_list accessors;
  for (const requirement& r : s.group->requirements) {
    const buffer_view& view = view_of(*r.buffer);
    if (r.token != 0)
      accessors.push_back({r.token, object_of(view, *plan), offset_of(view, *plan) + r.byte_offset});
  }
  const std::uint32_t slots = kernel.record != nullptr ? kernel.record->slot_count : 0;
  for (std::uint32_t i = 0; i < slots; ++i) {
    const std::size_t at = kernel.record->slots[i].offset;
    if (at + sizeof(std::uint64_t) > kernel.dispatch.arguments.size()) continue;
    std::uint64_t word;
    std::memcpy(&word, kernel.dispatch.arguments.data() + at, sizeof word);
    if (!is_token(word)) record_usm(word, *s.group);
  }
  bind_arguments(m_device, kernel, accessors);
  out.push_back(std::move(kernel.dispatch));
}

void graph_segment::append(const prepared_step& s, const copy_request& copy, const buffer_plan* plan,
                           devices::command_list& out) {
  memory::byte_box like{{0, 0, 0}, {1, 1, copy.bytes}};
  if (copy.from.buffer != nullptr) like = bytes_of(copy.from);
  else if (copy.to.buffer != nullptr) like = bytes_of(copy.to);
  const bool pointers = copy.from.buffer == nullptr && copy.to.buffer == nullptr;
  const auto shaped = [&](const copy_side& side, std::uint64_t pitch) {
    if (side.buffer != nullptr) {
      const buffer_view& view = view_of(*side.buffer);
      shaped_side out_side{{}, view.geometry(), view.checked(side.region)};
      out_side.where.object = object_of(view, *plan);
      out_side.where.offset = offset_of(view, *plan);
      return out_side;
    }
    const devices::location where =
        resolve_pointer(m_device, side.pointer, pitched_bytes(copy.rows, pitch, copy.bytes)).where;
    record_usm(reinterpret_cast<std::uint64_t>(side.pointer), *s.group);
    return pointers ? pitched_side(where, copy.rows, pitch, copy.bytes) : dense_side(where, like);
  };
  for (devices::copy_command& c :
       copies_between(shaped(copy.from, copy.from_pitch), shaped(copy.to, copy.to_pitch)))
    out.push_back(c);
}

void graph_segment::append(const prepared_step& s, const fill_request& fill, const buffer_plan* plan,
                           devices::command_list& out) {
  if (fill.pattern.empty()) throw error(error_code::invalid, "fill: the pattern is empty");
  shaped_side to{};
  if (fill.to.buffer != nullptr) {
    const buffer_view& view = view_of(*fill.to.buffer);
    to = {{}, view.geometry(), view.checked(fill.to.region)};
    to.where.object = object_of(view, *plan);
    to.where.offset = offset_of(view, *plan);
  } else {
    if (fill.bytes % fill.pattern.size() != 0)
      throw error(error_code::invalid, "fill: " + std::to_string(fill.bytes) +
                                           " bytes are not a multiple of the pattern's " +
                                           std::to_string(fill.pattern.size()));
    to = pitched_side(
        resolve_pointer(m_device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes)).where,
        fill.rows, fill.pitch, fill.bytes);
    record_usm(reinterpret_cast<std::uint64_t>(fill.to.pointer), *s.group);
  }
  std::shared_ptr<void> staging;
  for (devices::command& c : fills_of(to, fill.pattern, staging)) out.push_back(std::move(c));
  if (staging != nullptr) m_staging.push_back(std::move(staging));
}

} // namespace prism::runtime
