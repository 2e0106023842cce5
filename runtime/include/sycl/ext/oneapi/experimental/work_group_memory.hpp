// The extension sycl_ext_oneapi_work_group_memory: local memory of a work-group without the sizes that a
// local_accessor carries. As there, the first word is a token, which submission replaces by the byte offset
// in the local memory of the group, and only kernels with an nd_range take one.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/local_accessor.hpp>

#define SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

struct indeterminate_t {};
inline constexpr indeterminate_t indeterminate;

/// `DataT`: an object, an array `T[N]`, or an array `T[]` whose length is given to the constructor. The
/// memory is not initialised. Elements and operators may be used in kernels only.
template <typename DataT, typename PropertyListT = empty_properties_t>
class work_group_memory {
  static constexpr bool is_unbounded = std::is_array_v<DataT> && std::extent_v<DataT> == 0;
  static_assert(std::is_same_v<PropertyListT, empty_properties_t>, "work_group_memory has no properties yet");

public:
  using value_type = std::remove_all_extents_t<DataT>;

  /// An object without memory, which may only be assigned to.
  work_group_memory(const indeterminate_t&) noexcept {}
  work_group_memory(const work_group_memory&) = default;
  template <bool Available = !is_unbounded, std::enable_if_t<Available, int> = 0>
  work_group_memory(handler& group)
      : m_token(sycl::detail::bind_local(group, sizeof(DataT), alignof(value_type))) {}
  /// `count`: the length of the unbounded array.
  template <bool Available = is_unbounded, std::enable_if_t<Available, int> = 0>
  work_group_memory(std::size_t count, handler& group)
      : m_token(sycl::detail::bind_local(
            group, sycl::detail::bytes_of(range<1>(count), sizeof(std::remove_extent_t<DataT>)),
            alignof(value_type))) {}
  work_group_memory& operator=(const work_group_memory&) = default;

  operator DataT&() const { return *&*this; }
  template <typename T = DataT, std::enable_if_t<!std::is_array_v<T>, int> = 0>
  const work_group_memory& operator=(const T& value) const {
    *&*this = value;
    return *this;
  }
  DataT* operator&() const {
    return reinterpret_cast<DataT*>(static_cast<char*>(__prism_local_arena()) + m_token);
  }
  template <access::decorated IsDecorated = access::decorated::no>
  multi_ptr<value_type, access::address_space::local_space, IsDecorated> get_multi_ptr() const {
    return address_space_cast<access::address_space::local_space, IsDecorated>(
        reinterpret_cast<value_type*>(&*this));
  }

private:
  std::uint64_t m_token = 0;
};

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
