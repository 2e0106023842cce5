// Runs programs on processors, for one arithmetic, in chunks of elements. Each step is a loop over one chunk,
// which stays in the first-level cache. The host device (host.hpp) and OpenCL's processors (chunk_folds.hpp)
// fold in the same order.
//
// A work-item computes units, and a unit consists of chunks. If the elements are stored, a unit is a chunk of
// the result. If they are folded, it is a part of one result, or of `chunk` adjacent results; if the results
// are short, it is as many whole results as fit a chunk. Adjacent results are folded element by element. A
// part of one result has a value for each of a few lanes: each chunk is folded into the lanes, and at the end
// the lanes are folded. So the order depends on the extents only.
#pragma once

#include "kernels/array/lanes.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>

namespace prism::array_detail {

/// Calls part(first, count, offset) for the runs of elements [first, first + count) along the last dimension.
template <typename Part>
PRISM_ARRAY_INLINE void for_each_run(const program& p, const program_array& array, std::int64_t begin,
                                     int count, const Part& part) {
  const std::int64_t inner = array.is_flat ? p.size : p.extent[p.rank - 1];
  for (int done = 0; done < count;) {
    const std::int64_t at = begin + done, left = inner - at % inner;
    const int run = left < count - done ? int(left) : count - done;
    part(done, run, offset_of(p, array, at));
    done += run;
  }
}

template <typename T>
PRISM_ARRAY_INLINE void load_chunk(const program& p, const program_array& array, std::int64_t begin,
                                   int count, T* to) {
  with_type<T>(array.type, [&](auto element) {
    using E = decltype(element);
    const E* data = reinterpret_cast<const E*>(array.data);
    const std::int64_t stride = array.is_flat ? 1 : array.strides[p.rank - 1];
    for_each_run(p, array, begin, count, [&](int first, int run, std::int64_t offset) {
      const E* from = data + offset;
      if (stride == 1) {
        for (int i = 0; i < run; ++i) to[first + i] = converted<T>(from[i]);
      } else if (stride == 0) {
        std::fill(to + first, to + first + run, converted<T>(from[0]));
      } else if (std::is_same_v<E, T> && stride == 2) {
        for (int i = 0; i < run; ++i) to[first + i] = converted<T>(from[2 * i]);
      } else {
        PRISM_ARRAY_SCALARS
        for (int i = 0; i < run; ++i) to[first + i] = converted<T>(from[i * stride]);
      }
    });
  });
}

template <typename T>
PRISM_ARRAY_INLINE void store_chunk(const program& p, std::int64_t begin, int count, const T* from) {
  with_type<T>(p.result.type, [&](auto element) {
    using E = decltype(element);
    E* data = reinterpret_cast<E*>(p.result.data);
    const std::int64_t stride = p.result.is_flat ? 1 : p.result.strides[p.rank - 1];
    for_each_run(p, p.result, begin, count, [&](int first, int run, std::int64_t offset) {
      E* to = data + offset;
      if (stride == 1) {
        for (int i = 0; i < run; ++i) to[i] = converted<E>(from[first + i]);
      } else {
        PRISM_ARRAY_SCALARS
        for (int i = 0; i < run; ++i) to[i * stride] = converted<E>(from[first + i]);
      }
    });
  });
}

enum class unit_form { store, columns, part, rows };

template <int chunk>
inline unit_form fold_form(const fold_layout& f) {
  if (f.inner > 1) return unit_form::columns;
  return f.elements * 2 > chunk ? unit_form::part : unit_form::rows;
}
template <int chunk>
inline unit_form form_of(const program& p) {
  return p.fold == fold_op::none ? unit_form::store : fold_form<chunk>(p.folded);
}

template <int chunk>
inline std::int64_t unit_count(const program& p) {
  const auto divided = [](std::int64_t n, std::int64_t by) { return (n + by - 1) / by; };
  const fold_layout& f = p.folded;
  switch (form_of<chunk>(p)) {
    case unit_form::store: return divided(p.size, chunk);
    case unit_form::columns: return f.results / f.inner * divided(f.inner, chunk) * f.parts;
    case unit_form::part: return f.results * f.parts;
    default: return divided(f.results, chunk / f.elements);
  }
}

/// The chunks of one unit: `count` elements each, but the last one `last`.
struct unit_span {
  std::int64_t first, advance, chunks;
  int count, last;
  std::int64_t result;   // the number of its first value
  std::int64_t position; // of the first element in its result
};

template <int chunk>
inline unit_span span_of(const fold_layout& f, std::int64_t size, std::int64_t unit, unit_form form) {
  const auto least = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
  unit_span s{};
  s.chunks = 1;
  if (form == unit_form::store) {
    s.first = unit * chunk;
    s.count = s.last = int(least(chunk, size - s.first));
  } else if (form == unit_form::rows) {
    const std::int64_t rows = chunk / f.elements;
    s.result = unit * rows;
    s.first = s.result * f.elements;
    s.count = s.last = int(least(rows * f.elements, size - s.first));
  } else {
    // Neighbouring columns take turns, so that units that follow each other read neighbours.
    const std::int64_t groups = form == unit_form::columns ? (f.inner + chunk - 1) / chunk : 1;
    const std::int64_t column = unit % groups * chunk, rest = unit / groups, part = rest % f.parts,
                       outer = rest / f.parts;
    s.position = part * f.part_elements;
    const std::int64_t elements = least(f.part_elements, f.elements - s.position);
    if (form == unit_form::columns) {
      s.first = (outer * f.elements + s.position) * f.inner + column;
      s.advance = f.inner;
      s.chunks = elements;
      s.count = s.last = int(least(chunk, f.inner - column));
      s.result = rest * f.inner + column;
    } else {
      s.first = outer * f.elements + s.position;
      s.advance = chunk;
      s.chunks = (elements + chunk - 1) / chunk;
      s.count = chunk;
      s.last = int(elements - (s.chunks - 1) * chunk);
      s.result = unit;
    }
  }
  return s;
}

template <typename T>
inline void take_better(fold_op op, T* kept, std::int64_t* at, T value, std::int64_t position) {
  const bool better = is_better(op, *kept, value, *at, position);
  *kept = better ? value : *kept;
  *at = better ? position : *at;
}

/// Whether a lane may have a better extreme than `best`.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE bool may_exceed(const T* lane, int used, T best, Combination) {
  using flags = flags_of<T>;
  if (used < lanes_of<T>) return true;
  flags found = 0;
  if constexpr (Combination::is_minimum || Combination::is_maximum) {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < lanes_of<T>; ++i)
      found |= -flags(Combination::is_minimum ? !(lane[i] >= best) : !(lane[i] <= best));
  }
  return found != 0;
}

