// The kernels of reductions of expressions of array<T>. The work is divided into parts by the extents alone:
// a part of a result, or of neighbouring results, takes some rows and columns of the space (typed_space.hpp).
// On processors a work-item folds blocks of columns; the others read elements whose neighbours work-items
// next to them read. The work-items that end last combine the parts (part_counters.hpp), or a second launch
// does where devices cannot order them.
#pragma once

#include <prism/array/part_counters.hpp>
#include <prism/array/typed.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::array_detail {

/// Results next to each other that a work-item folds together on processors.
inline constexpr int result_columns = 1024;

/// How the values of elements combine: Fold has take(), combine() and end() of numbers of type N. A processor
/// has values of some lanes; `step` numbers the elements of a lane.
template <typename Fold, typename N>
struct values_of {
  using type = N;
  using result = N;
  struct lanes {
    N value[result_columns];
    template <typename Element>
    void set(int j, Element element, std::int32_t) {
      value[j] = Fold::template take<N>(element);
    }
    template <typename Element>
    void add(int j, Element element, std::int32_t) {
      value[j] = Fold::combine(value[j], Fold::template take<N>(element));
    }
    template <typename Position>
    type get(int j, const Position&) const {
      return value[j];
    }
    /// Of the first `filled` lanes together, `filled` being block_columns or less.
    template <typename Position>
    type all(int filled, const Position&) const {
      N made[block_columns];
      for (int j = 0; j < filled; ++j) made[j] = value[j];
      for (int width = block_columns / 2; width > 0; width /= 2)
        for (int j = 0; j < width && j + width < filled; ++j) made[j] = combine(made[j], made[j + width]);
      return made[0];
    }
  };
  template <typename Element>
  static N take(Element element, std::int64_t) {
    return Fold::template take<N>(element);
  }
  static N combine(N a, N b) { return Fold::combine(a, b); }
  static N end(N total, std::int64_t elements) { return Fold::end(total, elements); }
};

/// The same of a value and its position, which is the result: that of the first one that no other is beyond,
/// or of the first NaN.
template <typename Extreme, typename N>
struct position_of {
  struct type {
    N value;
    std::int64_t at;
  };
  using result = std::int64_t;
  struct lanes {
    N value[result_columns];
    std::int32_t step[result_columns];
    void set(int j, N element, std::int32_t now) { value[j] = element, step[j] = now; }
    void add(int j, N element, std::int32_t now) {
      const N old = value[j];
      const bool replaces = Extreme::is_beyond(old, element) | ((element != element) & (old == old));
      value[j] = replaces ? element : old;
      step[j] = replaces ? now : step[j];
    }
    template <typename Position>
    type get(int j, const Position& position) const {
      return {value[j], position(step[j], j)};
    }
    /// Positions ascend with the step, and with the lane in a step: only that of the result is computed.
    template <typename Position>
    type all(int filled, const Position& position) const {
      int best = 0;
      for (int j = 1; j < filled; ++j)
        if (is_replaced(value[best], value[j], step[j] < step[best])) best = j;
      return get(best, position);
    }
  };
  static type take(N element, std::int64_t at) { return {element, at}; }
  /// Whether b is the result of a and b, where `is_first` states that its position is the lower one.
  static bool is_replaced(N a, N b, bool is_first) {
    const bool is_nan = a != a, other_is_nan = b != b;
    const bool is_equal = is_nan == other_is_nan && (is_nan || a == b);
    return is_equal ? is_first : !is_nan && (other_is_nan || Extreme::is_beyond(a, b));
  }
  static type combine(type a, type b) {
    const bool replaces = is_replaced(a.value, b.value, b.at < a.at);
    return {replaces ? b.value : a.value, replaces ? b.at : a.at};
  }
  static std::int64_t end(type total, std::int64_t) { return total.at; }
};

/// How a fold is divided. Part p of a result takes rows and columns of the space: with `lanes` parts each of
/// them takes every lanes-th column.
struct fold_plan {
  joined_extents shape;
  bool reduces_columns;
  std::int64_t rows, columns, outer; // of reduced dimensions before the last; of the last; results before it
  std::int64_t row_parts = 1, column_parts = 1, lanes = 1;

