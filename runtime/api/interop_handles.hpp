// Native handles by the names that a backend's devices::native() and devices::interop know them by.
#pragma once

#include "devices/api/interop.hpp"
#include "devices/api/vulkan_interop.hpp"
#include "runtime/api/impl.hpp"

#include <sycl/detail/opencl_handles.hpp>

#include <memory>

namespace sycl {
inline namespace _V1 {
namespace detail {

struct handle_name {
  const char* opencl;
  const char* vulkan;
};
inline constexpr handle_name platform_name{"cl_platform_id", "VkInstance"},
    device_name{"cl_device_id", "VkPhysicalDevice"}, context_name{"cl_context", "VkDevice"},
    queue_name{"cl_command_queue", "VkQueue"}, memory_name{"cl_mem", prism::devices::vulkan_memory_name},
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

/// A one-dimensional buffer over a driver's memory on the first device of the context, which is valid when
/// `available` is complete. Throws invalid if the bytes are no multiple of an element's.
native_buffer buffer_over(std::unique_ptr<prism::devices::memory> memory, const context& in,
                          const event& available, std::size_t element_bytes);

/// The context of queues that are created without one: the platform's; of a device that the program made
/// (interop_vulkan.cpp), which is none of the platform's, a context of its own.
std::shared_ptr<context_impl> default_context_of(const device_impl& device);

/// Passes on the errors of destroyed queues, and destroys those whose commands are complete.
void deliver_of_destroyed_queues();

/// The device on which a context's native objects live.
const std::shared_ptr<device_impl>& first_working(const context_impl& in);

}
}
} // namespace sycl::_V1::detail
