// sycl::ext::oneapi::experimental::printf: C's printf in kernels. The kernel records the format and the
// arguments. The runtime prints them when the command is complete; the text of a call is not interleaved with
// other text. Returns 0, or -1 if the command's output block is full.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/output.hpp>
#include <sycl/half.hpp>

#define SYCL_EXT_ONEAPI_PRINTF 1

namespace sycl {
inline namespace _V1 {

namespace detail {

template <typename T>
inline constexpr bool is_printed_text =
    std::is_same_v<std::decay_t<T>, char*> || std::is_same_v<std::decay_t<T>, const char*>;

template <typename T>
std::uint32_t printed_words(const T& value) noexcept {
  if constexpr (is_printed_text<T>) return 1 + words_for(text_length(value));
  else if constexpr (std::is_pointer_v<T>) return 3;
  else if constexpr (std::is_same_v<T, half>) return 2;
  else return 1 + words_for(sizeof(T));
}

template <typename T>
void print_value(output_cursor& to, const T& value) noexcept {
  if constexpr (is_printed_text<T>) {
    const std::uint32_t bytes = text_length(value);
    to.word(value_word(value_kind::text, bytes));
    to.text(value, bytes);
  } else if constexpr (std::is_pointer_v<T>) {
    to.number(value_kind::pointer, reinterpret_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, half>) {
    to.number(value_kind::floating, static_cast<float>(value));
  } else if constexpr (std::is_enum_v<T>) {
    print_value(to, static_cast<std::underlying_type_t<T>>(value));
  } else {
    static_assert(std::is_arithmetic_v<T>, "printf accepts numbers, pointers and text");
    to.number(std::is_floating_point_v<T> ? value_kind::floating
              : std::is_signed_v<T>       ? value_kind::signed_integer
                                          : value_kind::unsigned_integer,
              value);
  }
}

} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

template <typename FormatT, typename... Args>
int printf(const FormatT* format, Args... args) {
  static_assert(sizeof(FormatT) == 1, "the format of printf is text");
  const char* const text = reinterpret_cast<const char*>(format);
  const std::uint32_t bytes = sycl::detail::text_length(text);
  const std::uint32_t words =
      2 + sycl::detail::words_for(bytes) + (0 + ... + sycl::detail::printed_words(args));
  std::uint32_t* const at =
      sycl::detail::reserve_output(static_cast<sycl::detail::output_block*>(__prism_output()), words);
  if (!at) return -1;
  sycl::detail::output_cursor to(at);
  to.word(sycl::detail::record_word(sycl::detail::record_kind::formatted, words));
  to.word(sycl::detail::value_word(sycl::detail::value_kind::text, bytes));
  to.text(text, bytes);
  (sycl::detail::print_value(to, args), ...);
  return 0;
}

}
}
} // namespace ext::oneapi::experimental

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