template <typename T>
PRISM_ARRAY_INLINE void store_numbers(const program_array& to, std::int64_t at, const T* numbers, int count) {
  with_type<T>(to.type, [&](auto element) {
    using E = decltype(element);
    E* const data = reinterpret_cast<E*>(to.data) + at;
    PRISM_ARRAY_SCALARS
    for (int i = 0; i < count; ++i) {
      PRISM_ARRAY_ONE;
      data[i] = converted<E>(numbers[i]);
    }
  });
}

/// take_better of values whose positions are greater than those of the kept ones, without branches.
template <typename T, typename Position>
PRISM_ARRAY_INLINE void take_later(fold_op op, T* kept, std::int64_t* at, const T* value, int count,
                                   const Position& position) {
  if constexpr (!functions<T>::is_complex) {
    const auto take = [=](auto is_less) PRISM_ARRAY_INLINED {
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < count; ++i) {
        const T a = kept[i], b = value[i];
        const std::int64_t place = position(i), before = at[i];
        const T chosen = is_less(a, b) ? b : a;
        const std::int64_t at_chosen = is_less(a, b) ? place : before;
        if constexpr (functions<T>::is_integer) kept[i] = chosen, at[i] = at_chosen;
        else { // the first NaN stays
          const T other = b != b ? b : chosen;
          const std::int64_t at_other = b != b ? place : at_chosen;
          kept[i] = a != a ? a : other;
          at[i] = a != a ? before : at_other;
        }
      }
    };
    if (op == fold_op::first_minimum) take([](T a, T b) PRISM_ARRAY_INLINED { return b < a; });
    else take([](T a, T b) PRISM_ARRAY_INLINED { return a < b; });
  }
}

