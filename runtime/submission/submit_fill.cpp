// Fills of buffers and of memory at pointers.
#include "runtime/submission/submission.hpp"

namespace prism::runtime {

void submission::submit(fill_request& fill) {
  m_command->retain(fill.to.keep_alive);
  if (fill.pattern.empty()) throw error(error_code::invalid, "fill: the pattern is empty");
  std::shared_ptr<void> staging;
  if (fill.to.buffer != nullptr) {
    use_list uses = requirement_uses({fill.to.buffer.get()});
    uses.push_back(use_of(*fill.to.buffer, fill.to.region, false, true));
    buffer_plan plan(&m_device, uses, m_command.get());
    make_in_room(plan, true);
    m_command->payload() =
        on_device(&plan, fills_of(side_of(plan, uses.back(), false), fill.pattern, staging));
    m_command->mark_uses_known();
    m_command->retain(staging);
    plan.commit(m_command);
    return enqueue_copy(fill.bytes, false);
  }
  if (fill.bytes % fill.pattern.size() != 0)
    throw error(error_code::invalid, "fill: " + std::to_string(fill.bytes) +
                                         " bytes are not a multiple of the pattern's " +
                                         std::to_string(fill.pattern.size()));
  const pointer_side to =
      resolve_pointer(m_device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes));
  const shaped_side target = pitched_side(to.where, fill.rows, fill.pitch, fill.bytes);
  if (to.where.object == nullptr) {
    m_command->payload() = host_work{[p = fill.to.pointer, n = fill.bytes, rows = fill.rows,
                                      pitch = fill.pitch, pattern = std::move(fill.pattern)] {
      for (std::uint64_t row = 0; row < rows; ++row)
        fill_on_host(static_cast<std::byte*>(p) + row * pitch, n, pattern);
    }};
  } else if (to.peer != nullptr) {
    devices::command_list commands = fills_of(target, fill.pattern, staging);
    m_command->payload() = host_work{[on = to.peer, commands = std::move(commands)] {
      for (const devices::command& c : commands) run_now(*on, c);
    }};
  } else {
    m_command->payload() = on_device(nullptr, fills_of(target, fill.pattern, staging));
  }
  m_command->retain(staging);
  enqueue_copy(fill.bytes * fill.rows, false);
}

} // namespace prism::runtime
