// The operators and functions of expressions of array<T>: those of any_array, with the same types and the
// same arithmetic (number.hpp). Use <prism/array.hpp>.
#pragma once

#include <prism/array/typed.hpp>

#include <tuple>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism {
namespace array_detail {

// ---- types

using element_types =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>>;
/// The common type of an operation, as promote().
template <typename A, typename B>
using promoted_type = std::tuple_element_t<std::size_t(promote(dtype_of<A>(), dtype_of<B>())), element_types>;
/// The types of functions of the reals: integers become double.
template <typename T>
using real_of = std::conditional_t<std::is_integral_v<T>, double, T>;
/// bool becomes int8 in operations that have no bool.
template <typename T>
using counted_type = std::conditional_t<std::is_same_v<T, bool>, std::int8_t, T>;
/// The arithmetic of T: of narrow integers that of 32 bits.
template <typename T>
using arithmetic_type = std::conditional_t<
    !std::is_integral_v<T> || (sizeof(T) >= 4), number_of<T>,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint32_t, std::int32_t>>;
template <typename T>
using wide_arithmetic =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>,
                       number_of<T>>;

template <typename N>
inline constexpr bool is_complex_number = false;
template <typename R>
inline constexpr bool is_complex_number<std::complex<R>> = true;
/// The type that a number takes next to elements of T, as type_of(number, type); and alone.
template <typename T, typename Number>
using number_beside = std::conditional_t<
    is_complex_number<Number>,
    std::conditional_t<is_complex(dtype_of<T>()), T,
                       std::complex<std::conditional_t<std::is_same_v<T, float>, float, double>>>,
    std::conditional_t<
        std::is_floating_point_v<Number>, real_of<T>,
        std::conditional_t<std::is_same_v<T, bool> && !std::is_same_v<Number, bool>, std::int64_t, T>>>;
template <typename Number>
using number_alone = std::conditional_t<
    is_complex_number<Number>, std::complex<double>,
    std::conditional_t<std::is_floating_point_v<Number>, double,
                       std::conditional_t<std::is_same_v<Number, bool>, bool, std::int64_t>>>;

/// The number as an operand of type T. Throws errc::invalid for an integer that does not fit.
template <typename T, typename Number>
number_expression<T> number_operand(Number value) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Number> && !std::is_same_v<T, bool>)
    if (static_cast<Number>(static_cast<T>(value)) != value ||
        (static_cast<T>(value) < T(0)) != (value < Number(0)))
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "the number " + std::to_string(value) + " does not fit " +
                                prism::name_of(dtype_of<T>()));
  if constexpr (is_complex_number<T> && !is_complex_number<Number>)
    return number_expression<T>(T(static_cast<typename T::value_type>(value)));
  else return number_expression<T>(static_cast<T>(value));
}
/// An expression, or a number next to elements of T.
template <typename T, typename A>
auto operand_beside(const A& a) {
  if constexpr (is_expression<A>) return a;
  else return number_operand<T>(a);
}
template <typename A>
inline constexpr bool is_operand = is_expression<A> || std::is_arithmetic_v<A> || is_complex_number<A>;
template <typename A, typename B>
inline constexpr bool is_operand_pair =
    (is_expression<A> || is_expression<B>) && is_operand<A> && is_operand<B>;

template <typename F, typename A>
auto call(const A& a) {
  return call_expression<F, A>(a);
}
template <typename F, typename A, typename B>
auto call(const A& a, const B& b) {
  if constexpr (is_expression<A> && is_expression<B>) return call_expression<F, A, B>(a, b);
  else if constexpr (is_expression<A>) {
    using right = number_expression<number_beside<typename A::value_type, B>>;
    return call_expression<F, A, right>(a, number_operand<typename right::value_type>(b));
  } else {
    using left = number_expression<number_beside<typename B::value_type, A>>;
    return call_expression<F, left, B>(number_operand<typename left::value_type>(a), b);
  }
}

/// The common type of numbers A and B in kernels.
template <typename A, typename B>
using common_of = promoted_type<plain_of<A>, plain_of<B>>;
template <typename T>
using same_type = T;

} // namespace array_detail

// In an expression of two operands `a` and `b` have the arithmetic `W` of the result's type, which `of` makes
// of the common one.
#define PRISM_TYPED_BINARY(function, name, of, arithmetic, expression)                                       \
  namespace array_detail {                                                                                   \
  struct name {                                                                                              \
    template <typename A, typename B>                                                                        \
    auto operator()(A left, B right) const {                                                                 \
      using T = of<common_of<A, B>>;                                                                         \
      using W = arithmetic<T>;                                                                               \
      using f [[maybe_unused]] = functions<W>;                                                               \
      const W a = number_as<W>(left), b = number_as<W>(right);                                               \
      return number_as<number_of<T>>(expression(a, b));                                                      \
    }                                                                                                        \
  };                                                                                                         \
  }                                                                                                          \
  template <typename A, typename B, std::enable_if_t<array_detail::is_operand_pair<A, B>, int> = 0>          \
  auto function(const A& a, const B& b) {                                                                    \
    return array_detail::call<array_detail::name>(a, b);                                                     \
  }
