// The element-wise operators that `id` and `range` share. Only id.hpp and range.hpp include this file and use
// the macro inside the class, so all operators are hidden friends. Operators with integers are templates;
// otherwise a one-dimensional id, which converts to size_t, would be ambiguous with the built-in operators.
#pragma once

#include <cstddef>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

template <typename T>
using enable_integral = std::enable_if_t<std::is_integral_v<T>, int>;

}
}
} // namespace sycl::_V1::detail

#define PRISM_INDEX_BINARY(TYPE, OP)                                                                         \
  friend TYPE operator OP(const TYPE& lhs, const TYPE& rhs) noexcept {                                       \
    TYPE result;                                                                                             \
    for (int d = 0; d < dimensions; ++d) result[d] = lhs.m_value[d] OP rhs.m_value[d];                       \
    return result;                                                                                           \
  }                                                                                                          \
  template <typename Integer, detail::enable_integral<Integer> = 0>                                          \
  friend TYPE operator OP(const TYPE& lhs, const Integer& rhs) noexcept {                                    \
    TYPE result;                                                                                             \
    for (int d = 0; d < dimensions; ++d) result[d] = lhs.m_value[d] OP static_cast<std::size_t>(rhs);        \
    return result;                                                                                           \
  }                                                                                                          \
  template <typename Integer, detail::enable_integral<Integer> = 0>                                          \
  friend TYPE operator OP(const Integer& lhs, const TYPE& rhs) noexcept {                                    \
    TYPE result;                                                                                             \
    for (int d = 0; d < dimensions; ++d) result[d] = static_cast<std::size_t>(lhs) OP rhs.m_value[d];        \
    return result;                                                                                           \
  }

#define PRISM_INDEX_ASSIGN(TYPE, OP)                                                                         \
  friend TYPE& operator OP(TYPE & lhs, const TYPE & rhs) noexcept {                                          \
    for (int d = 0; d < dimensions; ++d) lhs.m_value[d] OP rhs.m_value[d];                                   \
    return lhs;                                                                                              \
  }                                                                                                          \
  template <typename Integer, detail::enable_integral<Integer> = 0>                                          \
  friend TYPE& operator OP(TYPE & lhs, const Integer & rhs) noexcept {                                       \
    for (int d = 0; d < dimensions; ++d) lhs.m_value[d] OP static_cast<std::size_t>(rhs);                    \
    return lhs;                                                                                              \
  }

#define PRISM_INDEX_STEP(TYPE, OP)                                                                           \
  friend TYPE& operator OP(TYPE & value) noexcept {                                                          \
    for (int d = 0; d < dimensions; ++d) OP value.m_value[d];                                                \
    return value;                                                                                            \
  }                                                                                                          \
  friend TYPE operator OP(TYPE& value, int) noexcept {                                                       \
    TYPE old = value;                                                                                        \
    OP value;                                                                                                \
    return old;                                                                                              \
  }

#define PRISM_INDEX_OPERATORS(TYPE)                                                                          \
  PRISM_INDEX_BINARY(TYPE, +)                                                                                \
  PRISM_INDEX_BINARY(TYPE, -)                                                                                \
  PRISM_INDEX_BINARY(TYPE, *)                                                                                \
  PRISM_INDEX_BINARY(TYPE, /)                                                                                \
  PRISM_INDEX_BINARY(TYPE, %)                                                                                \
  PRISM_INDEX_BINARY(TYPE, <<)                                                                               \
  PRISM_INDEX_BINARY(TYPE, >>)                                                                               \
  PRISM_INDEX_BINARY(TYPE, &)                                                                                \
  PRISM_INDEX_BINARY(TYPE, |)                                                                                \
  PRISM_INDEX_BINARY(TYPE, ^)                                                                                \
  PRISM_INDEX_BINARY(TYPE, &&)                                                                               \
  PRISM_INDEX_BINARY(TYPE, ||)                                                                               \
  PRISM_INDEX_BINARY(TYPE, <)                                                                                \
  PRISM_INDEX_BINARY(TYPE, >)                                                                                \
  PRISM_INDEX_BINARY(TYPE, <=)                                                                               \
  PRISM_INDEX_BINARY(TYPE, >=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, +=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, -=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, *=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, /=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, %=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, <<=)                                                                              \
  PRISM_INDEX_ASSIGN(TYPE, >>=)                                                                              \
  PRISM_INDEX_ASSIGN(TYPE, &=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, |=)                                                                               \
  PRISM_INDEX_ASSIGN(TYPE, ^=)                                                                               \
  PRISM_INDEX_STEP(TYPE, ++)                                                                                 \
  PRISM_INDEX_STEP(TYPE, --)                                                                                 \
  friend TYPE operator+(const TYPE& value) noexcept { return value; }                                        \
  friend TYPE operator-(const TYPE& value) noexcept {                                                        \
    TYPE result;                                                                                             \
    for (int d = 0; d < dimensions; ++d) result[d] = std::size_t{0} - value.m_value[d];                      \
    return result;                                                                                           \
  }                                                                                                          \
  friend bool operator==(const TYPE& lhs, const TYPE& rhs) noexcept {                                        \
    for (int d = 0; d < dimensions; ++d)                                                                     \
      if (lhs.m_value[d] != rhs.m_value[d]) return false;                                                    \
    return true;                                                                                             \
  }                                                                                                          \
  friend bool operator!=(const TYPE& lhs, const TYPE& rhs) noexcept { return !(lhs == rhs); }
