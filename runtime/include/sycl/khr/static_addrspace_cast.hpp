// The extension sycl_khr_static_addrspace_cast: converts a pointer that the program knows to point into an
// address space, without a check.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/multi_ptr.hpp>
#include <sycl/version.hpp>

namespace sycl {
inline namespace _V1 {
namespace khr {

template <access::address_space Space, typename ElementType>
multi_ptr<ElementType, Space, access::decorated::no> static_addrspace_cast(ElementType* pointer) {
  return multi_ptr<ElementType, Space, access::decorated::no>(pointer);
}
template <access::address_space Space, typename ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress>
static_addrspace_cast(multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> pointer) {
  return multi_ptr<ElementType, Space, DecorateAddress>(pointer.get());
}

} // namespace khr
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
