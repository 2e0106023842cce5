// Explicit copies between buffers and pointers.
#include "runtime/submission/submission.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/memory/box_copy.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>

namespace prism::runtime {

shaped_side side_of(const buffer_plan& plan, const buffer_use& use, bool as_host) {
  shaped_side side{{}, use.buffer->geometry(), use.where};
  if (as_host) side.where.host = plan.host_pointer(use);
  else side.where.object = plan.object(use);
  side.where.offset = plan.offset_of(use);
  return side;
}

namespace {

/// Makes the work of copies whose sides are all resolved.
work copy_work(device_state& device, const pointer_side& from, const pointer_side& to,
               std::vector<devices::copy_command> copies, const buffer_plan* plan,
               const scheduled_command& user) {
  if (observe::wants(observe::transfers)) {
    const auto memory_name = [&](const pointer_side& side) {
      return side.where.object == nullptr ? std::string("host")
             : side.peer != nullptr       ? side.peer->label()
                                          : device.label();
    };
    std::uint64_t bytes = 0;
    for (const devices::copy_command& c : copies) bytes += c.row_bytes * c.rows * c.slices;
    observe::copied(
        {bytes, memory_name(from), memory_name(to), "explicit copy", {}, user.line(), user.queue_identity()});
  }
  if (from.peer != nullptr || to.peer != nullptr) {
    device_state& source = from.peer != nullptr ? *from.peer : device;
    device_state& target = to.peer != nullptr ? *to.peer : device;
    const bool one_device = &source == &target || from.where.object == nullptr || to.where.object == nullptr;
    device_state& alone = from.peer != nullptr ? source : target;
    return host_work{[&source, &target, &alone, one_device, copies = std::move(copies)] {
      for (const devices::copy_command& c : copies)
        if (one_device) run_now(alone, c);
        else run_through_host(source, target, c);
    }};
  }
  const bool on_host = !copies.empty() && copies[0].from.object == nullptr && copies[0].to.object == nullptr;
  if (on_host && !device.is_host())
    return host_work{[copies = std::move(copies)] {
      for (const devices::copy_command& c : copies) memory::copy_on_host(c);
    }};
  devices::command_list commands;
  if (plan != nullptr) commands.assign(plan->own_copies().begin(), plan->own_copies().end());
  for (devices::copy_command& c : copies) commands.push_back(c);
  if (commands.empty()) commands.push_back(devices::barrier_command{});
  return device_work{std::move(commands)};
}

} // namespace

void submission::submit(copy_request& copy) {
  m_command->retain(copy.from.keep_alive);
  m_command->retain(copy.to.keep_alive);
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
        throw error(error_code::invalid, "copy: the destination has " +
                                             std::to_string(uses.back().where.bytes()) +
                                             " bytes, the source " + std::to_string(like.bytes()));
      uses.back().reads = true; // bytes after those of the source are preserved
    }
  }
  bytes = like.bytes();
  if (bytes == 0) {
    uses.erase(std::remove_if(uses.begin(), uses.end(), [](const buffer_use& u) { return u.where.empty(); }),
               uses.end());
    m_command->payload() = nothing();
    return enqueue();
  }
  pointer_side from, to;
  if (copy.from.buffer == nullptr)
    from = resolve_pointer(m_device, copy.from.pointer, pitched_bytes(copy.rows, copy.from_pitch, bytes));
  if (copy.to.buffer == nullptr)
    to = resolve_pointer(m_device, copy.to.pointer, pitched_bytes(copy.rows, copy.to_pitch, bytes));
  if (uses.empty()) {
    m_command->payload() =
        copy_work(m_device, from, to,
                  copies_between(pitched_side(from.where, copy.rows, copy.from_pitch, bytes),
                                 pitched_side(to.where, copy.rows, copy.to_pitch, bytes)),
                  nullptr, *m_command);
    return enqueue_copy(bytes * copy.rows, from.where.object == nullptr || to.where.object == nullptr);
  }
  buffer_plan plan(&m_device, uses, m_command.get());
  // A copy from the host's copy of the buffer to host memory needs no device.
  const bool host_copy = copy.from.buffer != nullptr && copy.to.buffer == nullptr &&
                         to.where.object == nullptr && !m_device.is_host() &&
                         plan.current_on_host_only(uses[from_use]);
  if (host_copy) uses[from_use].on_host = true;
  const bool peer = from.peer != nullptr || to.peer != nullptr;
  make_in_room(plan, !host_copy && !peer);
  const shaped_side source =
      copy.from.buffer != nullptr ? side_of(plan, uses[from_use], host_copy) : dense_side(from.where, like);
  const shaped_side target =
      copy.to.buffer != nullptr ? side_of(plan, uses[to_use], false) : dense_side(to.where, like);
  from.where = source.where;
  to.where = target.where;
  m_command->payload() = copy_work(m_device, from, to, copies_between(source, target), &plan, *m_command);
  if (copy.from.buffer != nullptr && copy.to.buffer != nullptr) m_command->mark_uses_known();
  plan.commit(m_command);
  enqueue_copy(bytes, from.where.object == nullptr || to.where.object == nullptr);
}

} // namespace prism::runtime
