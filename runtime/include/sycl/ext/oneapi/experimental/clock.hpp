// The extension sycl_ext_oneapi_clock: kernels read a counter of the device. Its unit differs between
// devices: cycles, or a time. A work-group's clock is that of the device.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstdint>

#include <sycl/detail/kernel_abi.hpp>

#define SYCL_EXT_ONEAPI_CLOCK 1

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

/// All work-items in the scope read the same clock.
enum class clock_scope { sub_group = 1, work_group = 2, device = 3 };

/// The clock's value, which increases with time and may wrap. For kernels, on devices with
/// aspect::ext_oneapi_clock_sub_group, ext_oneapi_clock_work_group or ext_oneapi_clock_device; a submission
/// to other devices throws errc::kernel_not_supported.
template <clock_scope scope>
std::uint64_t clock() {
  return __prism_clock(static_cast<std::uint32_t>(scope));
}

}
}
} // namespace ext::oneapi::experimental

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
