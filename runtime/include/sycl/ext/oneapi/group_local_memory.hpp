// The extension SYCL_EXT_ONEAPI_LOCAL_MEMORY: an object in the work-group's local memory, one for each call
// in the source. All work-items of the group must call these functions together.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <new>
#include <utility>

#include <sycl/group.hpp>
#include <sycl/multi_ptr.hpp>

#define SYCL_EXT_ONEAPI_LOCAL_MEMORY 2

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {

namespace detail {

/// A group with the source location of the call to which it was passed.
struct group_here {
  std::uint64_t place;
  bool leader;
#if defined(__clang__) && __clang_major__ >= 17 // earlier ones have no __builtin_FILE_NAME
  template <int D>
  constexpr group_here(const group<D>& g, const char* file = __builtin_FILE_NAME(),
                       unsigned line = __builtin_LINE(), unsigned column = __builtin_COLUMN())
      : place(hash(file) ^ (std::uint64_t(line) << 20 | column)), leader(g.leader()) {}
#else // without columns: one object per line
  template <int D>
  constexpr group_here(const group<D>& g, const char* file = __builtin_FILE(),
                       unsigned line = __builtin_LINE())
      : place(hash(file) ^ (std::uint64_t(line) << 20)), leader(g.leader()) {}
#endif
  // FNV-1a of the first characters: the plugin needs a constant, and compilers fold only short loops
  static constexpr std::uint64_t hash(const char* text, unsigned most = 64) noexcept {
    std::uint64_t value = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < most && *text != 0; ++i, ++text)
      value = (value ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
    return value;
  }
};

template <typename T>
inline T* local_block(const group_here& g) noexcept {
  static_assert(std::is_trivially_destructible_v<T>, "an object in group-local memory is never destroyed");
  static_assert(alignof(T) <= 16 || sizeof(T) % 16 == 0,
                "unexpected alignment of an object in group-local memory");
  constexpr std::uint64_t type =
      group_here::hash(__PRETTY_FUNCTION__, ~0u); // distinguishes instantiations of the same line
  return static_cast<T*>(__prism_group_memory((g.place ^ type) | 1u, sizeof(T)));
}

} // namespace detail

/// The object is not initialised if T is trivial.
template <typename T>
inline multi_ptr<T, access::address_space::local_space, access::decorated::legacy>
group_local_memory_for_overwrite(detail::group_here g) {
  T* const object = detail::local_block<T>(g);
  if constexpr (!std::is_trivially_default_constructible_v<T>) {
    if (g.leader) new (object) T;
    __prism_barrier(1u);
  }
  return address_space_cast<access::address_space::local_space, access::decorated::legacy>(object);
}

/// The object is initialised by T(args...), or by T() without arguments.
template <typename T, typename... Args>
inline multi_ptr<T, access::address_space::local_space, access::decorated::legacy>
group_local_memory(detail::group_here g, Args&&... args) {
  T* const object = detail::local_block<T>(g);
  if (g.leader) new (object) T{std::forward<Args>(args)...};
  __prism_barrier(1u);
  return address_space_cast<access::address_space::local_space, access::decorated::legacy>(object);
}

}
}
}
} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
