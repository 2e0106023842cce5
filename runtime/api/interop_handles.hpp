// Native handles by the names that a backend's devices::native() and devices::interop know them by.
#pragma once

#include "devices/api/interop.hpp"
#include "runtime/api/impl.hpp"

#include <memory>

namespace sycl {
inline namespace _V1 {
namespace detail {

struct handle_name {
  const char* opencl;
  const char* vulkan;
};
inline constexpr handle_name platform_name{"cl_platform_id", "VkInstance"},
    device_name{"cl_device_id", "VkDevice"}, context_name{"cl_context", "VkDevice"},
    queue_name{"cl_command_queue", "VkQueue"}, memory_name{"cl_mem", "VkBuffer"},
    kernel_handle_name{"cl_kernel", "VkPipeline"}, program_name{"cl_program", "VkShaderModule"},
    event_name{"cl_event", "VkSemaphore"};

/// Throws backend_mismatch if the device belongs to another backend.
void check_backend(const device_impl& device, backend asked);

/// The name of a kind of handle in the backend. Throws feature_not_supported for the host backend.
const char* handle_text(const handle_name& name, backend asked);

/// Returns the interoperability interface of the backend. Throws if the process has no device of it.
prism::devices::interop& interop_of(backend from);

/// Retains a handle; the last copy releases it. Throws invalid if it is null.
std::shared_ptr<void> hold_handle(void* handle, const handle_name& name, backend from);

/// The device on which a context's native objects live.
const std::shared_ptr<device_impl>& first_working(const context_impl& in);

}
}
} // namespace sycl::_V1::detail