PRISM_TYPED_BINARY(operator+, typed_add, same_type, arithmetic_type, f::add)
PRISM_TYPED_BINARY(operator-, typed_subtract, same_type, arithmetic_type, f::subtract)
PRISM_TYPED_BINARY(operator*, typed_multiply, same_type, arithmetic_type, f::multiply)
PRISM_TYPED_BINARY(operator/, typed_divide, real_of, number_of, f::divide)
PRISM_TYPED_BINARY(operator%, typed_remainder, counted_type, arithmetic_type, f::remainder)
PRISM_TYPED_BINARY(floor_divide, typed_floor_divide, counted_type, arithmetic_type, f::floor_divide)
PRISM_TYPED_BINARY(pow, typed_power, counted_type, arithmetic_type, f::power)
PRISM_TYPED_BINARY(maximum, typed_maximum, same_type, arithmetic_type, f::maximum)
PRISM_TYPED_BINARY(minimum, typed_minimum, same_type, arithmetic_type, f::minimum)
PRISM_TYPED_BINARY(fmax, typed_fmax, same_type, arithmetic_type, f::fmax)
PRISM_TYPED_BINARY(fmin, typed_fmin, same_type, arithmetic_type, f::fmin)
PRISM_TYPED_BINARY(atan2, typed_atan2, real_of, number_of, sycl::atan2)
PRISM_TYPED_BINARY(hypot, typed_hypot, real_of, number_of, sycl::hypot)
PRISM_TYPED_BINARY(copysign, typed_copysign, real_of, number_of, sycl::copysign)
PRISM_TYPED_BINARY(logaddexp, typed_logaddexp, real_of, number_of, f::logaddexp)
PRISM_TYPED_BINARY(nextafter, typed_nextafter, real_of, number_of, sycl::nextafter)
PRISM_TYPED_BINARY(operator<<, typed_shift_left, counted_type, wide_arithmetic, f::shift_left)
PRISM_TYPED_BINARY(operator>>, typed_shift_right, counted_type, wide_arithmetic, f::shift_right)
#undef PRISM_TYPED_BINARY

// The same of an expression in `a` and `b`; `f` is the arithmetic.
#define PRISM_TYPED_OPERATOR(function, name, result, expression)                                             \
  namespace array_detail {                                                                                   \
  struct name {                                                                                              \
    template <typename A, typename B>                                                                        \
    auto operator()(A left, B right) const {                                                                 \
      using T = common_of<A, B>;                                                                             \
      using W = arithmetic_type<T>;                                                                          \
      using f [[maybe_unused]] = functions<W>;                                                               \
      const W a = number_as<W>(left), b = number_as<W>(right);                                               \
      return static_cast<result>(expression);                                                                \
    }                                                                                                        \
  };                                                                                                         \
  }                                                                                                          \
  template <typename A, typename B, std::enable_if_t<array_detail::is_operand_pair<A, B>, int> = 0>          \
  auto function(const A& a, const B& b) {                                                                    \
    return array_detail::call<array_detail::name>(a, b);                                                     \
  }
PRISM_TYPED_OPERATOR(operator<, typed_less, bool, a < b)
PRISM_TYPED_OPERATOR(operator<=, typed_less_equal, bool, a <= b)
PRISM_TYPED_OPERATOR(operator>, typed_greater, bool, a > b)
PRISM_TYPED_OPERATOR(operator>=, typed_greater_equal, bool, a >= b)
PRISM_TYPED_OPERATOR(operator==, typed_equal, bool, f::equal(a, b))
PRISM_TYPED_OPERATOR(operator!=, typed_not_equal, bool, !f::equal(a, b))
PRISM_TYPED_OPERATOR(logical_and, typed_logical_and, bool, truth_of(a) && truth_of(b))
PRISM_TYPED_OPERATOR(logical_or, typed_logical_or, bool, truth_of(a) || truth_of(b))
PRISM_TYPED_OPERATOR(logical_xor, typed_logical_xor, bool, truth_of(a) != truth_of(b))
PRISM_TYPED_OPERATOR(operator&, typed_bitwise_and, T, a& b)
PRISM_TYPED_OPERATOR(operator|, typed_bitwise_or, T, a | b)
PRISM_TYPED_OPERATOR(operator^, typed_bitwise_xor, T, a ^ b)
#undef PRISM_TYPED_OPERATOR

