// prism::array<T>: an array whose element type is known when the program is compiled. Use <prism/array.hpp>.
//
//   prism::array<float> x({1000}), y({1000});
//   x.fill(1);
//   y = sqrt(x * x + 2) / 3;                  // one kernel, compiled with the program
//   prism::array<float> s = sum(x * y);       // the elements of x * y are never stored
//
// It is an any_array with the element type T, which it converts to: all functions of any_array take it. Only
// expressions of array<T> differ: they are C++ types, and an assignment of one is one kernel, which prism++
// compiles into the program; broadcasts are part of it, and so is a reduction over one axis. A reduction over
// all axes has a second launch for the sums of the parts.
//
// An operation computes in the common type of its operands (int8 + int8 stays int8, as in NumPy); a number
// next to an array takes the array's type, or double next to an array of integers if it is a floating-point
// number. An expression holds its arrays, and reads their elements when it is assigned.
#pragma once

#include <prism/array/functions.hpp>
#include <sycl/sycl.hpp>

#include <sycl/detail/user_macros_hide.hpp>

#include <initializer_list>
#include <tuple>

namespace prism {

template <typename T>
class array;

namespace array_detail {

struct expression_tag {};
template <typename E>
inline constexpr bool is_expression = std::is_base_of_v<expression_tag, E>;

struct coordinates {
  std::int64_t at[max_rank];
};

/// A shape as a kernel needs it.
struct bound_shape {
  std::int64_t extent[max_rank];
  int rank;
  explicit bound_shape(const extents& shape) : extent{}, rank(shape.size()) {
    for (int d = 0; d < rank; ++d) extent[d] = shape[d];
  }
  coordinates of(std::int64_t i) const {
    coordinates c{};
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t rest = i / extent[d];
      c.at[d] = i - rest * extent[d];
      i = rest;
    }
    return c;
  }
};

template <typename T>
struct bound_array {
  T* data;
  std::int64_t stride[max_rank];
  T& at(std::int64_t i) const { return data[i]; }
  T& at(const coordinates& c) const {
    std::int64_t offset = 0;
    for (int d = 0; d < max_rank; ++d) offset += c.at[d] * stride[d];
    return data[offset];
  }
};
/// The elements of `a`, broadcast to `shape`.
template <typename T>
bound_array<T> bound(const any_array& a, const extents& shape) {
  bound_array<T> out{static_cast<T*>(a.data()), {}};
  const extents &from = a.shape(), &strides = a.strides();
  for (int d = 0; d < from.size(); ++d)
    out.stride[shape.size() - from.size() + d] = from[d] == 1 ? 0 : strides[d];
  return out;
}

template <typename T>
struct bound_number {
  T value;
  template <typename Place>
  T at(const Place&) const {
    return value;
  }
};
template <typename F, typename... Bound>
struct bound_call {
  std::tuple<Bound...> operands;
  template <typename Place>
  auto at(const Place& place) const {
    return std::apply([&](const auto&... each) { return F()(each.at(place)...); }, operands);
  }
};

template <typename T>
struct number_expression : expression_tag {
  using value_type = T;
  T value;
  explicit number_expression(T v) : value(v) {}
  extents shape() const { return {}; }
  bool is_flat(const extents&) const { return true; }
  bool reads(const any_array&) const { return false; }
  auto bind(const extents&) const { return bound_number<T>{value}; }
  const any_array* first() const { return nullptr; }
  static constexpr int operations = 0, arrays = 0;
};

/// F of the elements of some expressions.
template <typename F, typename... Operands>
struct call_expression : expression_tag {
  using value_type = decltype(F()(std::declval<typename Operands::value_type>()...));
  static constexpr int operations = 1 + (Operands::operations + ...), arrays = (Operands::arrays + ...);
  std::tuple<Operands...> operands;

