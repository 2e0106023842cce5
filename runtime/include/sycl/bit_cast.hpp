// sycl::bit_cast: C++20's std::bit_cast for C++17, usable in kernels and constant expressions. g++ 10 has no
// built-in for it, so there neither it nor the conversions of half and bfloat16 are constant expressions.
#pragma once

#include <type_traits>

namespace sycl {
inline namespace _V1 {

#if !__has_builtin(__builtin_bit_cast)
namespace detail {
// g++ defines the value of a member that was not written. std::memcpy would need a To that exists already,
// and cannot be called from constexpr functions that compute the same at run time.
template <typename To, typename From>
union same_bytes {
  constexpr same_bytes(const From& bytes) noexcept : from(bytes) {}
  From from;
  To to;
};
} // namespace detail
#endif

template <typename To, typename From,
          std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                               std::is_trivially_copyable_v<From>,
                           int> = 0>
constexpr To bit_cast(const From& from) noexcept {
#if __has_builtin(__builtin_bit_cast)
  return __builtin_bit_cast(To, from);
#else
  return detail::same_bytes<To, From>(from).to;
#endif
}

}
} // namespace sycl::_V1
