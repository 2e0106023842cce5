#include "runtime/launch/prepare_kernel.hpp"

#include <algorithm>

namespace prism::runtime {

/// Prepares each kernel by itself, then combines them into one dispatch.
prepared_kernel prepare_fused(device_state& device, kernel_command&& k) {
  prepared_kernel out;
  auto made = std::make_shared<devices::fused_dispatches>();
  made->item_bytes = k.fused->item_bytes;
  for (const fused_kernel& kernel : k.fused->kernels) {
    kernel_command own;
    own.slot = kernel.slot;
    own.name = kernel.name;
    own.body = kernel.body;
    own.captured.assign(k.captured.begin() + kernel.offset,
                        k.captured.begin() + kernel.offset + kernel.bytes);
    own.is_range = k.is_range;
    own.global = k.global;
    own.local = k.local;
    prepared_kernel ready = prepare_kernel(device, std::move(own));
    ready.dispatch.arguments.clear();
    made->parts.push_back({std::move(ready.dispatch), kernel.offset, kernel.bytes});
  }
  for (const private_pointer& pointer : k.fused->pointers)
    made->words.push_back({pointer.offset, pointer.memory, pointer.stride});
  const devices::dispatch_command& first = made->parts.front().what;
  out.dispatch.groups = first.groups;
  out.dispatch.local = first.local;
  out.dispatch.arguments = std::move(k.captured);
  out.dispatch.target = devices::fused_kernels{std::move(made), k.global};
  out.record = k.slot->record;
  out.needs_address = true;
  return out;
}

} // namespace prism::runtime