  explicit call_expression(const Operands&... of) : operands(of...) {}
  template <typename Use>
  auto with(const Use& use) const {
    return std::apply(use, operands);
  }
  extents shape() const {
    return with([](const auto&... each) {
      extents all;
      ((all = broadcast_shapes(all, each.shape())), ...);
      return all;
    });
  }
  bool is_flat(const extents& of) const {
    return with([&](const auto&... each) { return (each.is_flat(of) && ...); });
  }
  bool reads(const any_array& memory) const {
    return with([&](const auto&... each) { return (each.reads(memory) || ...); });
  }
  const any_array* first() const {
    const any_array* found = nullptr;
    with([&](const auto&... each) { ((found = found ? found : each.first()), ...); });
    return found;
  }
  auto bind(const extents& to) const {
    return with([&](const auto&... each) {
      return bound_call<F, decltype(each.bind(to))...>{std::make_tuple(each.bind(to)...)};
    });
  }
};

/// Runs the expression into `to`, which has its shape.
template <typename T, typename E>
void store(const any_array& to, const E& from) {
  if (to.size() == 0) return;
  const extents shape = to.shape();
  const auto source = from.bind(shape);
  sycl::queue queue = queue_for_write(to);
  const bound_array<T> target = bound<T>(to, shape);
  const sycl::range<1> items(std::size_t(to.size()));
  if (to.is_contiguous() && from.is_flat(shape)) {
    queue.parallel_for(items, [=](sycl::id<1> i) {
      target.at(std::int64_t(i[0])) = static_cast<T>(source.at(std::int64_t(i[0])));
    });
  } else {
    const bound_shape extent(shape);
    queue.parallel_for(items, [=](sycl::id<1> i) {
      const coordinates at = extent.of(std::int64_t(i[0]));
      target.at(at) = static_cast<T>(source.at(at));
    });
  }
}

} // namespace array_detail

template <typename T>
class array : public array_detail::expression_tag {
public:
  using value_type = T;
  static constexpr int operations = 0, arrays = 1;

  array() = default;
  /// Elements are not set.
  /// Numbers in braces are a shape: array<float> x({480, 640}).
  explicit array(std::initializer_list<std::int64_t> shape, const array_device& on = {})
      : array(extents(shape), on) {}
  explicit array(const extents& shape, const array_device& on = {})
      : m_any(empty(shape, dtype_of<T>(), on)) {}
  array(const std::vector<T>& values, const extents& shape, const array_device& on = {})
      : m_any(asarray(values, shape, on)) {}
  explicit array(const std::vector<T>& values, const array_device& on = {}) : m_any(asarray(values, on)) {}
  /// The same elements; refused (errc::invalid) if they have another type.
  explicit array(const any_array& of) : m_any(of) {
    if (of.type() != dtype_of<T>())
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            std::string("an array of ") + prism::name_of(dtype_of<T>()) +
                                " was made of one of " + prism::name_of(of.type()) + "; use astype");
  }
  /// New elements: one kernel.
  template <typename E,
            std::enable_if_t<array_detail::is_expression<E> && !std::is_same_v<E, array>, int> = 0>
  array(const E& of) : m_any(empty(of.shape(), dtype_of<T>(), of.first()->device())) {
    array_detail::store<T>(m_any, of);
  }
  /// Writes the expression, broadcast to the shape, into the elements, which views share.
  template <typename E>
  void assign(const E& of) {
    if (broadcast_shapes(shape(), of.shape()) != shape())
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "an expression of shape " + text_of(of.shape()) + " does not broadcast to " +
                                text_of(shape()));
    if (of.reads(m_any)) m_any.assign(array<T>(of)); // elements may be needed after they are written
    else array_detail::store<T>(m_any, of);
  }
  void fill(T value) { m_any.fill(value); }

  operator const any_array&() const { return m_any; }
  const any_array& any() const { return m_any; }
  extents shape() const { return m_any.shape(); }
  std::int64_t size() const { return m_any.size(); }
  T* data() const { return static_cast<T*>(m_any.data()); }
  std::vector<T> to_vector() const { return m_any.to_vector<T>(); }
  T item() const { return m_any.item<T>(); }
  array operator[](std::initializer_list<index_item> items) const { return array(m_any[items]); }
  array reshape(const extents& to) const { return array(m_any.reshape(to)); }
  array transpose() const { return array(m_any.transpose()); }
  std::string str() const { return m_any.str(); }

  bool is_flat(const extents& of) const { return m_any.shape() == of && m_any.is_contiguous(); }
  bool reads(const any_array& memory) const { return memory.owner() == m_any.owner(); }
  auto bind(const extents& to) const { return array_detail::bound<T>(m_any, to); }
  const any_array* first() const { return &m_any; }