  fold_plan(const joined_space& space, bool in_blocks)
      : shape(space.shape()), reduces_columns(space.reduces_columns()),
        rows(shape.product(shape.results, shape.rank - 1)), columns(shape.columns()),
        outer(shape.product(0, shape.results)) {
    // elements; work-items. On processors a part has a value for each of its columns, so that parts are few.
    const std::int64_t least = !in_blocks        ? 256
                               : reduces_columns ? 8192
                                                 : 32768,
                       most = in_blocks ? 512 : 8192;
    const std::int64_t work = rows * (reduces_columns ? columns
                                      : in_blocks     ? sycl::min<std::int64_t>(columns, result_columns)
                                                      : 1);
    std::int64_t wanted =
        sycl::clamp<std::int64_t>(work / least, 1, sycl::max<std::int64_t>(1, most / items(in_blocks)));
    if (reduces_columns && !in_blocks) {
      lanes = sycl::min(parts_of_block, sycl::min(columns, wanted));
      wanted /= lanes;
    }
    row_parts = sycl::min(rows, wanted);
    if (reduces_columns) column_parts = sycl::clamp<std::int64_t>(wanted / row_parts, 1, columns / lanes);
  }
  std::int64_t parts() const { return row_parts * column_parts * lanes; }
  std::int64_t elements() const { return reduces_columns ? rows * columns : rows; }
  std::int64_t results() const { return reduces_columns ? outer : outer * columns; }
  /// Work-items of one part of all results.
  std::int64_t items(bool in_blocks) const {
    if (reduces_columns) return outer;
    return outer * (in_blocks ? (columns + result_columns - 1) / result_columns : columns);
  }
  static std::int64_t share(std::int64_t all, std::int64_t parts, std::int64_t part) {
    return part * all / parts;
  }
};

/// Of one part the rows [row, end), and the columns [column, column_end).
struct fold_part {
  std::int64_t row, end, column, column_end;
  fold_part(const fold_plan& plan, std::int64_t part) {
    const std::int64_t lane = plan.lanes > 1 ? part % plan.lanes : 0,
                       rest = plan.lanes > 1 ? part / plan.lanes : part;
    const std::int64_t rows = plan.column_parts > 1 ? rest / plan.column_parts : rest,
                       columns = rest - rows * plan.column_parts;
    row = fold_plan::share(plan.rows, plan.row_parts, rows);
    end = fold_plan::share(plan.rows, plan.row_parts, rows + 1);
    column = fold_plan::share(plan.columns, plan.column_parts, columns) + lane;
    column_end = fold_plan::share(plan.columns, plan.column_parts, columns + 1);
  }
};

/// Where a fold stores: results, and values of parts.
template <typename Rule>
struct fold_target {
  using value = typename Rule::type;
  typename Rule::result* results;
  value* parts; // [parts][results], if there are several
  std::int32_t* counters;

  void store(std::int64_t at, const value& total, std::int64_t elements) const {
    results[at] = Rule::end(total, elements);
  }
  void combine(const fold_plan& plan, std::int64_t result, std::int64_t begin, std::int64_t step,
               std::int64_t end) const {
    const std::int64_t apart = plan.results();
    value total = parts[begin * apart + result];
    for (std::int64_t next = begin + step; next < end; next += step)
      total = Rule::combine(total, parts[next * apart + result]);
    parts[begin * apart + result] = total;
  }
  /// Stores the value of a part.
  void end(const fold_plan& plan, std::int64_t part, std::int64_t result, const value& made) const {
    if (parts == nullptr) store(result, made, plan.elements());
    else parts[part * plan.results() + result] = made;
  }
  /// After that, of `count` results from `first` on, which have the counters number `item`.
  void combine_if_last(const fold_plan& plan, std::int64_t item, std::int64_t part, std::int64_t first,
                       std::int64_t count) const {
    if (parts == nullptr || counters == nullptr) return;
    const bool is_last =
        combine_ended_parts(counters + item * counters_of_result(plan.parts()), plan.parts(), part,
                            [&](std::int64_t begin, std::int64_t step, std::int64_t end) {
      for (std::int64_t j = 0; j < count; ++j) combine(plan, first + j, begin, step, end);
    });
    if (!is_last) return;
    for (std::int64_t j = 0; j < count; ++j) store(first + j, parts[first + j], plan.elements());
  }
};

/// A work-item of a processor: a part of one result, or of the results of some columns.
template <typename Rule, bool is_short, typename Source>
inline void fold_blocks(const Source& source, const fold_plan& plan, bool is_near,
                        const fold_target<Rule>& to, std::int64_t item, std::int64_t part) {
  const fold_part of(plan, part);
  const joined_extents& shape = plan.shape;
  const bool reduces_columns = plan.reduces_columns;
  const std::int64_t groups = reduces_columns ? 1 : (plan.columns + result_columns - 1) / result_columns,
                     outer = reduces_columns ? item : item / groups,
                     begin = reduces_columns ? of.column : (item - outer * groups) * result_columns,
                     end = reduces_columns ? of.column_end
                                           : sycl::min<std::int64_t>(begin + result_columns, plan.columns);
  typename Rule::lanes lanes;
  int filled = 0;        // of the lanes of one result
  std::int32_t step = 0; // blocks of one result, or rows of several ones
  for (std::int64_t row = of.row; row < of.end; ++row, step += !reduces_columns) {
    const auto adds_all = [&](std::int64_t) {
      return reduces_columns ? filled == block_columns : row > of.row;
    };
    for_blocks<Source, is_short>(source.open(opening(shape, outer, row, begin)), end - begin, is_near,
                                 adds_all, [&](std::int64_t first, auto count, const auto& get) {
      const int lane = reduces_columns ? 0 : int(first);
      if constexpr (std::is_same_v<decltype(count), whole_block>) {
        PRISM_COLUMNS
        for (int j = 0; j < count; ++j) lanes.add(lane + j, get(j), step);
      } else {
        const int old = reduces_columns ? sycl::min(filled, count) : row > of.row ? count : 0;
        PRISM_COLUMNS
        for (int j = 0; j < old; ++j) lanes.add(lane + j, get(j), step);
        PRISM_COLUMNS
        for (int j = old; j < count; ++j) lanes.set(lane + j, get(j), step);
        if (reduces_columns) filled = sycl::max(filled, count);
      }
      step += reduces_columns;
    });
  }
  const std::int64_t blocks = (end - begin + block_columns - 1) / block_columns;
  const auto position = [&](std::int32_t at, int lane) {
    if (!reduces_columns) return of.row + at;
    const std::int64_t rows = at / blocks;
    return (of.row + rows) * plan.columns + begin + (at - rows * blocks) * block_columns + lane;
  };
  const std::int64_t result = reduces_columns ? outer : outer * plan.columns + begin;
  if (!reduces_columns) {
    for (int j = 0; j < int(end - begin); ++j) to.end(plan, part, result + j, lanes.get(j, position));
  } else {
    to.end(plan, part, result, lanes.all(filled, position));
  }
  to.combine_if_last(plan, item, part, result, reduces_columns ? 1 : end - begin);
}

