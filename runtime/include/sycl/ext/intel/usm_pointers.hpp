// sycl_ext_intel_usm_address_spaces: pointers to the parts of global memory that a device or the host has. On
// PRISM's devices they are pointers to global memory.
#pragma once

#include <sycl/multi_ptr.hpp>

#define SYCL_EXT_INTEL_USM_ADDRESS_SPACES 3

namespace sycl {
inline namespace _V1 {
namespace ext::intel {

/// Memory of `malloc_device` and of accessors.
template <typename ElementType, access::decorated IsDecorated = access::decorated::legacy>
using device_ptr = multi_ptr<ElementType, access::address_space::ext_intel_global_device_space, IsDecorated>;
template <typename ElementType>
using raw_device_ptr = device_ptr<ElementType, access::decorated::no>;
template <typename ElementType>
using decorated_device_ptr = device_ptr<ElementType, access::decorated::yes>;

/// Memory of `malloc_host`.
template <typename ElementType, access::decorated IsDecorated = access::decorated::legacy>
using host_ptr = multi_ptr<ElementType, access::address_space::ext_intel_global_host_space, IsDecorated>;
template <typename ElementType>
using raw_host_ptr = host_ptr<ElementType, access::decorated::no>;
template <typename ElementType>
using decorated_host_ptr = host_ptr<ElementType, access::decorated::yes>;

}
}
} // namespace sycl::_V1::ext::intel
