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
// compiles into the program; broadcasts are part of it, and so is a reduction.
//
// Types are those of any_array: int8 + int8 stays int8, and a number next to an array takes the array's type
// if its kind fits. An expression holds its arrays, and reads their elements when it is assigned.
#pragma once

#include <prism/array/functions.hpp>
#include <prism/array/typed_space.hpp>
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

template <typename T>
struct number_expression : expression_tag {
  using value_type = T;
  T value;
  explicit number_expression(T v) : value(v) {}
  extents shape() const { return {}; }
  bool reads_elsewhere(const any_array&) const { return false; }
  template <typename Use>
  void visit(const Use&) const {}
  auto bind(joined_space&) const {
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
  bool reads_elsewhere(const any_array& target) const {
    return (operand_at<I, Operands>::value.reads_elsewhere(target) || ...);
  }
  template <typename Use>
  void visit(const Use& use) const {
    (operand_at<I, Operands>::value.visit(use), ...);
  }
  const any_array* first() const {
    const any_array* found = nullptr;
    ((found = found ? found : operand_at<I, Operands>::value.first()), ...);
    return found;
  }

protected:
  template <typename F>
  auto bind_call(joined_space& to) const {
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
  auto bind(joined_space& to) const { return this->template bind_call<F>(to); }
};

/// Columns that a work-item computes on processors.
inline constexpr std::int64_t segment_columns = 4096;

/// Runs the expression into `to`, which has its shape.
template <typename T, typename E>
void store(const any_array& to, const E& from) {
  from.visit([&](const any_array& each) { require_device_of(to, each); });
  if (to.size() == 0) return;
  expression_queue on = queue_of_expression(to);
  joined_space space(to.shape(), joined_space::no_axis, on.in_blocks, [&](const auto& use) {
    use(to);
    from.visit(use);
  });
  if (space.copies() && !to.is_contiguous()) {
    const any_array made = empty(to.shape(), to.type(), to.device());
    store<T>(made, from);
    any_array(to).assign(made);
    return;
  }
  using N = number_of<T>;
  const auto source = from.bind(space);
  const bound_array<N> target = space.template bind_itself<T>(to);
  const joined_extents shape = space.shape();
  if (space.is_line()) {
    on.queue.parallel_for(sycl::range<1>(std::size_t(to.size())), [=](sycl::id<1> i) {
      const element_opening start{0, 0, 0};
      target.open(start).near(std::int64_t(i[0])) = number_as<N>(source.open(start).near(std::int64_t(i[0])));
    });
    return;
  }
  if (!on.in_blocks) {
    const auto extent = [&](int d) { return std::size_t(shape.extent[d]); };
    on.queue.parallel_for(sycl::range<3>(extent(0), extent(1), extent(2)), [=](sycl::id<3> i) {
      const element_opening place{std::int64_t(i[0]), std::int64_t(i[1]), std::int64_t(i[2])};
      target.open(place).at(0) = number_as<N>(source.open(place).at(0));
    });
    return;
  }
  const std::int64_t rows = shape.product(0, shape.rank - 1),
                     segments = (shape.columns() + segment_columns - 1) / segment_columns;
  for_items(on.queue, rows * segments, sycl::min(segment_columns, shape.columns()), [=](std::int64_t i) {
    const std::int64_t row = i / segments, column = (i - row * segments) * segment_columns;
    const opening place(shape, row, 0, column);
    const opened_array<N> out = target.open(place);
    const std::int64_t count = sycl::min(segment_columns, shape.columns() - column);
    const auto from = source.open(place);
    typename std::remove_const_t<decltype(source)>::template staged<map_columns> operands;
    for (std::int64_t first = 0; first < count; first += map_columns) {
      const int some = int(sycl::min<std::int64_t>(count - first, map_columns));
      operands.fill(from, first, some);
      if (out.step == 1) {
        PRISM_COLUMNS
        for (int j = 0; j < some; ++j) out.near(first + j) = number_as<N>(operands.at(j));
      } else {
        PRISM_ONE_BY_ONE
        for (int j = 0; j < some; ++j) out.at(first + j) = number_as<N>(operands.at(j));
      }
    }
  });
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
    if (of.reads_elsewhere(m_any))
      m_any.assign(array<T>(of)); // elements may be needed after they are written
    else array_detail::store<T>(m_any, of);
  }
  void fill(T value) { m_any.fill(value); }
// Writes `*this op of` into the elements. The type of the result must be of the same kind or a lower one.
#define PRISM_TYPED_IN_PLACE(op)                                                                             \
  template <typename E>                                                                                      \
  array& operator op##=(const E & of) {                                                                      \
    store_same_kind(*this op of);                                                                            \
    return *this;                                                                                            \
  }
  PRISM_TYPED_IN_PLACE(+)
  PRISM_TYPED_IN_PLACE(-)
  PRISM_TYPED_IN_PLACE(*)
  PRISM_TYPED_IN_PLACE(/)
  PRISM_TYPED_IN_PLACE(%)
  PRISM_TYPED_IN_PLACE(&)
  PRISM_TYPED_IN_PLACE(|)
  PRISM_TYPED_IN_PLACE(^)
  PRISM_TYPED_IN_PLACE(<<)
  PRISM_TYPED_IN_PLACE(>>)
#undef PRISM_TYPED_IN_PLACE

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

  /// Whether it has elements of `target`'s memory at other places than `target`.
  bool reads_elsewhere(const any_array& target) const {
    return target.owner() == m_any.owner() && !(target.data() == m_any.data() && target.shape() == shape() &&
                                                target.strides() == m_any.strides());
  }
  template <typename Use>
  void visit(const Use& use) const {
    use(m_any);
  }
  auto bind(array_detail::joined_space& to) const { return to.template bind<T>(m_any); }
  const any_array* first() const { return &m_any; }

private:
  template <typename E>
  void store_same_kind(const E& of) {
    static_assert(is_same_kind(dtype_of<typename E::value_type>(), dtype_of<T>()),
                  "the result has a type that the array does not hold: write x = array<...>(x ...)");
    assign(of);
  }

  any_array m_any;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
