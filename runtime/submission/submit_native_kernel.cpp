// Native kernels, which the program made with the driver.
#include "runtime/submission/submission.hpp"

#include "devices/api/interop.hpp"
#include "runtime/launch/prepare_kernel.hpp"

#include <optional>

namespace prism::runtime {

namespace {

/// Converts an argument; `accessors` holds the allocations of the group's buffers.
devices::native_argument native_argument_of(device_state& device, native_kernel_argument& from,
                                            const token_list& accessors) {
  using kind = native_kernel_argument::kind;
  devices::native_argument to;
  to.index = from.index;
  switch (from.what) {
    case kind::value: to.value = std::move(from.value); break;
    case kind::local:
      to.what = devices::native_argument::kind::local;
      to.offset = from.bytes;
      break;
    case kind::pointer: {
      to.what = devices::native_argument::kind::memory;
      const pointer_side side = resolve_pointer(device, const_cast<void*>(from.pointer), 0);
      if (side.peer != nullptr)
        throw error(error_code::invalid, "a native kernel on " + device.label() +
                                             " was given a USM pointer of " + side.peer->label() +
                                             ", which it cannot reach");
      to.object = side.where.object;
      to.offset = to.object != nullptr ? side.where.offset : reinterpret_cast<std::uint64_t>(from.pointer);
      break;
    }
    case kind::accessor:
      to.what = devices::native_argument::kind::memory;
      for (const token_value& a : accessors) {
        if (a.token != from.token) continue;
        to.object = a.object;
        to.offset = a.offset;
      }
  }
  return to;
}

} // namespace

void submission::submit(native_kernel_request& request) {
  use_list uses = requirement_uses();
  std::optional<buffer_plan> plan;
  token_list accessors;
  if (!uses.empty()) {
    plan.emplace(&m_device, uses, m_command.get());
    make_in_room(*plan, true);
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    accessors.push_back({m_group.requirements[i].token, plan->object(uses[i]),
                         plan->offset_of(uses[i]) + m_group.requirements[i].byte_offset});
  auto launch = std::make_shared<devices::native_launch>();
  launch->global = request.global;
  launch->local = request.local;
  launch->offset = request.offset;
  for (native_kernel_argument& argument : request.arguments)
    launch->arguments.push_back(native_argument_of(m_device, argument, accessors));
  devices::dispatch_command dispatch;
  dispatch.object = request.kernel.get();
  if (const auto* const function = dynamic_cast<const devices::function_kernel*>(dispatch.object))
    launch->function = &function->call();
  dispatch.target = devices::native_kernel{std::move(launch)};
  m_command->retain(std::move(request.kernel));
  devices::command_list commands;
  commands.push_back(std::move(dispatch));
  m_command->payload() = on_device(plan ? &*plan : nullptr, std::move(commands));
  if (plan) finish_plan(*plan);
  else enqueue();
}

} // namespace prism::runtime
