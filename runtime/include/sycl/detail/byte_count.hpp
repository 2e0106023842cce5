// Sizes in bytes of what a program asks for, computed without wrapping around.
#pragma once

#include <cstddef>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// A number of bytes that no memory has: it stands for sizes that do not fit into std::size_t.
inline constexpr std::size_t uncountable = static_cast<std::size_t>(-1);

/// a * b, or `uncountable` where that is larger than std::size_t holds.
constexpr std::size_t product_of(std::size_t a, std::size_t b) noexcept {
  return b != 0 && a > uncountable / b ? uncountable : a * b;
}

/// The bytes of all elements of a range, or `uncountable`.
template <typename Range>
constexpr std::size_t bytes_of(const Range& extent, std::size_t element) noexcept {
  std::size_t bytes = element;
  for (int d = 0; d < Range::dimensions; ++d)
    if (extent[d] == 0) return 0;
  for (int d = 0; d < Range::dimensions; ++d) bytes = product_of(bytes, extent[d]);
  return bytes;
}

}
}
} // namespace sycl::_V1::detail
