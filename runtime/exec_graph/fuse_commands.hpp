// Fuses kernels of a graph into launches: describes the command groups to the decision
// (runtime/exec_graph/fusion.hpp) and builds new command groups from its result.
#pragma once

#include "runtime/exec_graph/fusion_method.hpp"

namespace prism::runtime {

struct fused_commands {
  std::vector<graph_command> commands;
  std::size_t fused = 0, launches = 0;
  std::uint64_t removed_bytes = 0;
  std::vector<std::vector<std::size_t>> launched_together; // as in graph_shape
  std::vector<std::string> notes;
};

fused_commands fuse(device_state& device, std::vector<graph_command> commands);

/// The input of the decision; in fuse_nodes.cpp.
std::vector<fusion_node> fusion_nodes(device_state& device, fusion_method method,
                                      const std::vector<graph_command>& commands);

} // namespace prism::runtime
