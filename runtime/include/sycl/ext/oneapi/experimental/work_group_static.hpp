// The extension sycl_ext_oneapi_work_group_static: a variable in the work-group's local memory, declared in a
// namespace, in a block or as a static data member. The object itself has only the place of its declaration.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstdint>
#include <type_traits>

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>

#define SYCL_EXT_ONEAPI_WORK_GROUP_STATIC 1

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

/// The memory of an object at block scope is that of a static one: the same in all calls of the function. It
/// is not initialised. Without prism++, objects that are declared in a block of a function template share it
/// among the template's instances if their types are equal. With g++, objects of one type must not be
/// declared in one line.
template <typename T>
class work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "an object in local memory is neither constructed nor destroyed");
  static_assert(alignof(T) <= 16, "local memory is aligned to 16 bytes");
  using place = oneapi::detail::group_here;

public:
#if defined(__PRISM_COMPILER__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconstant-evaluated"
  // Variables with static storage are constants, and their names identify them.
  explicit constexpr work_group_static(std::uint64_t function = __builtin_is_constant_evaluated()
                                                                    ? 0
                                                                    : __prism_enclosing_function(),
                                       unsigned line = __builtin_LINE(), unsigned column = __builtin_COLUMN())
      : m_place(function ^ (std::uint64_t(line) << 20 | column)) {}
#pragma GCC diagnostic pop
#elif defined(__clang__)
  explicit constexpr work_group_static(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                       unsigned column = __builtin_COLUMN())
      : m_place(place::hash(file, ~0u) ^ (std::uint64_t(line) << 20 | column)) {}
#else // g++ 12 knows no columns: one object per line and type
  explicit constexpr work_group_static(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
      : m_place(place::hash(file, ~0u) ^ (std::uint64_t(line) << 20)) {}
#endif
  work_group_static(const work_group_static&) = delete;
  work_group_static& operator=(const work_group_static&) = delete;

  operator T&() const noexcept { return *&*this; }
  template <typename U = T, std::enable_if_t<!std::is_array_v<U>, int> = 0>
  const work_group_static& operator=(const U& value) const noexcept {
    *&*this = value;
    return *this;
  }
  T* operator&() const noexcept {
    constexpr std::uint64_t type = place::hash(__PRETTY_FUNCTION__, ~0u);
    return static_cast<T*>(__prism_group_variable(this, m_place ^ type, sizeof(T)));
  }

private:
  std::uint64_t m_place;
};

}
}
} // namespace ext::oneapi::experimental
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
