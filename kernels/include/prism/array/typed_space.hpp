// How the kernels of expressions of array<T> pass through elements. The dimensions of an expression are
// joined where every array allows it, so that the rest are few; the last one has the columns. A kernel opens
// the expression at a row and a column, and reads the elements from there on.
//
// On processors a work-item computes blocks of neighbouring columns, in loops that compilers vectorise. Where
// all arrays have neighbours in memory, a block reads these. Otherwise each array first fills a block of
// values: with neighbours, with one value that is broadcast, or with elements at a stride.
#pragma once

#include <prism/array/any_array.hpp>
#include <prism/array/number.hpp>
#include <sycl/sycl.hpp>

#include <sycl/detail/user_macros_hide.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace prism::array_detail {

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

/// Before a loop over the columns of a block, which compilers vectorise; before one that they should leave as
/// it is; before a loop over the dimensions.
#if defined(__clang__)
#define PRISM_COLUMNS _Pragma("clang loop unroll(disable)")
#define PRISM_ONE_BY_ONE _Pragma("clang loop unroll(disable) vectorize(disable)")
#define PRISM_EVERY_DIMENSION _Pragma("clang loop unroll(full)")
#else
#define PRISM_COLUMNS
#define PRISM_ONE_BY_ONE
#define PRISM_EVERY_DIMENSION
#endif

/// More dimensions that cannot be joined are rare: the operands are then copied to the shape. Devices whose
/// work-items compute one element have three at most, since loops and divisions for each element cost much.
inline constexpr int max_joined = 6, max_joined_by_elements = 3;

/// Numbers of dimensions, of which there are always max_joined_by_elements where work-items compute one
/// element: [0, results) number the results of a fold, or the rows of a map; [results, rank -
/// 1) are reduced, and the last one has the columns.
struct joined_extents {
  std::int32_t rank, results;
  std::int64_t extent[max_joined];

  std::int64_t columns() const { return extent[rank - 1]; }
  std::int64_t product(int first, int end) const {
    std::int64_t all = 1;
    for (int d = first; d < end; ++d) all *= extent[d];
    return all;
  }
};

/// Where a kernel opens an expression, and the dimension along which it reads from there.
struct opening {
  std::int64_t place[max_joined] = {};
  int along;
  std::int64_t apart; // elements of that dimension from one element that is read to the next

  opening(const joined_extents& of, std::int64_t result, std::int64_t reduced, std::int64_t column)
      : along(of.rank - 1), apart(1) {
    set(of, 0, of.results, result);
    set(of, of.results, of.rank - 1, reduced);
    place[of.rank - 1] = column;
  }
  std::int64_t offset(const std::int64_t* stride) const {
    std::int64_t out = 0;
    PRISM_EVERY_DIMENSION
    for (int d = 0; d < max_joined; ++d) out += place[d] * stride[d];
    return out;
  }
  std::int64_t step(const std::int64_t* stride) const { return stride[along] * apart; }

private:
  /// The i-th place of the dimensions [first, end).
  void set(const joined_extents& of, int first, int end, std::int64_t i) {
    for (int d = end - 1; d > first; --d) {
      const std::int64_t rest = i / of.extent[d];
      place[d] = i - rest * of.extent[d];
      i = rest;
    }
    if (first < end) place[first] = i;
  }
};

/// The same without loops, in max_joined_by_elements dimensions.
struct element_opening {
  std::int64_t place[max_joined_by_elements];
  int along;
  std::int64_t apart;

  /// Of a fold: the place of its result and of its reduced dimensions but the last.
  element_opening(const joined_extents& of, std::int64_t result, std::int64_t reduced, std::int64_t column,
                  int along, std::int64_t apart)
      : place{result, reduced, column}, along(along), apart(apart) {
    if (of.results == 1) return;
    const std::int64_t both = of.results == 2 ? result : reduced;
    place[0] = both / of.extent[1];
    place[1] = both - place[0] * of.extent[1];
  }
  element_opening(std::int64_t first, std::int64_t second, std::int64_t third)
      : place{first, second, third}, along(0), apart(1) {}

  std::int64_t offset(const std::int64_t* stride) const {
    return place[0] * stride[0] + place[1] * stride[1] + place[2] * stride[2];
  }
  std::int64_t step(const std::int64_t* stride) const { return stride[along] * apart; }
};

/// Columns that are computed together on processors: by folds, which combine them at the end, and by maps.
inline constexpr int block_columns = 32, map_columns = 128;

/// The number of columns of a fold's block that is not cut off.
struct whole_block {
  constexpr operator int() const { return block_columns; }
};