/// A work-item of another device: a part of one result. `second` is the part if columns are reduced, or the
/// column.
template <typename Rule, typename Source>
inline void fold_elements(const Source& source, const fold_plan& plan, const fold_target<Rule>& to,
                          std::int64_t first, std::int64_t second) {
  const joined_extents& shape = plan.shape;
  const bool reduces_columns = plan.reduces_columns;
  const std::int64_t outer = reduces_columns ? first : first / plan.row_parts,
                     part = reduces_columns ? second : first - outer * plan.row_parts,
                     result = reduces_columns ? outer : outer * plan.columns + second;
  const fold_part of(plan, part);
  // Of one column all rows are one line, since they are one dimension.
  const std::int64_t lines = reduces_columns ? of.end - of.row : 1,
                     count = reduces_columns ? (of.column_end - of.column + plan.lanes - 1) / plan.lanes
                                             : of.end - of.row,
                     apart = reduces_columns ? plan.lanes : 1;
  typename Rule::type total{};
  bool has_total = false;
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t row = of.row + line, column = reduces_columns ? of.column : second;
    const auto from = source.open(
        element_opening(shape, outer, row, column, reduces_columns ? shape.rank - 1 : shape.results, apart));
    const std::int64_t at = reduces_columns ? row * plan.columns + column : row;
    for (std::int64_t k = 0; k < count; ++k) {
      const typename Rule::type made = Rule::take(from.at(k), at + k * apart);
      total = has_total ? Rule::combine(total, made) : made;
      has_total = true;
    }
  }
  to.end(plan, part, result, total);
  to.combine_if_last(plan, result, part, result, 1);
}

/// Folds the elements of an expression of `shape`, which has some, along an axis or all of them, into `out`.
template <typename Rule, typename E>
void fold_into(const any_array& out, const E& of, const extents& shape, int axis) {
  expression_queue on = queue_of_expression(out);
  joined_space space(shape, axis, on.in_blocks, [&](const auto& use) { of.visit(use); });
  const auto source = of.bind(space);
  const fold_plan plan(space, on.in_blocks);
  fold_target<Rule> to{static_cast<typename Rule::result*>(out.data()), nullptr, on.counters};
  any_array values;
  if (plan.parts() > 1) {
    const std::int64_t bytes = plan.parts() * plan.results() * std::int64_t(sizeof(typename Rule::type));
    values = empty({bytes}, dtype::uint8, out.device());
    to.parts = reinterpret_cast<typename Rule::type*>(values.data());
  }
  const bool is_near = space.is_near();
  constexpr bool is_short = E::operations <= most_direct_operations;
  if (on.in_blocks) {
    const std::int64_t parts = plan.parts(), items = plan.items(true) * parts;
    for_items(on.queue, items, (shape.product() + items - 1) / items, [=](std::int64_t i) {
      fold_blocks<Rule, is_short>(source, plan, is_near, to, i / parts, i % parts);
    });
  } else {
    const std::int64_t first = plan.reduces_columns ? plan.outer : plan.outer * plan.row_parts;
    const sycl::range<2> items(std::size_t(first),
                               std::size_t(plan.reduces_columns ? plan.parts() : plan.columns));
    on.queue.parallel_for(items, [=](sycl::id<2> i) {
      fold_elements<Rule>(source, plan, to, std::int64_t(i[0]), std::int64_t(i[1]));
    });
  }
  if (plan.parts() == 1 || on.counters) return;
  on.queue.parallel_for(sycl::range<1>(std::size_t(plan.results())), [=](sycl::id<1> i) {
    const auto result = std::int64_t(i[0]);
    to.combine(plan, result, 0, 1, plan.parts());
    to.store(result, to.parts[result], plan.elements());
  });
}

} // namespace prism::array_detail

#include <sycl/detail/user_macros_restore.hpp>
