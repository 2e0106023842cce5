// prism::array<T>: an array whose element type is known when the program is compiled. Use <prism/array.hpp>;
// typed_functions.hpp has the functions of its expressions, typed_reductions.hpp the reductions.
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
// Types are those of any_array: int8 + int8 stays int8, and a number next to an array takes the array's type
// if its kind fits. An expression holds its arrays, and reads their elements when it is assigned.
#pragma once

#include <prism/array/functions.hpp>
#include <prism/array/number.hpp>
#include <sycl/sycl.hpp>

#include <sycl/detail/user_macros_hide.hpp>

#include <initializer_list>
#include <utility>

namespace prism {

template <typename T>
class array;

namespace array_detail {

struct expression_tag {};
template <typename E>
inline constexpr bool is_expression = std::is_base_of_v<expression_tag, E>;

/// The type in which kernels compute elements of T, and the type of an array of such numbers.
template <typename T>
struct number_type {
  using type = T;
};
template <typename R>
struct number_type<std::complex<R>> {
  using type = pair<R>;
};
template <typename T>
using number_of = typename number_type<T>::type;
template <typename N>
struct plain_type {
  using type = N;
};
template <typename R>
struct plain_type<pair<R>> {
  using type = std::complex<R>;
};
template <typename N>
using plain_of = typename plain_type<N>::type;

/// Whether a number is not 0; and converted(), by which a complex number is true where either part is.
template <typename N>
inline bool truth_of(N x) {
  if constexpr (is_pair<N>) return (x.re != 0) | (x.im != 0);
  else return x != N(0);
}
template <typename To, typename From>
inline To number_as(From x) {
  if constexpr (std::is_same_v<To, bool>) return truth_of(x);
  else return converted<To>(x);
}

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
bound_array<number_of<T>> bound(const any_array& a, const extents& shape) {
  bound_array<number_of<T>> out{static_cast<number_of<T>*>(a.data()), {}};
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
/// The operand at position I of a call. A call is derived from its operands: std::tuple and std::apply would
/// take the compiler five functions more for each call of an expression.
template <std::size_t I, typename T>
struct operand_at {
  T value;
};
template <typename F, typename Positions, typename... Bound>
struct bound_call;
template <typename F, std::size_t... I, typename... Bound>
struct bound_call<F, std::index_sequence<I...>, Bound...> : operand_at<I, Bound>... {
  template <typename Place>
  auto at(const Place& place) const {
    return F()(operand_at<I, Bound>::value.at(place)...);
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
  auto bind(const extents&) const {
    if constexpr (is_complex(dtype_of<T>()))
      return bound_number<number_of<T>>{number_of<T>(value.real(), value.imag())};
    else return bound_number<T>{value};
  }
  const any_array* first() const { return nullptr; }
  static constexpr int operations = 0, arrays = 0;
};

/// The operands of a call, and what does not depend on its function.
template <typename Positions, typename... Operands>
struct operands_of;
template <std::size_t... I, typename... Operands>
struct operands_of<std::index_sequence<I...>, Operands...> : operand_at<I, Operands>... {
  explicit operands_of(const Operands&... of) : operand_at<I, Operands>{of}... {}
  extents shape() const {
    extents all;
    ((all = broadcast_shapes(all, operand_at<I, Operands>::value.shape())), ...);
    return all;
  }
  bool is_flat(const extents& of) const { return (operand_at<I, Operands>::value.is_flat(of) && ...); }
  bool reads(const any_array& memory) const { return (operand_at<I, Operands>::value.reads(memory) || ...); }
  const any_array* first() const {
    const any_array* found = nullptr;
    ((found = found ? found : operand_at<I, Operands>::value.first()), ...);
    return found;
  }

protected:
  template <typename F>
  auto bind_call(const extents& to) const {
    return bound_call<F, std::index_sequence<I...>, decltype(std::declval<const Operands&>().bind(to))...>{
        {operand_at<I, Operands>::value.bind(to)}...};
  }
};

/// F of the elements of some expressions.
template <typename F, typename... Operands>
struct call_expression : expression_tag, operands_of<std::index_sequence_for<Operands...>, Operands...> {
  using value_type = plain_of<decltype(F()(std::declval<number_of<typename Operands::value_type>>()...))>;
  static constexpr int operations = 1 + (Operands::operations + ...), arrays = (Operands::arrays + ...);
  using operands_of<std::index_sequence_for<Operands...>, Operands...>::operands_of;
  auto bind(const extents& to) const { return this->template bind_call<F>(to); }
};

/// Runs the expression into `to`, which has its shape.
template <typename T, typename E>
void store(const any_array& to, const E& from) {
  if (to.size() == 0) return;
  const extents shape = to.shape();
  const auto source = from.bind(shape);
  sycl::queue queue = queue_for_write(to);
  using N = number_of<T>;
  const bound_array<N> target = bound<T>(to, shape);
  const sycl::range<1> items(std::size_t(to.size()));
  if (to.is_contiguous() && from.is_flat(shape)) {
    queue.parallel_for(items, [=](sycl::id<1> i) {
      target.at(std::int64_t(i[0])) = number_as<N>(source.at(std::int64_t(i[0])));
    });
  } else {
    const bound_shape extent(shape);
    queue.parallel_for(items, [=](sycl::id<1> i) {
      const coordinates at = extent.of(std::int64_t(i[0]));
      target.at(at) = number_as<N>(source.at(at));
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

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
