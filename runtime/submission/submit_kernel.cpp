// Kernels that PRISM compiled.
#include "runtime/submission/submission.hpp"

#include "runtime/launch/bind_arguments.hpp"
#include "runtime/launch/build_chooser.hpp"
#include "runtime/submission/sliced_launch.hpp"

namespace prism::runtime {

void submission::submit(kernel_command& request) {
  prepared_kernel kernel = prepare_kernel(m_device, std::move(request));
  if (m_device.is_host()) m_command->needs_module_of(kernel.code());
  if (auto* const host = std::get_if<devices::host_kernel>(&kernel.dispatch.target);
      host != nullptr && m_group.line.file != nullptr) {
    host->place = m_group.line.file;
    host->line = m_group.line.line;
  }
  use_list uses = requirement_uses();
  for (buffer_use& u : uses) {
    u.needs_address = kernel.needs_address;
    if (!kernel.runs) u.where = {}; // still orders the command, but copies no bytes
  }
  token_list accessors;
  const auto work_now = [&](const buffer_plan* plan) {
    if (!kernel.runs) return nothing();
    bind_arguments(m_device, kernel, accessors);
    if (kernel.uses_known) m_command->mark_uses_known();
    if (build_chooser* const chooser = m_device.chooser();
        chooser != nullptr && !kernel.dispatch.part.is_part)
      m_command->submit_by(chooser->choose(kernel, *m_device_queue));
    m_command->submit_by(slices_for(kernel.dispatch, m_device.info().compute_units));
    devices::command_list commands;
    commands.push_back(std::move(kernel.dispatch));
    return on_device(plan, std::move(commands));
  };
  if (uses.empty()) {
    m_command->payload() = work_now(nullptr);
    return enqueue();
  }
  buffer_plan plan(&m_device, uses, m_command.get());
  make_in_room(plan, true);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const requirement& r = m_group.requirements[i];
    if (r.token != 0 && !uses[i].on_host)
      accessors.push_back({r.token, plan.object(uses[i]), plan.offset_of(uses[i]) + r.byte_offset});
  }
  m_command->payload() = work_now(&plan);
  finish_plan(plan);
}

} // namespace prism::runtime
