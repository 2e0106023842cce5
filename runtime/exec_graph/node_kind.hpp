// Whether the device can execute a command of a graph by itself, so that it can be part of a segment.
#pragma once

#include "runtime/device/device_state.hpp"
#include "runtime/exec_graph/order.hpp"
#include "runtime/memory/geometry.hpp"

namespace prism::runtime {

/// How a command of a graph can be executed: `device` if it only needs the device and its memory.
node_kind kind_of(device_state& device, const graph_command& what);

/// The bytes of a side that is a buffer.
memory::byte_box bytes_of(const copy_side& side);

} // namespace prism::runtime
