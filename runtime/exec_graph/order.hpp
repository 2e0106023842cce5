// Computes the execution order of a whole graph once: segments that one device executes without the host,
// with barriers only where a command depends on another in its segment, and single commands in between, which
// the engine submits one by one. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace prism::runtime {

enum class node_kind {
  nothing, // for ordering only
  device,  // can be recorded in a command buffer
  alone,   // a host task, a copy from or to host memory
};

struct order_node {
  node_kind where = node_kind::device;
  std::vector<std::size_t> after; // indices of nodes that precede it
  std::size_t device = 0;         // index of the device that executes it; a segment has one device
};

struct ordered_step {
  std::size_t node = 0;
  bool after_all = false; // waits for all earlier steps in its segment; never true for the first
};

struct ordered_segment {
  node_kind where = node_kind::device; // device, or alone: then it has one step
  std::vector<ordered_step> steps;
  std::vector<std::size_t> after; // indices of segments that precede it, ascending
};

/// Segments in an order that respects `after`; empty when the nodes form a cycle. All indices in `after` must
/// be valid.
std::optional<std::vector<ordered_segment>> order_of(std::span<const order_node> nodes);

} // namespace prism::runtime