private:
  any_array m_any;
};

namespace array_detail {

template <typename T, typename Number>
using number_beside =
    std::conditional_t<std::is_integral_v<T> && std::is_floating_point_v<Number>, double, T>;
template <typename A, typename B>
struct pair_of {
  using left = A;
  using right = B;
};
template <typename A, typename B>
constexpr auto operands() {
  if constexpr (is_expression<A> && is_expression<B>) return pair_of<A, B>();
  else if constexpr (is_expression<A>)
    return pair_of<A, number_expression<number_beside<typename A::value_type, B>>>();
  else return pair_of<number_expression<number_beside<typename B::value_type, A>>, B>();
}
template <typename A, typename B>
inline constexpr bool is_operand_pair =
    (is_expression<A> && is_expression<B>) || (is_expression<A> && std::is_arithmetic_v<B>) ||
    (std::is_arithmetic_v<A> && is_expression<B>);
template <typename F, typename A, typename B>
auto call(const A& a, const B& b) {
  using of = decltype(operands<A, B>());
  using left = typename of::left;
  using right = typename of::right;
  if constexpr (is_expression<A> && is_expression<B>) return call_expression<F, left, right>(a, b);
  else if constexpr (is_expression<A>)
    return call_expression<F, left, right>(a, right(static_cast<typename right::value_type>(b)));
  else return call_expression<F, left, right>(left(static_cast<typename left::value_type>(a)), b);
}

} // namespace array_detail

// The operators and functions of expressions. `a` and `b` have the common type.
#define PRISM_TYPED_BINARY(function, name, expression)                                                       \
  namespace array_detail {                                                                                   \
  struct name {                                                                                              \
    template <typename A, typename B>                                                                        \
    auto operator()(A left, B right) const {                                                                 \
      using common = std::common_type_t<A, B>;                                                               \
      const common a = static_cast<common>(left), b = static_cast<common>(right);                            \
      (void)a, (void)b;                                                                                      \
      return expression;                                                                                     \
    }                                                                                                        \
  };                                                                                                         \
  }                                                                                                          \
  template <typename A, typename B, std::enable_if_t<array_detail::is_operand_pair<A, B>, int> = 0>          \
  auto function(const A& a, const B& b) {                                                                    \
    return array_detail::call<array_detail::name>(a, b);                                                     \
  }
PRISM_TYPED_BINARY(operator+, typed_add, static_cast<common>(a + b))
PRISM_TYPED_BINARY(operator-, typed_subtract, static_cast<common>(a - b))
PRISM_TYPED_BINARY(operator*, typed_multiply, static_cast<common>(a* b))
PRISM_TYPED_BINARY(operator<, typed_less, a < b)
PRISM_TYPED_BINARY(operator<=, typed_less_equal, a <= b)
PRISM_TYPED_BINARY(operator>, typed_greater, a > b)
PRISM_TYPED_BINARY(operator>=, typed_greater_equal, a >= b)
PRISM_TYPED_BINARY(operator==, typed_equal, a == b)
PRISM_TYPED_BINARY(operator!=, typed_not_equal, a != b)
PRISM_TYPED_BINARY(maximum, typed_maximum, a != a || a > b ? a : b)
PRISM_TYPED_BINARY(minimum, typed_minimum, a != a || a < b ? a : b)
#undef PRISM_TYPED_BINARY