/// The values that a unit has for the places or lanes of its chunks, with their positions if these are asked,
/// or always. `fixed` is the fold of all programs, if their kernel has one.
template <typename T, int chunk, bool always_positions = false, fold_op fixed = fold_op::none>
struct kept_values {
  T value[chunk];
  std::int64_t at[chunk];
  int used = 0;

  static fold_op fold(const program& p) { return fixed == fold_op::none ? p.fold : fixed; }
  static bool has_positions(const program& p) {
    return always_positions || fold(p) >= fold_op::first_minimum;
  }

  /// From the k-th on, `rows` elements of each of neighbouring results; several only of values in memory.
  template <typename Rows>
  PRISM_ARRAY_INLINE void take_places(const program& p, const unit_span& s, std::int64_t k, std::int64_t rows,
                                      const T* from, int count) {
    const std::int64_t* const given =
        p.folded.given_positions ? p.folded.given_positions + s.first + k * s.advance : nullptr;
    const std::int64_t position = s.position + k;
    if (k == 0) {
      used = count;
      for (int i = 0; i < count; ++i) value[i] = from[i];
      if (!has_positions(p)) return;
      for (int i = 0; i < count; ++i) {
        PRISM_ARRAY_ONE;
        at[i] = given ? given[i] : position;
      }
    } else if (has_positions(p)) {
      if (given)
        take_later(fold(p), value, at, from, count, [=](int i) PRISM_ARRAY_INLINED { return given[i]; });
      else take_later(fold(p), value, at, from, count, [=](int) PRISM_ARRAY_INLINED { return position; });
    } else if constexpr (!always_positions)
      dispatch_combination<T>(fold(p), [&](auto c) PRISM_ARRAY_INLINED {
        Rows::fold_places(from, s.advance, rows, count, value, c);
      });
  }

  /// The k-th chunk of a part, or rows, each of which becomes one value.
  template <typename Rows>
  PRISM_ARRAY_INLINE void take_lines(const program& p, const unit_span& s, std::int64_t k, bool is_rows,
                                     const T* from, int count) {
    const int elements = is_rows ? int(p.folded.elements) : count, lines = count / elements;
    const bool places = has_positions(p);
    if (p.folded.given_positions) return take_given(p, s, from, elements, lines);
    dispatch_combination<T>(fold(p), [&](auto c) PRISM_ARRAY_INLINED {
      if constexpr (!always_positions)
        if (is_rows && !places && elements < lanes_of<T>) {
          fold_short_rows<false>(from, elements, lines, value, nullptr, c);
          used = lines;
          return;
        }
      T lane[lanes_of<T>];
      for (int r = 0; r < lines; ++r) {
        const T* const line = from + r * elements;
        const int filled = fold_lanes<Rows>(line, elements, lane, c);
        if (places) {
          if (k > 0 && !may_exceed(lane, filled, value[r], c)) continue;
          const T found = join_lanes(lane, filled, c);
          if (k > 0 && !is_better(fold(p), value[r], found, 0, 1)) continue;
          value[r] = found;
          at[r] = s.position + k * chunk + place_of(line, elements, found);
        } else if (is_rows) value[r] = join_lanes(lane, filled, c);
        else if (k > 0) add_lanes(value, lane, filled, c);
        else {
          for (int i = 0; i < filled; ++i) value[i] = lane[i];
          used = filled;
        }
      }
      if (is_rows || places) used = lines;
    });
  }

  /// Rows of parts, whose positions are given.
  PRISM_ARRAY_INLINE void take_given(const program& p, const unit_span& s, const T* from, int elements,
                                     int lines) {
    const std::int64_t* const given = p.folded.given_positions + s.first;
    for (int r = 0; r < lines; ++r) {
      value[r] = from[r * elements], at[r] = given[r * elements];
      PRISM_ARRAY_SCALARS
      for (int i = 1; i < elements; ++i) {
        PRISM_ARRAY_ONE;
        take_better(fold(p), value + r, at + r, from[r * elements + i], given[r * elements + i]);
      }
    }
    used = lines;
  }

