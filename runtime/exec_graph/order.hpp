// In which order the commands of a whole graph run, decided once: parts that a device runs without asking
// anybody, with a barrier only where a command waits for another of its part, and commands that the engine
// submits one by one in between. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace prism::graph {

enum class place {
  nothing, // only orders
  device,  // can be part of a command buffer
  alone,   // a host task, a copy from or to host memory
};

struct order_node {
  place where = place::device;
  std::vector<std::size_t> after; // numbers of nodes that come before
};

struct ordered_step {
  std::size_t node = 0;
  bool after_all = false; // waits for all steps before it in its part; the first of a part never does
};

struct ordered_segment {
  place where = place::device; // device or alone, which has one step
  std::vector<ordered_step> steps;
  std::vector<std::size_t> after; // numbers of parts that come before, rising
};

/// Parts in an order that respects `after`; empty when the nodes form a cycle. A node's number in `after`
/// must exist.
std::optional<std::vector<ordered_segment>> order_of(std::span<const order_node> nodes);

} // namespace prism::graph
