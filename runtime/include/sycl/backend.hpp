// The backends. Host and Vulkan have no chapter in SYCL 2020, so they are vendor backends.
#pragma once

#include <sycl/version.hpp>

#include <iosfwd>

namespace sycl {
inline namespace _V1 {

/// The last three are other implementations', for programs that compare with them: no device of PRISM has
/// one.
enum class backend : char {
  opencl,
  ext_prism_host,
  ext_prism_vulkan,
  ext_oneapi_level_zero,
  ext_oneapi_cuda,
  ext_oneapi_hip
};

/// The name of a backend, as programs print it ("opencl", "ext_prism_vulkan"); not in the standard, but in
/// other implementations.
std::ostream& operator<<(std::ostream& out, backend which);

/// Types of native handles; specialised in <sycl/backend/...>.
template <backend Backend>
class backend_traits;
template <backend Backend, typename SyclObject>
using backend_input_t = typename backend_traits<Backend>::template input_type<SyclObject>;
template <backend Backend, typename SyclObject>
using backend_return_t = typename backend_traits<Backend>::template return_type<SyclObject>;

}
} // namespace sycl::_V1
