// A group together with memory that its algorithms may use: group_with_scratchpad of
// sycl_ext_oneapi_group_sort, which sycl_ext_oneapi_user_defined_reductions takes too.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/group_functions.hpp>
#include <sycl/span.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

/// `scratch` is the same for all work-items of the group; its size is what the algorithm asks for.
template <typename Group, std::size_t Extent>
class group_with_scratchpad {
  static_assert(is_group_v<Group>, "group_with_scratchpad needs a sycl::group or a sycl::sub_group");

public:
  group_with_scratchpad(Group group, sycl::span<std::byte, Extent> scratch)
      : m_group(group), m_scratch(scratch) {}
  Group get_group() const { return m_group; }
  sycl::span<std::byte, Extent> get_memory() const { return m_scratch; }

private:
  Group m_group;
  sycl::span<std::byte, Extent> m_scratch;
};
template <typename Group, std::size_t Extent>
group_with_scratchpad(Group, sycl::span<std::byte, Extent>) -> group_with_scratchpad<Group, Extent>;

/// Whether T has get_group(), which returns a group, and get_memory().
template <typename T, typename = void>
struct is_group_helper : std::false_type {};
template <typename T>
struct is_group_helper<
    T, std::void_t<decltype(std::declval<T>().get_group()), decltype(std::declval<T>().get_memory())>>
    : std::bool_constant<is_group_v<std::decay_t<decltype(std::declval<T>().get_group())>>> {};
template <typename T>
inline constexpr bool is_group_helper_v = is_group_helper<std::decay_t<T>>::value;

namespace detail {

template <typename Helper, typename T>
using enable_helper = std::enable_if_t<is_group_helper_v<Helper>, T>;

/// Bytes of `count` objects in memory that has any alignment.
template <typename T>
constexpr std::size_t scratch_bytes(std::size_t count) {
  return count * sizeof(T) + alignof(T) - 1;
}
/// Takes scratch_bytes<T>(count) bytes from the memory and moves `free` behind them.
template <typename T>
T* take_scratch(std::byte*& free, std::size_t count) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(free) % alignof(T);
  std::byte* const begin = free + (beyond == 0 ? 0 : alignof(T) - beyond);
  free = begin + count * sizeof(T);
  return reinterpret_cast<T*>(begin);
}

} // namespace detail

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