namespace array_detail {
/// Integers become double, as in NumPy.
template <typename T>
using real_of = std::conditional_t<std::is_integral_v<T>, double, T>;
struct typed_divide {
  template <typename A, typename B>
  auto operator()(A a, B b) const {
    using real = real_of<std::common_type_t<A, B>>;
    return static_cast<real>(a) / static_cast<real>(b);
  }
};
struct typed_power {
  template <typename A, typename B>
  auto operator()(A a, B b) const {
    using real = real_of<std::common_type_t<A, B>>;
    return sycl::pow(static_cast<real>(a), static_cast<real>(b));
  }
};
struct typed_negative {
  template <typename T>
  T operator()(T a) const {
    return static_cast<T>(-a);
  }
};
struct typed_where {
  template <typename C, typename A, typename B>
  auto operator()(C condition, A a, B b) const {
    using common = std::common_type_t<A, B>;
    return condition ? static_cast<common>(a) : static_cast<common>(b);
  }
};
} // namespace array_detail
template <typename A, typename B, std::enable_if_t<array_detail::is_operand_pair<A, B>, int> = 0>
auto operator/(const A& a, const B& b) {
  return array_detail::call<array_detail::typed_divide>(a, b);
}
template <typename A, typename B, std::enable_if_t<array_detail::is_operand_pair<A, B>, int> = 0>
auto pow(const A& a, const B& b) {
  return array_detail::call<array_detail::typed_power>(a, b);
}
template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
auto operator-(const E& a) {
  return array_detail::call_expression<array_detail::typed_negative, E>(a);
}
/// The elements of a where `condition` is not 0, else those of b.
template <typename C, typename A, typename B,
          std::enable_if_t<array_detail::is_expression<C> && array_detail::is_expression<A> &&
                               array_detail::is_expression<B>,
                           int> = 0>
auto where(const C& condition, const A& a, const B& b) {
  return array_detail::call_expression<array_detail::typed_where, C, A, B>(condition, a, b);
}

#define PRISM_TYPED_UNARY(name)                                                                              \
  namespace array_detail {                                                                                   \
  struct typed_##name {                                                                                      \
    template <typename T>                                                                                    \
    auto operator()(T a) const {                                                                             \
      return sycl::name(static_cast<real_of<T>>(a));                                                         \
    }                                                                                                        \
  };                                                                                                         \
  }                                                                                                          \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto name(const E& a) {                                                                                    \
    return array_detail::call_expression<array_detail::typed_##name, E>(a);                                  \
  }
PRISM_TYPED_UNARY(sqrt)
PRISM_TYPED_UNARY(exp)
PRISM_TYPED_UNARY(log)
PRISM_TYPED_UNARY(sin)
PRISM_TYPED_UNARY(cos)
PRISM_TYPED_UNARY(tan)
PRISM_TYPED_UNARY(tanh)
PRISM_TYPED_UNARY(fabs)
PRISM_TYPED_UNARY(floor)
#undef PRISM_TYPED_UNARY

