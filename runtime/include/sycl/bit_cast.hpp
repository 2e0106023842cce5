// sycl::bit_cast: C++20's std::bit_cast for C++17, usable in kernels and constant expressions.
#pragma once

#include <type_traits>

namespace sycl {
inline namespace _V1 {

template <typename To, typename From,
          std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                               std::is_trivially_copyable_v<From>,
                           int> = 0>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}
} // namespace sycl::_V1
