#include "runtime/exec_graph/node_kind.hpp"

#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/submission/transfer.hpp"

namespace prism::runtime {

namespace {

/// Whether the pointer is USM that copies and fills of this device can access.
bool on_device(device_state& device, void* pointer, std::uint64_t bytes) {
  const pointer_side side = resolve_pointer(device, pointer, bytes);
  return side.where.object != nullptr && side.peer == nullptr;
}

node_kind kind_of_copy(device_state& device, const copy_request& copy) {
  const auto reached = [&](const copy_side& side, std::uint64_t pitch) {
    return side.buffer != nullptr ||
           (copy.bytes != 0 && on_device(device, side.pointer, pitched_bytes(copy.rows, pitch, copy.bytes)));
  };
  if (!reached(copy.from, copy.from_pitch) || !reached(copy.to, copy.to_pitch)) return node_kind::alone;
  // Copies between boxes of different shapes are rare; they are submitted as single commands.
  const bool both = copy.from.buffer != nullptr && copy.to.buffer != nullptr;
  return both && memory::extent_of(bytes_of(copy.from)) != memory::extent_of(bytes_of(copy.to))
             ? node_kind::alone
             : node_kind::device;
}

} // namespace

memory::byte_box bytes_of(const copy_side& side) { return view_of(*side.buffer).checked(side.region); }

node_kind kind_of(device_state& device, const graph_command& what) {
  if (what.make || what.submit) return node_kind::alone;
  struct {
    device_state& device;
    const command_group& group;
    node_kind operator()(const empty_request&) const {
      return group.requirements.empty() ? node_kind::nothing : node_kind::alone;
    }
    node_kind operator()(const kernel_command&) const { return node_kind::device; }
    node_kind operator()(const copy_request& copy) const {
      return group.requirements.empty() ? kind_of_copy(device, copy) : node_kind::alone;
    }
    node_kind operator()(const fill_request& fill) const {
      const bool here = fill.to.buffer != nullptr ||
                        on_device(device, fill.to.pointer, pitched_bytes(fill.rows, fill.pitch, fill.bytes));
      return here && group.requirements.empty() ? node_kind::device : node_kind::alone;
    }
    node_kind operator()(const update_host_request&) const { return node_kind::alone; }
    node_kind operator()(const host_task_request&) const { return node_kind::alone; }
    node_kind operator()(const native_kernel_request&) const { return node_kind::alone; }
  } const decide{device, *what.group};
  return std::visit(decide, what.group->what);
}

} // namespace prism::runtime