  /// Of a part: the lanes become one value.
  PRISM_ARRAY_INLINE void join(const program& p) {
    if constexpr (!always_positions)
      if (!has_positions(p)) {
        dispatch_combination<T>(fold(p), [&](auto c) PRISM_ARRAY_INLINED { join_lanes(value, used, c); });
        used = 1;
      }
  }

  void store(const program& p, const unit_span& s) const {
    const std::int64_t first = s.result;
    const fold_layout& f = p.folded;
    if (fold(p) >= fold_op::first_minimum) {
      std::int64_t* to =
          f.partial_positions ? f.partial_positions : reinterpret_cast<std::int64_t*>(p.result.data);
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < used; ++i) to[first + i] = at[i];
      if (!f.partial_positions) return;
    }
    store_numbers(p.result, first, value, used);
  }
};

/// The units [first, last) of a program, whose chunks `runner` computes.
template <typename T, bool always_positions = false, fold_op fixed = fold_op::none, typename Runner>
PRISM_ARRAY_INLINE void run_units(const program& p, Runner& runner, std::int64_t first, std::int64_t last) {
  constexpr int chunk = chunk_of(sizeof(T));
  using rows_of = typename Runner::rows;
  kept_values<T, chunk, always_positions, fixed> kept;
  runner.begin(p);
  const unit_form form = fixed == fold_op::none ? form_of<chunk>(p) : fold_form<chunk>(p.folded);
  const bool is_rows = form == unit_form::rows;
  const T* const memory = kept.has_positions(p) ? nullptr : runner.in_memory(p);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, form);
    for (std::int64_t k = 0; k < s.chunks; ++k) {
      const int count = k + 1 < s.chunks ? s.count : s.last;
      if (form == unit_form::columns && memory) {
        const std::int64_t rows = k == 0 ? 1 : s.chunks - 1;
        kept.template take_places<rows_of>(p, s, k, rows, memory + s.first + k * s.advance, count);
        k += rows - 1;
        continue;
      }
      if (form == unit_form::columns && k + 1 < s.chunks && s.advance != s.count)
        runner.prefetch(p, s.first + (k + 1) * s.advance, s.count);
      const T* made = runner.run(p, s.first + k * s.advance, count);
      if (form == unit_form::columns) kept.template take_places<rows_of>(p, s, k, 1, made, count);
      else if (form != unit_form::store) kept.template take_lines<rows_of>(p, s, k, is_rows, made, count);
    }
    if (form == unit_form::store) continue;
    if (form == unit_form::part) kept.join(p);
    kept.store(p, s);
  }
}

/// Sets the rows of the program's constants.
template <typename T, int chunk>
PRISM_ARRAY_INLINE void fill_constants(const program& p, T (*place)[chunk]) {
  const int used = int(std::min<std::int64_t>(chunk, p.size));
  for (int k = 0; k < p.constants; ++k) {
    const T value = constant_of<T>(p, k);
    for (int i = 0; i < used; ++i) place[first_constant + k][i] = value;
  }
}

/// Whether all other work-items of a launch have ended, whose results are visible then.
inline bool ends_last(program& p, std::int64_t items) {
  const sycl::atomic_ref<std::int32_t, sycl::memory_order::acq_rel, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>
      ended(p.ended);
  if (ended.fetch_add(1) + 1 != items) return false;
  p.ended = 0; // for the next launch of the same program
  return true;
}

/// At most `wanted` work-items, each of which has a unit.
inline std::int64_t shares_by(std::int64_t wanted, std::int64_t units) {
  return std::clamp<std::int64_t>(wanted, 1, std::min<std::int64_t>(units, 256));
}

/// How many work-items share the units: one for 16,384 elements, which take longer than a work-item's start,
/// or for 4,096 of functions, whose steps are long.
inline std::int64_t shares_of(const program& p, std::int64_t units) {
  const std::int64_t elements = p.fold == fold_op::none && has_functions(p) ? 4096 : 16384;
  return shares_by(p.size / elements, units);
}

} // namespace prism::array_detail
