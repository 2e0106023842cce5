// Host tasks.
#include "runtime/submission/submission.hpp"

namespace prism::runtime {

void submission::submit(host_task_request& task) {
  m_command->payload() = host_work{std::move(task.body)};
  m_command->mark_host_task();
  use_list uses = requirement_uses();
  if (uses.empty()) return enqueue();
  buffer_plan plan(&m_device, uses, m_command.get());
  make_in_room(plan, false);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    void** const to = m_group.requirements[i].host_pointer;
    auto* const base = static_cast<std::byte*>(uses[i].on_host ? plan.host_pointer(uses[i]) : nullptr);
    if (to != nullptr && base != nullptr) *to = base + uses[i].buffer->offset();
    devices::memory** const memory = m_group.requirements[i].device_memory;
    if (memory == nullptr || uses[i].on_host) continue;
    if (plan.offset_of(uses[i]) != uses[i].buffer->offset())
      throw error(error_code::memory_allocation,
                  "a host task asks for the memory object of a buffer of which " + m_device.label() +
                      " can only hold ranges");
    *memory = plan.object(uses[i]);
  }
  finish_plan(plan);
}

} // namespace prism::runtime
