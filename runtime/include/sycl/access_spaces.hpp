// The enumerations of namespace sycl::access for device memory: address spaces, decoration, fence spaces.
// Also declares multi_ptr.
#pragma once

namespace sycl {
inline namespace _V1 {
namespace access {

enum class address_space : int {
  global_space,
  local_space,
  constant_space [[deprecated("use access::address_space::global_space")]],
  private_space,
  generic_space,
  // parts of global memory, by sycl_ext_intel_usm_address_spaces
  ext_intel_global_device_space,
  ext_intel_global_host_space
};
enum class decorated : int { no, yes, legacy };
/// For the deprecated member barriers and fences.
enum class fence_space : char { local_space, global_space, global_and_local };

} // namespace access

template <typename ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
class multi_ptr;

}
} // namespace sycl::_V1
