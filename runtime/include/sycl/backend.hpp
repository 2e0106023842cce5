// The backends. SYCL 2020 does not specify host and Vulkan backends, so these are vendor extensions.
#pragma once

#include <sycl/version.hpp>

#include <iosfwd>

namespace sycl {
inline namespace _V1 {

/// The last three belong to other implementations. No device of PRISM has them; programs may compare with
/// them.
enum class backend : char {
  opencl,
  ext_prism_host,
  ext_prism_vulkan,
  ext_oneapi_level_zero,
  ext_oneapi_cuda,
  ext_oneapi_hip
};

/// Writes the name of a backend ("opencl", "ext_prism_vulkan"). Not in the standard, but in other
/// implementations.
std::ostream& operator<<(std::ostream& out, backend which);

/// The types of native handles; specialised in <sycl/backend/...>.
template <backend Backend>
class backend_traits;
template <backend Backend, typename SyclObject>
using backend_input_t = typename backend_traits<Backend>::template input_type<SyclObject>;
template <backend Backend, typename SyclObject>
using backend_return_t = typename backend_traits<Backend>::template return_type<SyclObject>;

}
} // namespace sycl::_V1
