// Sizes in bytes of a program's requests, computed without wrap-around.
#pragma once

#include <cstddef>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Stands for sizes that do not fit into std::size_t. No memory has this many bytes.
inline constexpr std::size_t uncountable = static_cast<std::size_t>(-1);

/// a * b, or `uncountable` if it does not fit into std::size_t.
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
