// Folds of elements that are computed one by one, in the order of chunks.hpp, so that an expression that is
// interpreted on processors through OpenCL has its fold in the same launch, and the bits that it has once its
// steps are one kernel. The fold is chosen while the kernel runs: the interpreter is in it once.
#pragma once

#include "kernels/array/chunks.hpp"
#include "kernels/array/part_folds.hpp"

namespace prism::array_detail {

/// The elements of one value of a fold.
struct value_elements {
  std::int64_t first, apart, count, position; // of the first element in its result
  int lanes;                                  // 1: the elements are folded one after the other
};

/// The lanes become one value, as join_lanes() computes it.
template <typename T>
inline folded_value<T> join_folded(fold_op op, folded_value<T>* lane, int used) {
  const bool are_all = used == lanes_of<T>;
  for (int half = are_all ? used / 2 : 1; half > 2; half /= 2)
    for (int i = 0; i < half; ++i) lane[i] = better_of(op, lane[i], lane[half + i]);
  const int left = are_all ? 4 : used;
  for (int i = 1; i < left; ++i) lane[0] = better_of(op, lane[0], lane[i]);
  return lane[0];
}

/// element(i, position): element i of the program, which has that position in its result.
template <typename T, typename Element>
inline folded_value<T> fold_in_order(fold_op op, const value_elements& of, const Element& element) {
  constexpr int chunk = chunk_of(sizeof(T));
  folded_value<T> kept[lanes_of<T>], lane[lanes_of<T>];
  int used = 0;
  std::int64_t done = 0;
  for (int place = 0; done < of.count;) {
    const folded_value<T> made = element(of.first + done * of.apart, of.position + done);
    const int in_chunk = int(done % chunk), l = of.lanes == 1 ? 0 : in_chunk % lanes_of<T>;
    const bool is_first = of.lanes == 1 ? done == 0 : in_chunk < lanes_of<T>;
    lane[l] = is_first ? made : better_of(op, lane[l], made);
    place = l + 1 > place ? l + 1 : place;
    ++done;
    if (done < of.count && (of.lanes == 1 || in_chunk + 1 < chunk)) continue;
    for (int i = 0; i < place; ++i) kept[i] = used == 0 ? lane[i] : better_of(op, kept[i], lane[i]);
    used = used == 0 ? place : used;
    place = 0;
  }
  return join_folded(op, kept, used);
}

/// Stores a value, its position, or both, as kept_values::store() does.
template <typename T>
inline void store_folded_value(const program& p, std::int64_t at, folded_value<T> made) {
  if (p.fold >= fold_op::first_minimum) {
    std::int64_t* const partial = p.folded.partial_positions;
    (partial ? partial : reinterpret_cast<std::int64_t*>(p.result.data))[at] = made.at;
    if (!partial) return;
  }
  store_value(p.result, at, made.value);
}

/// The units [first, last) of a fold.
template <typename T, typename Element>
inline void fold_units_in_order(const program& p, std::int64_t first, std::int64_t last,
                                const Element& element) {
  constexpr int chunk = chunk_of(sizeof(T));
  const fold_layout& f = p.folded;
  const unit_form form = fold_form<chunk>(f);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(f, p.size, unit, form);
    const bool is_columns = form == unit_form::columns, is_rows = form == unit_form::rows;
    const std::int64_t values = is_columns ? s.count : is_rows ? s.count / f.elements : 1;
    for (std::int64_t v = 0; v < values; ++v) {
      value_elements of{s.first + v, s.advance, s.chunks, s.position, 1};
      if (!is_columns) {
        const std::int64_t count = is_rows ? f.elements : (s.chunks - 1) * chunk + s.last;
        of = {s.first + (is_rows ? v * f.elements : 0), 1, count, s.position, lanes_of<T>};
      }
      store_folded_value(p, s.result + v, fold_in_order<T>(p.fold, of, element));
    }
  }
}

} // namespace prism::array_detail
