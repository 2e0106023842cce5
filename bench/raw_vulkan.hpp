// The workload in handwritten GLSL with plain Vulkan calls: the baseline on Vulkan devices.
#pragma once

#include "bench/workload.hpp"

namespace bench {

/// Finds the device by name; null if there is none. `shaders`: the folder of *.spv.
std::unique_ptr<kernel_set> make_vulkan_set(const workload& work, const std::string& device_name,
                                            const std::string& shaders);

/// One launch: records a command buffer (bind, push constants, dispatch, memory barrier), then calls
/// vkQueueSubmit.
std::unique_ptr<submitter> make_vulkan_submitter(const std::string& device_name, const std::string& shaders,
                                                 std::size_t items);
/// Submits one command buffer of `launches` launches, recorded once.
std::unique_ptr<submitter> make_vulkan_replayer(const std::string& device_name, const std::string& shaders,
                                                std::size_t items, std::size_t launches);

} // namespace bench