// Of one operand: `a` has the arithmetic `W`; the result is one of the type `of<T>`.
#define PRISM_TYPED_UNARY(function, name, of, expression)                                                    \
  namespace array_detail {                                                                                   \
  struct name {                                                                                              \
    template <typename N>                                                                                    \
    auto operator()(N x) const {                                                                             \
      using T = of<plain_of<N>>;                                                                             \
      using W = arithmetic_type<T>;                                                                          \
      using f [[maybe_unused]] = functions<W>;                                                               \
      const W a = number_as<W>(x);                                                                           \
      return number_as<number_of<T>>(expression);                                                            \
    }                                                                                                        \
  };                                                                                                         \
  }                                                                                                          \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto function(const E& a) {                                                                                \
    return array_detail::call<array_detail::name>(a);                                                        \
  }
PRISM_TYPED_UNARY(sqrt, typed_sqrt, real_of, f::sqrt(a))
PRISM_TYPED_UNARY(exp, typed_exp, real_of, f::exp(a))
PRISM_TYPED_UNARY(expm1, typed_expm1, real_of, f::expm1(a))
PRISM_TYPED_UNARY(log, typed_log, real_of, f::log(a))
PRISM_TYPED_UNARY(log1p, typed_log1p, real_of, f::log1p(a))
PRISM_TYPED_UNARY(log2, typed_log2, real_of, f::log2(a))
PRISM_TYPED_UNARY(log10, typed_log10, real_of, f::log10(a))
PRISM_TYPED_UNARY(sin, typed_sin, real_of, f::sin(a))
PRISM_TYPED_UNARY(cos, typed_cos, real_of, f::cos(a))
PRISM_TYPED_UNARY(tan, typed_tan, real_of, f::tan(a))
PRISM_TYPED_UNARY(asin, typed_asin, real_of, f::asin(a))
PRISM_TYPED_UNARY(acos, typed_acos, real_of, f::acos(a))
PRISM_TYPED_UNARY(atan, typed_atan, real_of, f::atan(a))
PRISM_TYPED_UNARY(sinh, typed_sinh, real_of, f::sinh(a))
PRISM_TYPED_UNARY(cosh, typed_cosh, real_of, f::cosh(a))
PRISM_TYPED_UNARY(tanh, typed_tanh, real_of, f::tanh(a))
PRISM_TYPED_UNARY(asinh, typed_asinh, real_of, f::asinh(a))
PRISM_TYPED_UNARY(acosh, typed_acosh, real_of, f::acosh(a))
PRISM_TYPED_UNARY(atanh, typed_atanh, real_of, f::atanh(a))
PRISM_TYPED_UNARY(exp2, typed_exp2, real_of, f::exp2(a))
PRISM_TYPED_UNARY(cbrt, typed_cbrt, real_of, f::cbrt(a))
PRISM_TYPED_UNARY(reciprocal, typed_reciprocal, real_of, f::divide(W(1), a))
PRISM_TYPED_UNARY(fabs, typed_fabs, real_of, f::abs(a))
PRISM_TYPED_UNARY(operator-, typed_negative, same_type, f::negative(a))
PRISM_TYPED_UNARY(negative, typed_minus, same_type, f::negative(a))
PRISM_TYPED_UNARY(positive, typed_positive, same_type, a)
PRISM_TYPED_UNARY(square, typed_square, same_type, f::multiply(a, a))
PRISM_TYPED_UNARY(sign, typed_sign, same_type, f::sign(a))
#undef PRISM_TYPED_UNARY

// Of one operand, as a function of its type T.
#define PRISM_TYPED_FUNCTION(function, name)                                                                 \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto function(const E& a) {                                                                                \
    return array_detail::call<array_detail::name>(a);                                                        \
  }
