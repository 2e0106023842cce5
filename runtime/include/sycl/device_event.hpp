// sycl::device_event, and the copies between global and local memory that a work-group makes together
// (members async_work_group_copy and wait_for of group and nd_item). Each work-item copies its share
// immediately; wait_for only waits for the shares of the other work-items.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/same.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/detail/kernel_abi.hpp>

namespace sycl {
inline namespace _V1 {

class device_event;

namespace detail {

device_event make_device_event() noexcept;

template <access::address_space Dest, access::address_space Src>
inline constexpr bool is_group_copy = (detail::same<Dest, access::address_space::local_space> &&
                                       detail::same<Src, access::address_space::global_space>) ||
                                      (detail::same<Dest, access::address_space::global_space> &&
                                       detail::same<Src, access::address_space::local_space>);

/// Whether a copy uses the deprecated pointers of SYCL 1.2.1.
template <access::decorated Dest, access::decorated Src>
inline constexpr bool is_legacy_copy =
    detail::same<Dest, access::decorated::legacy> || detail::same<Src, access::decorated::legacy>;

template <typename T>
inline void copy_own_share(T* dest, const T* src, std::size_t count, std::size_t dest_stride,
                           std::size_t src_stride) {
  const std::size_t size0 = __prism_item_step(0), size1 = __prism_item_step(1);
  const std::size_t self =
      __prism_first_item(0) + size0 * (__prism_first_item(1) + size1 * __prism_first_item(2));
  const std::size_t items = size0 * size1 * __prism_item_step(2);
  for (std::size_t i = self; i < count; i += items) dest[i * dest_stride] = src[i * src_stride];
}

/// Sets dest[i * dest_stride] = src[i * src_stride] for 0 <= i < count, with all work-items of the group.
/// Also for hierarchical kernels.
template <typename T>
inline void share_copy(T* dest, const T* src, std::size_t count, std::size_t dest_stride,
                       std::size_t src_stride) {
  __prism_items_begin();
  copy_own_share(dest, src, count, dest_stride, src_stride);
  __prism_items_end();
}

} // namespace detail

class device_event {
public:
  device_event() = delete;
  void wait() noexcept { __prism_barrier(3u); }

private:
  friend device_event detail::make_device_event() noexcept;
  explicit device_event(int) noexcept {}
};

namespace detail {

inline device_event make_device_event() noexcept { return device_event(0); }

/// The members that group and nd_item share. All work-items of the group must call a copy with the same
/// arguments. It copies data that was visible to the group before. `stride` is in elements of the global
/// memory.
struct group_copies {
#define PRISM_GROUP_COPY(ATTRIBUTE, IS_LEGACY)                                                               \
  template <typename DestT, access::address_space DestSpace, access::decorated DestD, typename SrcT,         \
            access::address_space SrcSpace, access::decorated SrcD,                                          \
            std::enable_if_t<is_group_copy<DestSpace, SrcSpace> &&                                           \
                                 std::is_same_v<std::remove_const_t<SrcT>, DestT> &&                         \
                                 is_legacy_copy<DestD, SrcD> == IS_LEGACY,                                   \
                             int> = 0>                                                                       \
  ATTRIBUTE device_event async_work_group_copy(multi_ptr<DestT, DestSpace, DestD> dest,                      \
                                               multi_ptr<SrcT, SrcSpace, SrcD> src, std::size_t count,       \
                                               std::size_t stride = 1) const {                               \
    constexpr bool to_local = DestSpace == access::address_space::local_space;                               \
    share_copy<DestT>(dest.get_raw(), src.get_raw(), count, to_local ? 1 : stride, to_local ? stride : 1);   \
    return make_device_event();                                                                              \
  }
  PRISM_GROUP_COPY(, false)
  PRISM_GROUP_COPY([[deprecated("use decorated pointers: get_multi_ptr<access::decorated::yes>()")]], true)
#undef PRISM_GROUP_COPY
  template <typename... Events>
  void wait_for(Events...) const {
    static_assert((std::is_same_v<Events, device_event> && ...), "wait_for waits for device_events");
    __prism_barrier(3u);
  }
};

} // namespace detail

}
} // namespace sycl::_V1