namespace array_detail {

/// Sums and products of integers are int64 or uint64, as in NumPy.
template <typename T>
using wide_of = std::conditional_t<
    !std::is_integral_v<T>, T,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>>;
struct fold_sum : typed_add {
  template <typename T>
  using result = wide_of<T>;
};
struct fold_prod : typed_multiply {
  template <typename T>
  using result = wide_of<T>;
};
struct fold_max : typed_maximum {
  template <typename T>
  using result = T;
};
struct fold_min : typed_minimum {
  template <typename T>
  using result = T;
};

/// The fold of the expression along `axis`.
template <typename Fold, typename E>
auto folded(const E& of, std::int64_t axis) {
  using T = typename Fold::template result<typename E::value_type>;
  const extents shape = of.shape();
  const int d = int(axis < 0 ? axis + shape.size() : axis);
  if (d < 0 || d >= shape.size())
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "axis " + std::to_string(axis) + " of an expression with " +
                              std::to_string(shape.size()) + " dimensions");
  extents kept, lifted = shape;
  for (int k = 0; k < shape.size(); ++k)
    if (k != d) kept.push_back(shape[k]);
  if (shape[d] == 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "a reduction of no elements");
  lifted[d] = 1;
  const array<T> out(kept, of.first()->device());
  if (out.size() == 0) return out;
  const auto source = of.bind(shape);
  const bound_shape extent(lifted);
  const std::int64_t elements = shape[d];
  sycl::queue queue = queue_for_write(out);
  T* to = out.data();
  queue.parallel_for(sycl::range<1>(std::size_t(out.size())), [=](sycl::id<1> i) {
    coordinates at = extent.of(std::int64_t(i[0]));
    T total = static_cast<T>(source.at(at));
    for (std::int64_t k = 1; k < elements; ++k) {
      at.at[d] = k;
      total = static_cast<T>(Fold()(total, static_cast<T>(source.at(at))));
    }
    to[i[0]] = total;
  });
  return out;
}

/// Over all axes: parts of neighbouring elements in one launch with the expression, then those.
template <typename Fold, typename E>
auto folded(const E& of, reduction_op rest) {
  using T = typename Fold::template result<typename E::value_type>;
  const extents shape = of.shape();
  const std::int64_t size = shape.product();
  if (size == 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "a reduction of no elements");
  const std::int64_t parts = size < 8192         ? 1
                             : size / 4096 < 512 ? size / 4096
                                                 : 512,
                     share = (size + parts - 1) / parts;
  const std::int64_t used = (size + share - 1) / share;
  const array<T> out(extents{used}, of.first()->device());
  const auto source = of.bind(shape);
  const bound_shape extent(shape);
  const bool flat = of.is_flat(shape);
  sycl::queue queue = queue_for_write(out);
  T* to = out.data();
  queue.parallel_for(sycl::range<1>(std::size_t(used)), [=](sycl::id<1> i) {
    const std::int64_t begin = std::int64_t(i[0]) * share, end = begin + share < size ? begin + share : size;
    T total = static_cast<T>(flat ? source.at(begin) : source.at(extent.of(begin)));
    for (std::int64_t k = begin + 1; k < end; ++k)
      total = static_cast<T>(Fold()(total, static_cast<T>(flat ? source.at(k) : source.at(extent.of(k)))));
    to[i[0]] = total;
  });
  return array<T>(reduce(rest, out.any()).astype(dtype_of<T>()));
}

} // namespace array_detail

#define PRISM_TYPED_REDUCTION(name, fold)                                                                    \
  /** Over all axes, or one. */                                                                              \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto name(const E& of) {                                                                                   \
    return array_detail::folded<array_detail::fold>(of, reduction_op::name);                                 \
  }                                                                                                          \
  template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>                           \
  auto name(const E& of, std::int64_t axis) {                                                                \
    return array_detail::folded<array_detail::fold>(of, axis);                                               \
  }
PRISM_TYPED_REDUCTION(sum, fold_sum)
PRISM_TYPED_REDUCTION(prod, fold_prod)
PRISM_TYPED_REDUCTION(max, fold_max)
PRISM_TYPED_REDUCTION(min, fold_min)
#undef PRISM_TYPED_REDUCTION

/// What an assignment of the expression does.
template <typename E, std::enable_if_t<array_detail::is_expression<E>, int> = 0>
std::string explain(const E& of) {
  return array_detail::explain_typed(of.shape(), dtype_of<typename E::value_type>(), E::operations,
                                     E::arrays);
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
