// A graph's commands with kernels joined into launches (runtime/exec_graph/fusion.hpp decides): from command
// groups to what the decision asks, and from its answer to command groups again.
#pragma once

#include "runtime/exec_graph/fusion.hpp"
#include "runtime/device/device_state.hpp"

namespace prism::runtime {

struct fused_commands {
  std::vector<graph_command> commands;
  std::size_t joined = 0, launches = 0;
  std::uint64_t removed_bytes = 0;
  std::vector<std::vector<std::size_t>> launched_together; // as graph_shape has it
  std::vector<std::string> notes;
};

/// How kernels become one launch: pieces run in turn, one text, one module.
enum class fusion_method { none, host, opencl_c, vulkan_spirv };
fusion_method fusion_method_of(const device_state& device);

fused_commands fuse(device_state& device, std::vector<graph_command> commands);

/// fuse_nodes.cpp: what the decision is made of.
std::vector<graph::fusion_node> fusion_nodes(device_state& device, fusion_method method,
                                             const std::vector<graph_command>& commands);

} // namespace prism::runtime
