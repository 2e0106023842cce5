// Reductions of expressions of array<T>: those of any_array, with the same types. The elements of the
// expression are not stored. Use <prism/array.hpp>.
#pragma once

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
/// the value of some elements at the end. `rest` folds the values of parts.
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
  static constexpr reduction_op op = reduction_op::sum, rest = reduction_op::sum;
  template <typename T>
  using result = wide_of<T>;
  template <typename N>
  static N combine(N a, N b) {
    return functions<N>::add(a, b);
  }
};
struct fold_prod : typed_fold {
  static constexpr reduction_op op = reduction_op::prod, rest = reduction_op::prod;
  template <typename T>
  using result = wide_of<T>;
  template <typename N>
  static N combine(N a, N b) {
    return functions<N>::multiply(a, b);
  }
};
struct fold_max : typed_fold {
  static constexpr reduction_op op = reduction_op::max, rest = reduction_op::max;
  template <typename T>
  using result = T;
  template <typename N>
  static N combine(N a, N b) {
    return static_cast<N>(functions<arithmetic_type<N>>::maximum(a, b));
  }
};
struct fold_min : typed_fold {
  static constexpr reduction_op op = reduction_op::min, rest = reduction_op::min;
  template <typename T>
  using result = T;
  template <typename N>
  static N combine(N a, N b) {
    return static_cast<N>(functions<arithmetic_type<N>>::minimum(a, b));
  }
};
struct fold_any : typed_fold {
  static constexpr reduction_op op = reduction_op::any, rest = reduction_op::any;
  template <typename T>
  using result = bool;
  static bool combine(bool a, bool b) { return a | b; }
};
struct fold_all : typed_fold {
  static constexpr reduction_op op = reduction_op::all, rest = reduction_op::all;
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

/// For each result of a fold along axis d: its coordinates with 0 there.
struct axis_layout {
  extents results;
  bound_shape lifted;
  int axis;
  std::int64_t elements;
  axis_layout(const extents& shape, int d) : lifted(without(shape, d, true)), axis(d), elements(shape[d]) {
    results = without(shape, d, false);
  }
  static extents without(const extents& shape, int d, bool keeps) {
    extents out;
    for (int k = 0; k < shape.size(); ++k)
      if (k != d) out.push_back(shape[k]);
      else if (keeps) out.push_back(1);
    return out;
  }
};
/// The elements of part i of `size` elements: `share` neighbours, or the rest.
struct part_layout {
  std::int64_t size, share, parts;
  explicit part_layout(std::int64_t elements) : size(elements) {
    const std::int64_t wanted = size < 8192 ? 1 : size / 4096 < 512 ? size / 4096 : 512;
    share = (size + wanted - 1) / wanted;
    parts = (size + share - 1) / share;
  }
  std::int64_t end(std::int64_t begin) const { return begin + share < size ? begin + share : size; }
};

/// The fold of the expression along `axis`.
template <typename Fold, typename E>
auto folded(const E& of, std::int64_t axis) {
  using R = fold_result<Fold, E>;
  using N = number_of<R>;
  const extents shape = of.shape();
  const int d = typed_axis(axis, shape.size());
  if (shape.product() == 0) return reduced_without_elements<R>(of, Fold::op, {{d}});
  const axis_layout layout(shape, d);
  const array<R> out(layout.results, of.first()->device());
  const auto source = of.bind(shape);
  const bound_shape extent = layout.lifted;
  const std::int64_t elements = layout.elements;
  sycl::queue queue = queue_for_write(out);
  N* to = static_cast<N*>(out.any().data());
  queue.parallel_for(sycl::range<1>(std::size_t(out.size())), [=](sycl::id<1> i) {
    coordinates at = extent.of(std::int64_t(i[0]));
    N total = Fold::template take<N>(source.at(at));
    for (std::int64_t k = 1; k < elements; ++k) {
      at.at[d] = k;
      total = Fold::combine(total, Fold::template take<N>(source.at(at)));
    }
    to[i[0]] = Fold::end(total, elements);
  });
  return out;
}

/// Over all axes: parts of neighbouring elements in one launch with the expression, then those.
template <typename Fold, typename E>
auto folded(const E& of) {
  using R = fold_result<Fold, E>;
  using N = number_of<R>;
  const extents shape = of.shape();
  if (shape.product() == 0) return reduced_without_elements<R>(of, Fold::op, {});
  const part_layout layout(shape.product());
  const array<R> out(extents{layout.parts}, of.first()->device());
  const auto source = of.bind(shape);
  const bound_shape extent(shape);
  const bool flat = of.is_flat(shape), is_whole = layout.parts == 1;
  sycl::queue queue = queue_for_write(out);
  N* to = static_cast<N*>(out.any().data());
  queue.parallel_for(sycl::range<1>(std::size_t(layout.parts)), [=](sycl::id<1> i) {
    const std::int64_t begin = std::int64_t(i[0]) * layout.share, end = layout.end(begin);
    N total = Fold::template take<N>(flat ? source.at(begin) : source.at(extent.of(begin)));
    for (std::int64_t k = begin + 1; k < end; ++k)
      total = Fold::combine(total, Fold::template take<N>(flat ? source.at(k) : source.at(extent.of(k))));
    to[i[0]] = is_whole ? Fold::end(total, layout.size) : total;
  });
  if (is_whole) return out.reshape({});
  any_array total = reduce(Fold::rest, out.any());
  if (Fold::op == reduction_op::mean) total = total / double(layout.size);
  return array<R>(total.astype(dtype_of<R>()));
}

/// The position of an extreme: the first one's, or the first NaN's.
struct position_of_minimum {
  static constexpr reduction_op op = reduction_op::argmin;
  template <typename N>
  static bool is_beyond(N a, N b) {
    return b < a;
  }
};
struct position_of_maximum {
  static constexpr reduction_op op = reduction_op::argmax;
  template <typename N>
  static bool is_beyond(N a, N b) {
    return a < b;
  }
};
/// Whether b, which comes later, takes the place of a.
template <typename Extreme, typename N>
inline bool replaces(N a, N b) {
  return a == a && (b != b || Extreme::is_beyond(a, b));
}

template <typename Extreme, typename E>
array<std::int64_t> position(const E& of, std::int64_t axis) {
  const extents shape = of.shape();
  const int d = typed_axis(axis, shape.size());
  if (shape.product() == 0) return reduced_without_elements<std::int64_t>(of, Extreme::op, {{d}});
  const axis_layout layout(shape, d);
  const array<std::int64_t> out(layout.results, of.first()->device());
  const auto source = of.bind(shape);
  const bound_shape extent = layout.lifted;
  const std::int64_t elements = layout.elements;
  sycl::queue queue = queue_for_write(out);
  std::int64_t* to = out.data();
  queue.parallel_for(sycl::range<1>(std::size_t(out.size())), [=](sycl::id<1> i) {
    coordinates at = extent.of(std::int64_t(i[0]));
    auto best = source.at(at);
    std::int64_t place = 0;
    for (std::int64_t k = 1; k < elements; ++k) {
      at.at[d] = k;
      const auto now = source.at(at);
      if (replaces<Extreme>(best, now)) best = now, place = k;
    }
    to[i[0]] = place;
  });
  return out;
}

template <typename Extreme, typename E>
array<std::int64_t> position(const E& of) {
  using T = typename E::value_type;
  const extents shape = of.shape();
  if (shape.product() == 0) return reduced_without_elements<std::int64_t>(of, Extreme::op, {});
  const part_layout layout(shape.product());
  const sycl::device device = of.first()->device();
  const array<T> values(extents{layout.parts}, device);
  const array<std::int64_t> places(extents{layout.parts}, device), out(extents{}, device);
  const auto source = of.bind(shape);
  const bound_shape extent(shape);
  const bool flat = of.is_flat(shape);
  sycl::queue queue = queue_for_write(values);
  T* const value = values.data();
  std::int64_t *const place = places.data(), *const to = out.data();
  queue.parallel_for(sycl::range<1>(std::size_t(layout.parts)), [=](sycl::id<1> i) {
    std::int64_t at = std::int64_t(i[0]) * layout.share;
    const std::int64_t end = layout.end(at);
    T best = flat ? source.at(at) : source.at(extent.of(at));
    for (std::int64_t k = at + 1; k < end; ++k) {
      const T now = flat ? source.at(k) : source.at(extent.of(k));
      if (replaces<Extreme>(best, now)) best = now, at = k;
    }
    value[i[0]] = best, place[i[0]] = at;
  });
  queue.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) {
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < layout.parts; ++k)
      if (replaces<Extreme>(value[best], value[k])) best = k;
    *to = place[best];
  });
  return out;
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
PRISM_TYPED_REDUCTION(argmin, position<array_detail::position_of_minimum>)
PRISM_TYPED_REDUCTION(argmax, position<array_detail::position_of_maximum>)
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
