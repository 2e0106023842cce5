// The extension SYCL_EXT_ONEAPI_DOT_ACCUMULATE: products of four 8-bit integers each, summed and added to a
// 32-bit integer modulo 2^32. Vulkan and OpenCL devices with instructions for packed bytes use them; others
// compute the products one by one. A packed argument has its first byte in bits 0 to 7. For kernels and
// hosts.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/bit_cast.hpp>
#include <sycl/detail/kernel_abi.hpp>
#include <sycl/vec.hpp>

#include <cstdint>
#include <type_traits>

#define SYCL_EXT_ONEAPI_DOT_ACCUMULATE 1

namespace sycl {
inline namespace _V1 {

namespace detail {

/// Byte `index` of the word, extended by its sign if T is signed.
template <typename T>
constexpr std::uint32_t byte_of_word(T word, unsigned index) {
  using byte = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
  return static_cast<std::uint32_t>(static_cast<byte>(static_cast<std::uint32_t>(word) >> (8 * index)));
}

template <typename A, typename B>
inline std::int32_t dot_acc_bytes(A a, B b, std::int32_t c) {
  std::uint32_t sum = static_cast<std::uint32_t>(c);
#if defined(__PRISM_COMPILER__)
  if (!__prism_runs_items_in_loops()) {
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    if constexpr (std::is_signed_v<A> && std::is_signed_v<B>) sum += __prism_dot4_ss(x, y);
    else if constexpr (std::is_signed_v<A>) sum += __prism_dot4_su(x, y);
    else if constexpr (std::is_signed_v<B>) sum += __prism_dot4_su(y, x);
    else sum += __prism_dot4_uu(x, y);
    return static_cast<std::int32_t>(sum);
  }
#endif
  for (unsigned i = 0; i < 4; ++i) sum += byte_of_word(a, i) * byte_of_word(b, i);
  return static_cast<std::int32_t>(sum);
}

/// The packed form of four bytes.
inline std::int32_t packed_bytes(const vec<std::int8_t, 4>& bytes) {
  return sycl::bit_cast<std::int32_t>(bytes);
}
inline std::uint32_t packed_bytes(const vec<std::uint8_t, 4>& bytes) {
  return sycl::bit_cast<std::uint32_t>(bytes);
}

} // namespace detail

namespace ext {
namespace oneapi {

/// Signed arguments hold signed bytes, unsigned ones unsigned bytes.
inline std::int32_t dot_acc(std::int32_t a, std::int32_t b, std::int32_t c) {
  return sycl::detail::dot_acc_bytes(a, b, c);
}
inline std::int32_t dot_acc(std::int32_t a, std::uint32_t b, std::int32_t c) {
  return sycl::detail::dot_acc_bytes(a, b, c);
}
inline std::int32_t dot_acc(std::uint32_t a, std::int32_t b, std::int32_t c) {
  return sycl::detail::dot_acc_bytes(a, b, c);
}
inline std::int32_t dot_acc(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  return sycl::detail::dot_acc_bytes(a, b, c);
}

template <typename A, typename B,
          typename Bytes = std::void_t<decltype(sycl::detail::packed_bytes(A())),
                                       decltype(sycl::detail::packed_bytes(B()))>>
inline std::int32_t dot_acc(const A& a, const B& b, std::int32_t c) {
  return sycl::detail::dot_acc_bytes(sycl::detail::packed_bytes(a), sycl::detail::packed_bytes(b), c);
}

}
} // namespace ext::oneapi

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
