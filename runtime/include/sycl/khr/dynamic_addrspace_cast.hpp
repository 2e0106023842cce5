// The extension sycl_khr_dynamic_addrspace_cast: converts a pointer to an address space if it points there,
// and to null otherwise. prism++ decides most casts; where a pointer may point to several kinds of memory,
// its kind is computed with it. It refuses a pointer that was loaded from memory in which pointers to
// several kinds are stored.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/version.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
/// What __prism_pointed_memory returns for a pointer to the address space.
template <access::address_space Space>
constexpr std::uint32_t pointed_memory() {
  static_assert(same<Space, access::address_space::global_space> ||
                    same<Space, access::address_space::local_space> ||
                    same<Space, access::address_space::private_space>,
                "a pointer points to global, local or private memory");
  return same<Space, access::address_space::global_space>  ? 1
         : same<Space, access::address_space::local_space> ? 2
                                                           : 3;
}
template <access::address_space Space, typename T>
T* pointer_into(T* pointer) {
  if constexpr (same<Space, access::address_space::generic_space>) return pointer;
  else return __prism_pointed_memory(pointer) == pointed_memory<Space>() ? pointer : nullptr;
}
} // namespace detail

namespace khr {

// In kernels only. The calling work-item must be able to access the memory.
template <access::address_space Space, typename ElementType>
multi_ptr<ElementType, Space, access::decorated::no> dynamic_addrspace_cast(ElementType* pointer) {
  return multi_ptr<ElementType, Space, access::decorated::no>(detail::pointer_into<Space>(pointer));
}
template <access::address_space Space, typename ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> dynamic_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> pointer) {
  return multi_ptr<ElementType, Space, DecorateAddress>(detail::pointer_into<Space>(pointer.get_raw()));
}

} // namespace khr
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