template <typename T>
struct opened_array {
  T* data;
  std::int64_t step;
  T& at(std::int64_t i) const { return data[i * step]; }
  T& near(std::int64_t i) const { return data[i]; }
};
template <typename T, int Columns>
struct staged_array {
  T value[Columns];
  T at(int j) const { return value[j]; }
  void fill(const opened_array<T>& from, std::int64_t first, int count) {
    if (from.step == 0 && first > 0) return; // as the block before
    if (from.step == 1 && count == Columns) {
      PRISM_COLUMNS
      for (int j = 0; j < Columns; ++j) value[j] = from.data[first + j];
    } else if (from.step == 0) {
      const T same = from.data[0];
      PRISM_COLUMNS
      for (int j = 0; j < Columns; ++j) value[j] = same;
    } else {
      PRISM_ONE_BY_ONE
      for (int j = 0; j < count; ++j) value[j] = from.data[(first + j) * from.step];
    }
  }
};
/// An array in a kernel. Its data is at the first element of the space.
template <typename T>
struct bound_array {
  template <int Columns>
  using staged = staged_array<T, Columns>;
  T* data;
  std::int64_t stride[max_joined];
  template <typename Opening>
  opened_array<T> open(const Opening& place) const {
    return {data + place.offset(stride), place.step(stride)};
  }
};

template <typename T>
struct bound_number {
  template <int>
  struct staged {
    T value;
    T at(int) const { return value; }
    void fill(const bound_number& from, std::int64_t, int) { value = from.value; }
  };
  T value;
  template <typename Opening>
  bound_number open(const Opening&) const {
    return *this;
  }
  T at(std::int64_t) const { return value; }
  T near(std::int64_t) const { return value; }
};

/// The operand at position I of a call. A call is derived from its operands: std::tuple and std::apply would
/// take the compiler five functions more for each call of an expression.
template <std::size_t I, typename T>
struct operand_at {
  T value;
};

/// Calls in kernels. I are the numbers of the operands.
template <typename F, typename Positions, typename... Opened>
struct opened_call;
template <typename F, std::size_t... I, typename... Opened>
struct opened_call<F, std::index_sequence<I...>, Opened...> : operand_at<I, Opened>... {
  auto at(std::int64_t i) const { return F()(operand_at<I, Opened>::value.at(i)...); }
  auto near(std::int64_t i) const { return F()(operand_at<I, Opened>::value.near(i)...); }
};
template <typename F, typename Positions, typename... Staged>
struct staged_call;
template <typename F, std::size_t... I, typename... Staged>
struct staged_call<F, std::index_sequence<I...>, Staged...> : operand_at<I, Staged>... {
  auto at(int j) const { return F()(operand_at<I, Staged>::value.at(j)...); }
  template <typename... Opened>
  void fill(const opened_call<F, std::index_sequence<I...>, Opened...>& from, std::int64_t first, int count) {
    (operand_at<I, Staged>::value.fill(static_cast<const operand_at<I, Opened>&>(from).value, first, count),
     ...);
  }
};
template <typename F, typename Positions, typename... Bound>
struct bound_call;
template <typename F, std::size_t... I, typename... Bound>
struct bound_call<F, std::index_sequence<I...>, Bound...> : operand_at<I, Bound>... {
  template <int Columns>
  using staged = staged_call<F, std::index_sequence<I...>, typename Bound::template staged<Columns>...>;
  template <typename Opening>
  auto open(const Opening& place) const {
    return opened_call<F, std::index_sequence<I...>, decltype(std::declval<const Bound&>().open(place))...>{
        {operand_at<I, Bound>::value.open(place)}...};
  }
};

/// Folds of expressions of more operations are compiled for blocks of values only: reading memory directly
/// would save little of their time.
inline constexpr int most_direct_operations = 8;

/// Calls body(first, count, get) for the blocks of `count` columns, where get(j) is the element first + j.
/// `count` of the body is a whole_block where is_plain(first) and the block is not cut off. `is_near`: the
/// step of every array is 1, so that such a block is read where it is.
template <typename Bound, bool is_short, typename Opened, typename Plain, typename Body>
inline void for_blocks(const Opened& from, std::int64_t count, bool is_near, const Plain& is_plain,
                       const Body& body) {
  typename Bound::template staged<block_columns> operands;
  std::decay_t<decltype(from.at(0))> value[block_columns];
  for (std::int64_t first = 0; first < count; first += block_columns) {
    if constexpr (is_short)
      if (count - first >= block_columns && is_plain(first)) {
        if (is_near) {
          body(first, whole_block(), [&](int j) { return from.near(first + j); });
        } else {
          operands.fill(from, first, whole_block());
          body(first, whole_block(), [&](int j) { return operands.at(j); });
        }
        continue;
      }
    const int some = int(sycl::min<std::int64_t>(count - first, block_columns));
    operands.fill(from, first, some);
    PRISM_COLUMNS
    for (int j = 0; j < some; ++j) value[j] = operands.at(j);
    body(first, some, [&](int j) { return value[j]; });
  }
}

/// Calls body(i) for i in [0, items) on a processor, where a call computes `work` elements. A work-group has
/// one item, which makes several calls if they are of little work or many: PoCL compiles a kernel for each
/// size of work-groups, so there is one, and so few groups that no runtime merges them.
template <typename Body>
void for_items(sycl::queue& queue, std::int64_t items, std::int64_t work, const Body& body) {
  constexpr std::int64_t little = 256, most_groups = 256;
  const std::int64_t several = std::max<std::int64_t>(work < little ? 32 : 1,
                                                      (items + most_groups - 1) / most_groups),
                     groups = (items + several - 1) / several;
  queue.parallel_for(sycl::nd_range<1>(std::size_t(groups), 1), [=](sycl::nd_item<1> item) {
    const auto first = std::int64_t(item.get_global_id(0)) * several, end = sycl::min(first + several, items);
    for (std::int64_t i = first; i < end; ++i) body(i);
  });
}

