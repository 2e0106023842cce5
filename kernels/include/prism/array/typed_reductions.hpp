// Reductions of expressions of array<T>: those of any_array, with the same types. The elements of the
// expression are not stored. Use <prism/array.hpp>.
#pragma once

#include <prism/array/typed_folds.hpp>
#include <prism/array/typed_functions.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism {
namespace array_detail {

/// Sums and products of integers are int64 or uint64, as in NumPy.
template <typename T>
using wide_of = std::conditional_t<
    !std::is_integral_v<T>, T,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>>;

/// A fold: the type of its results, what it takes of an element, how two values combine, and what becomes of
/// the value of some elements at the end.
struct typed_fold {
  template <typename N, typename E>
  static N take(E element) {
    return number_as<N>(element);
  }
  template <typename N>
  static N end(N total, std::int64_t) {
    return total;
  }
};
struct fold_sum : typed_fold {
  static constexpr reduction_op op = reduction_op::sum;
  template <typename T>
  using result = wide_of<T>;
  template <typename N>
  static N combine(N a, N b) {
    return functions<N>::add(a, b);
  }
};
struct fold_prod : typed_fold {
  static constexpr reduction_op op = reduction_op::prod;
  template <typename T>
  using result = wide_of<T>;
  template <typename N>
  static N combine(N a, N b) {
    return functions<N>::multiply(a, b);
  }
};
struct fold_max : typed_fold {
  static constexpr reduction_op op = reduction_op::max;
  template <typename T>
  using result = T;
  template <typename N>
  static N combine(N a, N b) {
    return static_cast<N>(functions<arithmetic_type<N>>::maximum(a, b));
  }
};
struct fold_min : typed_fold {
  static constexpr reduction_op op = reduction_op::min;
  template <typename T>
  using result = T;
  template <typename N>
  static N combine(N a, N b) {
    return static_cast<N>(functions<arithmetic_type<N>>::minimum(a, b));
  }
};
struct fold_any : typed_fold {
  static constexpr reduction_op op = reduction_op::any;
  template <typename T>
  using result = bool;
  static bool combine(bool a, bool b) { return a | b; }
};
struct fold_all : typed_fold {
  static constexpr reduction_op op = reduction_op::all;
  template <typename T>
  using result = bool;
  static bool combine(bool a, bool b) { return a & b; }
};
struct fold_count : fold_sum {
  static constexpr reduction_op op = reduction_op::count_nonzero;
  template <typename T>
  using result = std::int64_t;
  template <typename N, typename E>
  static N take(E element) {
    return truth_of(element);
  }
};
struct fold_mean : fold_sum {
  static constexpr reduction_op op = reduction_op::mean;
  template <typename T>
  using result = real_of<T>;
  template <typename N>
  static N end(N total, std::int64_t elements) {
    if constexpr (is_pair<N>)
      return N(total.re / decltype(total.re)(elements), total.im / decltype(total.re)(elements));
    else return total / N(elements);
  }
};

template <typename Fold, typename E>
using fold_result = typename Fold::template result<typename E::value_type>;

inline int typed_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "axis " + std::to_string(axis) + " of an expression with " + std::to_string(rank) +
                              " dimensions");
  return int(axis < 0 ? axis + rank : axis);
}
/// Of an expression without elements: any_array's.
template <typename R, typename E>
array<R> reduced_without_elements(const E& of, reduction_op op, const axes& axis) {
  return array<R>(
      reduce(op, zeros(of.shape(), dtype_of<typename E::value_type>(), of.first()->device()), axis)
          .astype(dtype_of<R>()));
}

/// The shape without dimension `axis`, or of all axes.
inline extents shape_without(const extents& shape, int axis) {
  extents out;
  for (int d = 0; axis != joined_space::all_axes && d < shape.size(); ++d)
    if (d != axis) out.push_back(shape[d]);
  return out;
}

/// The fold of the expression by Rule, whose results have the type R, along an axis or all of them.
template <typename Rule, typename R, typename E>
array<R> folded_by(const E& of, reduction_op op, const extents& shape, int axis) {
  of.visit([&](const any_array& each) { require_device_of(*of.first(), each); });
  if (shape.product() == 0)
    return reduced_without_elements<R>(of, op, axis == joined_space::all_axes ? axes() : axes{{axis}});
  const array<R> out(shape_without(shape, axis), of.first()->device());
  fold_into<Rule>(out.any(), of, shape, axis);
  return out;
}

