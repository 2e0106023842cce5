// The interface of a Vulkan device for programs that call Vulkan themselves.
#pragma once

#include "devices/api/vulkan_interop.hpp"
#include "runtime/api/impl.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Throws backend_mismatch for a device of another backend, feature_not_supported for one under PRISM_WRAP,
/// whose objects are not the driver's.
prism::devices::vulkan_interop& vulkan_interop_of(const device_impl& device);

}
}
} // namespace sycl::_V1::detail
