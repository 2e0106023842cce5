// The workload in handwritten OpenCL C with plain OpenCL calls: the baseline on OpenCL devices.
#pragma once

#include "bench/workload.hpp"

#include <string>

namespace bench {

/// Finds the device by name; null if there is none. `shaders`: the folder of *.cl.
std::unique_ptr<kernel_set> make_opencl_set(const workload& work, const std::string& device_name,
                                            const std::string& shaders);

/// One launch: clSetKernelArg of all arguments, then clEnqueueNDRangeKernel.
std::unique_ptr<submitter> make_opencl_submitter(const std::string& device_name, const std::string& shaders,
                                                 std::size_t items);
/// Enqueues one command buffer (cl_khr_command_buffer) of `launches` launches, recorded once; null if the
/// driver does not support it.
std::unique_ptr<submitter> make_opencl_replayer(const std::string& device_name, const std::string& shaders,
                                                std::size_t items, std::size_t launches);

} // namespace bench
