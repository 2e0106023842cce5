// Function objects for reductions and group algorithms, and their identities (SYCL 2020, "Function objects").
#pragma once

#include <limits>
#include <type_traits>
#include <utility>

#include <sycl/half.hpp>

namespace sycl { inline namespace _V1 {

#define PRISM_FUNCTION_OBJECT(NAME, RESULT, EXPRESSION)                                                                \
  template <typename T = void>                                                                                         \
  struct NAME {                                                                                                        \
    constexpr RESULT operator()(const T& x, const T& y) const { return EXPRESSION; }                                   \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct NAME<void> {                                                                                                  \
    using is_transparent = void;                                                                                       \
    template <typename T, typename U>                                                                                  \
    constexpr auto operator()(T&& x, U&& y) const {                                                                    \
      return EXPRESSION;                                                                                               \
    }                                                                                                                  \
  };
PRISM_FUNCTION_OBJECT(plus, T, x + y)
PRISM_FUNCTION_OBJECT(multiplies, T, x* y)
PRISM_FUNCTION_OBJECT(bit_and, T, x& y)
PRISM_FUNCTION_OBJECT(bit_or, T, x | y)
PRISM_FUNCTION_OBJECT(bit_xor, T, x ^ y)
PRISM_FUNCTION_OBJECT(logical_and, T, x&& y)
PRISM_FUNCTION_OBJECT(logical_or, T, x || y)
// On a tie the first argument is returned.
PRISM_FUNCTION_OBJECT(minimum, T, (y < x) ? y : x)
PRISM_FUNCTION_OBJECT(maximum, T, (x < y) ? y : x)
#undef PRISM_FUNCTION_OBJECT

namespace detail {

enum class operation { other, plus, multiplies, bit_and, bit_or, bit_xor, logical_and, logical_or, minimum, maximum };

// Which operation a function object is on AccumulatorT: plus<>, or plus<T> whatever T.
template <typename F>
inline constexpr operation operation_of = operation::other;
template <typename T>
inline constexpr operation operation_of<plus<T>> = operation::plus;
template <typename T>
inline constexpr operation operation_of<multiplies<T>> = operation::multiplies;
template <typename T>
inline constexpr operation operation_of<bit_and<T>> = operation::bit_and;
template <typename T>
inline constexpr operation operation_of<bit_or<T>> = operation::bit_or;
template <typename T>
inline constexpr operation operation_of<bit_xor<T>> = operation::bit_xor;
template <typename T>
inline constexpr operation operation_of<logical_and<T>> = operation::logical_and;
template <typename T>
inline constexpr operation operation_of<logical_or<T>> = operation::logical_or;
template <typename T>
inline constexpr operation operation_of<minimum<T>> = operation::minimum;
template <typename T>
inline constexpr operation operation_of<maximum<T>> = operation::maximum;

template <typename F, typename T>
constexpr bool identity_is_known() noexcept {
  constexpr operation op = operation_of<F>;
  constexpr bool integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  constexpr bool number = integer || std::is_floating_point_v<T> || std::is_same_v<T, half>;
  switch (op) {
    case operation::plus:
    case operation::multiplies:
    case operation::minimum:
    case operation::maximum: return number;
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor: return integer;
    case operation::logical_and:
    case operation::logical_or: return std::is_same_v<T, bool>;
    default: return false;
  }
}

template <typename F, typename T>
constexpr T identity_value() noexcept {
  constexpr operation op = operation_of<F>;
  using limits = std::numeric_limits<T>;
  if constexpr (op == operation::multiplies) {
    return static_cast<T>(1);
  } else if constexpr (op == operation::bit_and) {
    return static_cast<T>(~T(0));
  } else if constexpr (op == operation::logical_and) {
    return true;
  } else if constexpr (op == operation::logical_or) {
    return false;
  } else if constexpr (op == operation::minimum) {
    if constexpr (limits::has_infinity) return limits::infinity();
    else return limits::max();
  } else if constexpr (op == operation::maximum) {
    if constexpr (limits::has_infinity) return -limits::infinity();
    else return limits::lowest();
  } else {
    return static_cast<T>(0);
  }
}

template <typename F, typename T, bool Known>
struct known_identity_value {};
template <typename F, typename T>
struct known_identity_value<F, T, true> {
  static constexpr T value = identity_value<F, T>();
};

} // namespace detail

template <typename BinaryOperation, typename AccumulatorT>
struct has_known_identity
    : std::bool_constant<
          detail::identity_is_known<std::remove_cv_t<BinaryOperation>, std::remove_cv_t<AccumulatorT>>()> {};
template <typename BinaryOperation, typename AccumulatorT>
inline constexpr bool has_known_identity_v = has_known_identity<BinaryOperation, AccumulatorT>::value;

template <typename BinaryOperation, typename AccumulatorT>
struct known_identity
    : detail::known_identity_value<std::remove_cv_t<BinaryOperation>, std::remove_cv_t<AccumulatorT>,
                                   has_known_identity_v<BinaryOperation, AccumulatorT>> {};
template <typename BinaryOperation, typename AccumulatorT>
inline constexpr AccumulatorT known_identity_v = known_identity<BinaryOperation, AccumulatorT>::value;

}} // namespace sycl::_V1