namespace array_detail {

/// Functions that leave integers as they are.
#define PRISM_TYPED_ROUNDING(function, name)                                                                 \
  struct name {                                                                                              \
    template <typename N>                                                                                    \
    N operator()(N a) const {                                                                                \
      if constexpr (std::is_integral_v<N>) return a;                                                         \
      else return functions<N>::function(a);                                                                 \
    }                                                                                                        \
  };
PRISM_TYPED_ROUNDING(floor, typed_floor)
PRISM_TYPED_ROUNDING(ceil, typed_ceil)
PRISM_TYPED_ROUNDING(trunc, typed_trunc)
PRISM_TYPED_ROUNDING(round, typed_round)
#undef PRISM_TYPED_ROUNDING

#define PRISM_TYPED_QUESTION(function, name, of_integer)                                                     \
  struct name {                                                                                              \
    template <typename N>                                                                                    \
    bool operator()(N a) const {                                                                             \
      if constexpr (std::is_integral_v<N>) return (void)a, of_integer;                                       \
      else return functions<N>::function(a);                                                                 \
    }                                                                                                        \
  };
PRISM_TYPED_QUESTION(isnan, typed_isnan, false)
PRISM_TYPED_QUESTION(isinf, typed_isinf, false)
PRISM_TYPED_QUESTION(isfinite, typed_isfinite, true)
#undef PRISM_TYPED_QUESTION

struct typed_signbit {
  template <typename N>
  bool operator()(N a) const {
    if constexpr (std::is_integral_v<N>) return a < N(0);
    else return sycl::signbit(a) != 0;
  }
};
struct typed_logical_not {
  template <typename N>
  bool operator()(N a) const {
    return !truth_of(a);
  }
};
struct typed_invert {
  template <typename N>
  N operator()(N a) const {
    if constexpr (std::is_same_v<N, bool>) return !a;
    else return static_cast<N>(~a);
  }
};
struct typed_abs {
  template <typename N>
  auto operator()(N a) const {
    if constexpr (is_pair<N>) return functions<N>::size(a);
    else if constexpr (std::is_integral_v<N>)
      return static_cast<N>(functions<arithmetic_type<N>>::abs(arithmetic_type<N>(a)));
    else return functions<N>::abs(a);
  }
};
struct typed_conj {
  template <typename N>
  N operator()(N a) const {
    if constexpr (is_pair<N>) return functions<N>::conj(a);
    else return a;
  }
};
struct typed_real {
  template <typename N>
  auto operator()(N a) const {
    if constexpr (is_pair<N>) return a.re;
    else return a;
  }
};
struct typed_imag {
  template <typename R>
  R operator()(pair<R> a) const {
    return a.im;
  }
};
template <typename To>
struct typed_cast {
  template <typename N>
  number_of<To> operator()(N a) const {
    return number_as<number_of<To>>(a);
  }
};
struct typed_where {
  template <typename C, typename A, typename B>
  auto operator()(C condition, A a, B b) const {
    using N = number_of<common_of<A, B>>;
    return truth_of(condition) ? number_as<N>(a) : number_as<N>(b);
  }
};

} // namespace array_detail
PRISM_TYPED_FUNCTION(floor, typed_floor)
PRISM_TYPED_FUNCTION(ceil, typed_ceil)
PRISM_TYPED_FUNCTION(trunc, typed_trunc)
PRISM_TYPED_FUNCTION(round, typed_round)
PRISM_TYPED_FUNCTION(isnan, typed_isnan)
PRISM_TYPED_FUNCTION(isinf, typed_isinf)
PRISM_TYPED_FUNCTION(isfinite, typed_isfinite)
PRISM_TYPED_FUNCTION(signbit, typed_signbit)
PRISM_TYPED_FUNCTION(logical_not, typed_logical_not)
PRISM_TYPED_FUNCTION(bitwise_invert, typed_invert)
PRISM_TYPED_FUNCTION(operator~, typed_invert)
PRISM_TYPED_FUNCTION(abs, typed_abs)
PRISM_TYPED_FUNCTION(conj, typed_conj)
PRISM_TYPED_FUNCTION(real, typed_real)
PRISM_TYPED_FUNCTION(imag, typed_imag)
#undef PRISM_TYPED_FUNCTION

/// The elements converted.
template <typename To, typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
auto astype(const E& a) {
  return array_detail::call<array_detail::typed_cast<To>>(a);
}

/// The elements of a where `condition` is not 0, else those of b. a and b may be numbers.
template <typename C, typename A, typename B,
          std::enable_if_t<array_detail::is_expression<C> && array_detail::is_operand<A> &&
                               array_detail::is_operand<B>,
                           int> = 0>
auto where(const C& condition, const A& a, const B& b) {
  using namespace array_detail;
  const auto chosen = [&](const auto& x, const auto& y) {
    return call_expression<typed_where, C, std::decay_t<decltype(x)>, std::decay_t<decltype(y)>>(condition, x,
                                                                                                 y);
  };
  if constexpr (is_expression<A>) {
    if constexpr (is_expression<B>) return chosen(a, b);
    else return chosen(a, number_operand<number_beside<typename A::value_type, B>>(b));
  } else if constexpr (is_expression<B>) {
    return chosen(number_operand<number_beside<typename B::value_type, A>>(a), b);
  } else {
    return chosen(number_operand<number_alone<A>>(a), number_operand<number_alone<B>>(b));
  }
}
/// The elements that are less than `low` become it, those that are greater than `high` that.
template <typename E, typename Low, typename High,
          std::enable_if_t<array_detail::is_expression<E> && array_detail::is_operand<Low> &&
                               array_detail::is_operand<High>,
                           int> = 0>
auto clip(const E& a, const Low& low, const High& high) {
  return minimum(maximum(a, low), high);
}

/// What an assignment of the expression does.
template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
std::string explain(const E& of) {
  return array_detail::explain_typed(of.shape(), dtype_of<typename E::value_type>(), E::operations,
                                     E::arrays);
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
