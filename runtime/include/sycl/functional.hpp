// Function objects for reductions and group algorithms, and their identities (SYCL 2020, "Function objects").
#pragma once

#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <sycl/detail/same.hpp>
#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {

template <typename DataT, int NumElements>
class vec;
template <typename DataT, std::size_t NumElements>
class marray;

namespace detail {

/// The element type of a vec or marray, the type itself otherwise.
template <typename T>
struct element_or_self {
  using type = T;
};
template <typename T, int N>
struct element_or_self<vec<T, N>> {
  using type = T;
};
template <typename T, std::size_t N>
struct element_or_self<marray<T, N>> {
  using type = T;
};
template <typename T>
inline constexpr bool is_element_array = !std::is_same_v<typename element_or_self<T>::type, T>;

/// Applies `pick(y[i], x[i])` to each element, or `pick(y, x)` to scalars.
template <typename X, typename Y, typename Pick>
constexpr auto choose_elements(const X& x, const Y& y, Pick pick) {
  if constexpr (is_element_array<X>) {
    X result = x;
    for (int i = 0; i < static_cast<int>(X::size()); ++i) result[i] = pick(y[i], x[i]) ? y[i] : x[i];
    return result;
  } else {
    return pick(y, x) ? y : x;
  }
}
struct is_less {
  template <typename X, typename Y>
  constexpr bool operator()(const X& x, const Y& y) const {
    return x < y;
  }
};
struct is_greater {
  template <typename X, typename Y>
  constexpr bool operator()(const X& x, const Y& y) const {
    return y < x;
  }
};

} // namespace detail

#define PRISM_FUNCTION_OBJECT(NAME, RESULT, EXPRESSION)                                                      \
  template <typename T = void>                                                                               \
  struct NAME {                                                                                              \
    constexpr RESULT operator()(const T& x, const T& y) const { return EXPRESSION; }                         \
  };                                                                                                         \
  template <>                                                                                                \
  struct NAME<void> {                                                                                        \
    using is_transparent = void;                                                                             \
    template <typename T, typename U>                                                                        \
    constexpr auto operator()(T&& x, U&& y) const {                                                          \
      return EXPRESSION;                                                                                     \
    }                                                                                                        \
  };
PRISM_FUNCTION_OBJECT(plus, T, x + y)
PRISM_FUNCTION_OBJECT(multiplies, T, x* y)
PRISM_FUNCTION_OBJECT(bit_and, T, x& y)
PRISM_FUNCTION_OBJECT(bit_or, T, x | y)
PRISM_FUNCTION_OBJECT(bit_xor, T, x ^ y)
PRISM_FUNCTION_OBJECT(logical_and, T, x&& y)
PRISM_FUNCTION_OBJECT(logical_or, T, x || y)
// Return the first argument if both are equal. Applied element by element to vec and marray.
PRISM_FUNCTION_OBJECT(minimum, T, detail::choose_elements(x, y, detail::is_less()))
PRISM_FUNCTION_OBJECT(maximum, T, detail::choose_elements(x, y, detail::is_greater()))
#undef PRISM_FUNCTION_OBJECT

namespace detail {

enum class operation {
  other,
  plus,
  multiplies,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  minimum,
  maximum
};

// The operation of a function object on AccumulatorT: plus for plus<> and for plus<T> with any T.
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
// The function objects of std, which other implementations use as SYCL's.
template <typename T>
inline constexpr operation operation_of<std::plus<T>> = operation::plus;
template <typename T>
inline constexpr operation operation_of<std::multiplies<T>> = operation::multiplies;
template <typename T>
inline constexpr operation operation_of<std::bit_and<T>> = operation::bit_and;
template <typename T>
inline constexpr operation operation_of<std::bit_or<T>> = operation::bit_or;
template <typename T>
inline constexpr operation operation_of<std::bit_xor<T>> = operation::bit_xor;
template <typename T>
inline constexpr operation operation_of<std::logical_and<T>> = operation::logical_and;
template <typename T>
inline constexpr operation operation_of<std::logical_or<T>> = operation::logical_or;
template <typename T>
inline constexpr operation operation_of<minimum<T>> = operation::minimum;
template <typename T>
inline constexpr operation operation_of<maximum<T>> = operation::maximum;

// Detects std::complex without including its header. Only its sums and products have an identity.
template <typename T>
struct complex_part {};
template <template <typename> class Complex, typename T>
struct complex_part<Complex<T>> {
  using type = T;
};

/// Whether a function object of that list has T as its operands: plus<> and plus<T>, but not plus<U>.
template <typename F, typename T>
inline constexpr bool operates_on = false;
template <template <typename> class F, typename U, typename T>
inline constexpr bool operates_on<F<U>, T> = std::is_same_v<U, T> || std::is_void_v<U>;

template <typename F, typename Array>
constexpr bool identity_is_known() noexcept {
  using T = typename element_or_self<Array>::type;
  constexpr operation op = operation_of<F>;
  constexpr bool integer = std::is_integral_v<T>;
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
  if constexpr (is_element_array<T>) {
    return T(identity_value<F, typename element_or_self<T>::type>());
  } else if constexpr (detail::same<op, operation::multiplies>) {
    return static_cast<T>(1);
  } else if constexpr (detail::same<op, operation::logical_and> ||
                       (detail::same<op, operation::bit_and> && std::is_same_v<T, bool>)) {
    return true;
  } else if constexpr (detail::same<op, operation::bit_and>) {
    return static_cast<T>(~T(0));
  } else if constexpr (detail::same<op, operation::logical_or>) {
    return false;
  } else if constexpr (detail::same<op, operation::minimum>) {
    if constexpr (limits::has_infinity) return limits::infinity();
    else return limits::max();
  } else if constexpr (detail::same<op, operation::maximum>) {
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

namespace detail {
/// An operation whose result is converted to T. Operations with a known identity are the standard's, which
/// are commutative.
template <typename T, typename Op>
struct combine_as {
  using operator_type = Op;
  Op op;
  static constexpr bool commutes = has_known_identity_v<Op, T>;
  T operator()(const T& a, const T& b) const { return static_cast<T>(op(a, b)); }
};
} // namespace detail

}
} // namespace sycl::_V1
