// Makes one command group of the kernels that the plan fuses (runtime/exec_graph/fusion.hpp): the captured
// blocks one after another, and one image made of theirs.
#pragma once

#include "runtime/exec_graph/fusion_method.hpp"

namespace prism::runtime {

/// Returns null if the kernels' images cannot be fused; `refusal` is then the reason. On the host device the
/// group owns its record; on other devices the record is one of the process and is never destroyed.
std::shared_ptr<const command_group> fused_group(const devices::capabilities& device, fusion_method method,
                                                 const std::vector<graph_command>& commands,
                                                 const std::vector<fusion_node>& nodes,
                                                 const fused_launch& launch, std::string& refusal);

} // namespace prism::runtime