template <typename Fold, typename E>
auto folded_along(const E& of, const extents& shape, int axis) {
  using R = fold_result<Fold, E>;
  return folded_by<values_of<Fold, number_of<R>>, R>(of, Fold::op, shape, axis);
}
template <typename Fold, typename E>
auto folded(const E& of, std::int64_t axis) {
  const extents shape = of.shape();
  return folded_along<Fold>(of, shape, typed_axis(axis, shape.size()));
}
template <typename Fold, typename E>
auto folded(const E& of) {
  return folded_along<Fold>(of, of.shape(), joined_space::all_axes);
}

struct beyond_minimum {
  static constexpr reduction_op op = reduction_op::argmin;
  template <typename N>
  static bool is_beyond(N a, N b) {
    return b < a;
  }
};
struct beyond_maximum {
  static constexpr reduction_op op = reduction_op::argmax;
  template <typename N>
  static bool is_beyond(N a, N b) {
    return a < b;
  }
};

template <typename Extreme, typename E>
array<std::int64_t> position_along(const E& of, const extents& shape, int axis) {
  using rule = position_of<Extreme, number_of<typename E::value_type>>;
  return folded_by<rule, std::int64_t>(of, Extreme::op, shape, axis);
}
template <typename Extreme, typename E>
auto position(const E& of, std::int64_t axis) {
  const extents shape = of.shape();
  return position_along<Extreme>(of, shape, typed_axis(axis, shape.size()));
}
template <typename Extreme, typename E>
auto position(const E& of) {
  return position_along<Extreme>(of, of.shape(), joined_space::all_axes);
}

/// The squares of the distances from the mean, which is computed before.
template <typename E>
auto squares_from_mean(const E& of, std::optional<std::int64_t> axis) {
  using R = real_of<typename E::value_type>;
  array<R> mean = axis ? folded<fold_mean>(of, *axis) : folded<fold_mean>(of);
  if (axis) mean = array<R>(mean.any().expand_dims(typed_axis(*axis, of.shape().size())));
  return square(abs(of - mean));
}

} // namespace array_detail

#define PRISM_TYPED_REDUCTION(name, fold)                                                                    \
  /** Over all axes, or one. */                                                                              \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto name(const E& of) {                                                                                   \
    return array_detail::fold(of);                                                                           \
  }                                                                                                          \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto name(const E& of, std::int64_t axis) {                                                                \
    return array_detail::fold(of, axis);                                                                     \
  }
PRISM_TYPED_REDUCTION(sum, folded<array_detail::fold_sum>)
PRISM_TYPED_REDUCTION(prod, folded<array_detail::fold_prod>)
PRISM_TYPED_REDUCTION(max, folded<array_detail::fold_max>)
PRISM_TYPED_REDUCTION(min, folded<array_detail::fold_min>)
PRISM_TYPED_REDUCTION(any, folded<array_detail::fold_any>)
PRISM_TYPED_REDUCTION(all, folded<array_detail::fold_all>)
PRISM_TYPED_REDUCTION(mean, folded<array_detail::fold_mean>)
PRISM_TYPED_REDUCTION(count_nonzero, folded<array_detail::fold_count>)
PRISM_TYPED_REDUCTION(argmin, position<array_detail::beyond_minimum>)
PRISM_TYPED_REDUCTION(argmax, position<array_detail::beyond_maximum>)
#undef PRISM_TYPED_REDUCTION

/// The mean of the squares of the distances from the mean; the divisor is the number of elements less
/// `correction`. The mean has a launch of its own.
template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
auto var(const E& of, std::optional<std::int64_t> axis = {}, double correction = 0) {
  const auto squares = array_detail::squares_from_mean(of, axis);
  using R = typename decltype(squares)::value_type;
  const extents shape = of.shape();
  const double count = double(axis ? shape[array_detail::typed_axis(*axis, shape.size())] : shape.product());
  const array<R> total = axis ? sum(squares, *axis) : sum(squares);
  return array<R>(total.any() / (count > correction ? count - correction : 0.0));
}
/// The root of it.
template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
auto stddev(const E& of, std::optional<std::int64_t> axis = {}, double correction = 0) {
  const auto variance = var(of, axis, correction);
  return decltype(var(of))(sqrt(variance.any()));
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
