// The extension sycl_ext_oneapi_get_kernel_info: what kernel::get_info says, by the kernel's name.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_GET_KERNEL_INFO 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {

/// Information that does not depend on a device.
template <typename KernelName, typename Param>
auto get_kernel_info(const context& of) {
  return get_kernel_bundle<KernelName, bundle_state::executable>(of)
      .template get_kernel<KernelName>()
      .template get_info<Param>();
}
/// Information for a device of the context.
template <typename KernelName, typename Param>
auto get_kernel_info(const context& of, const device& on) {
  return get_kernel_bundle<KernelName, bundle_state::executable>(of, {on})
      .template get_kernel<KernelName>()
      .template get_info<Param>(on);
}
template <typename KernelName, typename Param>
auto get_kernel_info(const queue& of) {
  return get_kernel_info<KernelName, Param>(of.get_context(), of.get_device());
}

}
}
}
} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