/// The elements of `a` if it is broadcast to `shape`.
inline extents broadcast_strides(const any_array& a, const extents& shape) {
  extents out = shape;
  const int missing = shape.size() - a.shape().size();
  for (int d = 0; d < shape.size(); ++d)
    out[d] = d < missing || a.shape()[d - missing] == 1 ? 0 : a.strides()[d - missing];
  return out;
}

/// The space of an expression's elements, of a given shape. Made before the operands are bound.
class joined_space {
public:
  static constexpr int all_axes = -1, no_axis = -2;
  /// `visit` calls its argument with each array. `axis` is reduced, or all are, or none.
  template <typename Visit>
  joined_space(const extents& shape, int axis, bool in_blocks, const Visit& visit)
      : m_shape(shape), m_most(in_blocks ? max_joined : max_joined_by_elements) {
    visit([&](const any_array& a) { m_strides.push_back(broadcast_strides(a, shape)); });
    join(axis);
    if (m_joined.rank <= m_most) return;
    m_copies = true;
    for (extents& each : m_strides) each = row_major();
    join(axis);
  }
  const joined_extents& shape() const { return m_joined; }
  bool reduces_columns() const { return m_reduces_columns; }
  /// Whether the columns of all arrays are neighbours in memory.
  bool is_near() const { return m_is_near; }

  /// Whether all elements of all arrays are neighbours in memory.
  bool is_line() const { return m_is_near && m_joined.product(0, m_joined.rank) == m_joined.columns(); }
  /// Whether the dimensions could not be joined, so that operands are copied.
  bool copies() const { return m_copies; }

  template <typename T>
  bound_array<number_of<T>> bind(const any_array& a) {
    if (!m_copies) return bind_itself<T>(a);
    m_owned.push_back(a.broadcast_to(m_shape).copy());
    return bind_itself<T>(m_owned.back());
  }
  template <typename T>
  bound_array<number_of<T>> bind_itself(const any_array& from) const {
    const extents strides = broadcast_strides(from, m_shape);
    bound_array<number_of<T>> out{static_cast<number_of<T>*>(from.data()), {}};
    for (int d = 0; d < m_joined.rank; ++d) out.stride[d] = m_innermost[d] < 0 ? 0 : strides[m_innermost[d]];
    return out;
  }

private:
  extents row_major() const {
    extents out = m_shape;
    std::int64_t next = 1;
    for (int d = m_shape.size() - 1; d >= 0; --d) out[d] = next, next *= m_shape[d];
    return out;
  }
  /// Sets only the rank if it is too large.
  void join(int axis);
  bool can_join(int outer, int inner) const {
    for (const extents& each : m_strides)
      if (each[outer] != each[inner] * m_shape[inner]) return false;
    return true;
  }

  extents m_shape;
  int m_most;
  std::vector<extents> m_strides;
  joined_extents m_joined{};
  int m_innermost[max_joined] = {}; // of each joined dimension the innermost one of the shape; -1: none
  bool m_reduces_columns = false, m_is_near = false, m_copies = false;
  std::vector<any_array> m_owned; // copies that a launch reads
};

inline void joined_space::join(int axis) {
  struct group {
    int innermost;
    std::int64_t extent;
    bool is_reduced;
  };
  std::vector<group> groups;
  for (int d = 0; d < m_shape.size(); ++d) {
    const bool is_reduced = axis == all_axes || axis == d;
    if (m_shape[d] == 1) continue;
    if (!groups.empty() && groups.back().is_reduced == is_reduced && can_join(groups.back().innermost, d))
      groups.back() = {d, groups.back().extent * m_shape[d], is_reduced};
    else groups.push_back({d, m_shape[d], is_reduced});
  }
  if (groups.empty()) groups.push_back({-1, 1, axis == all_axes});
  m_reduces_columns = groups.back().is_reduced;
  m_joined.rank = std::int32_t(groups.size());
  if (m_joined.rank > m_most) return;
  const group last = groups.back();
  groups.pop_back();
  if (m_most == max_joined_by_elements)
    while (groups.size() + 1 < max_joined_by_elements) groups.insert(groups.begin(), {-1, 1, false});
  m_joined.rank = std::int32_t(groups.size()) + 1;
  int d = 0;
  const auto set = [&](const group& to) { m_joined.extent[d] = to.extent, m_innermost[d++] = to.innermost; };
  for (const group& each : groups)
    if (!each.is_reduced) set(each);
  m_joined.results = d;
  for (const group& each : groups)
    if (each.is_reduced) set(each);
  set(last);
  m_is_near = true;
  for (const extents& each : m_strides) m_is_near &= last.innermost < 0 || each[last.innermost] == 1;
}

} // namespace prism::array_detail

#include <sycl/detail/user_macros_restore.hpp>
