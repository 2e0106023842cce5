// Programs on processors, for one arithmetic: chunks of elements, each step a loop over one chunk, which
// stays in the first-level cache. The host device (host.hpp) and OpenCL's processors (chunk_folds.hpp) have
// the order of folds in common.
//
// A work-item takes units, and a unit takes chunks: a chunk of the result if the elements are stored; a part
// of one result, or of `chunk` neighbouring results, if they are folded; whole results, as many as fit a
// chunk, if these are short. A fold has one value for each place in the chunk, which are folded in the end:
// the order depends on the extents only.
#pragma once

#include "kernels/array/steps.hpp"

#include <algorithm>

#ifdef __clang__
#define PRISM_ARRAY_VECTORS _Pragma("clang loop vectorize(assume_safety)")
/// Of loops that are rare or limited by memory: vectors would only lengthen the compilation.
#define PRISM_ARRAY_SCALARS _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PRISM_ARRAY_VECTORS _Pragma("GCC ivdep")
#define PRISM_ARRAY_SCALARS
#endif

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
    const std::int64_t part = unit % f.parts, group = unit / f.parts;
    s.position = part * f.part_elements;
    const std::int64_t elements = least(f.part_elements, f.elements - s.position);
    if (form == unit_form::columns) {
      const std::int64_t groups = (f.inner + chunk - 1) / chunk, column = group % groups * chunk;
      s.first = (group / groups * f.elements + s.position) * f.inner + column;
      s.advance = f.inner;
      s.chunks = elements;
      s.count = s.last = int(least(chunk, f.inner - column));
      s.result = (group / groups * f.parts + part) * f.inner + column;
    } else {
      s.first = group * f.elements + s.position;
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
PRISM_ARRAY_INLINE void combine_into(fold_op op, T* kept, const T* value, int count) {
  dispatch_fold<T>(op, [=](auto combine) PRISM_ARRAY_INLINED {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) kept[i] = combine(kept[i], value[i]);
  });
}

template <typename T>
inline void take_better(fold_op op, T* kept, std::int64_t* at, T value, std::int64_t position) {
  const bool better = is_better(op, *kept, value, *at, position);
  *kept = better ? value : *kept;
  *at = better ? position : *at;
}

/// Each of `count` rows becomes one value.
template <typename T, typename Combine>
PRISM_ARRAY_INLINE void fold_rows(const T* from, std::int64_t elements, int count, T* to,
                                  const Combine& combine) {
  int r = 0;
  for (; r + 4 <= count; r += 4) { // four sums at a time do not wait for each other
    const T* const row = from + r * elements;
    T a = row[0], b = row[elements], c = row[2 * elements], d = row[3 * elements];
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) {
      a = combine(a, row[i]), b = combine(b, row[elements + i]);
      c = combine(c, row[2 * elements + i]), d = combine(d, row[3 * elements + i]);
    }
    to[r] = a, to[r + 1] = b, to[r + 2] = c, to[r + 3] = d;
  }
  for (; r < count; ++r) {
    T total = from[r * elements];
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) total = combine(total, from[r * elements + i]);
    to[r] = total;
  }
}

/// Whether four elements are folded in one iteration: the values are loaded and stored less often. Of
/// extremes, whose combination is several instructions, that costs more.
constexpr bool folds_in_fours(fold_op op) { return op != fold_op::minimum && op != fold_op::maximum; }

/// Folds `chunks` chunks of `count` elements, which lie `advance` apart, into the values of their places.
template <typename T, typename Combine>
PRISM_ARRAY_INLINE void fold_places(const T* from, std::int64_t advance, std::int64_t chunks, int count,
                                    T* kept, bool in_fours, const Combine& combine) {
  std::int64_t k = 0;
  for (; in_fours && k + 4 <= chunks; k += 4) {
    const T *a = from + k * advance, *b = a + advance, *c = b + advance, *d = c + advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i)
      kept[i] = combine(combine(combine(combine(kept[i], a[i]), b[i]), c[i]), d[i]);
  }
  for (; k < chunks; ++k) {
    const T* const a = from + k * advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) kept[i] = combine(kept[i], a[i]);
  }
}

/// The units [first, last) of a fold of elements that lie in memory in the order of the layout;
/// store(number, value) takes the results and parts.
template <typename T, typename Combine, typename Store>
PRISM_ARRAY_INLINE void fold_units(const T* elements, const fold_layout& f, std::int64_t size,
                                   std::int64_t first, std::int64_t last, bool in_fours,
                                   const Combine& combine, const Store& store) {
  constexpr int chunk = chunk_of(sizeof(T));
  T kept[chunk];
  const unit_form form = fold_form<chunk>(f);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(f, size, unit, form);
    const T* const from = elements + s.first;
    int used = s.chunks > 1 ? s.count : s.last;
    if (form == unit_form::rows) {
      used /= int(f.elements);
      fold_rows(from, f.elements, used, kept, combine);
    } else {
      for (int i = 0; i < used; ++i) kept[i] = from[i];
      const std::int64_t behind = s.chunks - 1, whole = behind > 0 && s.last < s.count ? behind - 1 : behind;
      fold_places(from + s.advance, s.advance, whole, used, kept, in_fours, combine);
      if (whole < behind) fold_places(from + behind * s.advance, s.advance, 1, s.last, kept, false, combine);
    }
    if (form == unit_form::part) {
      for (int half = 0; used > 1; used = half) {
        half = (used + 1) / 2;
        fold_places(kept + half, 0, 1, used - half, kept, false, combine);
      }
    }
    for (int i = 0; i < used; ++i) store(s.result + i, kept[i]);
  }
}

template <typename T>
PRISM_ARRAY_INLINE void store_number(const program_array& to, std::int64_t at, T number) {
  with_type<T>(to.type, [&](auto element) {
    using E = decltype(element);
    reinterpret_cast<E*>(to.data)[at] = converted<E>(number);
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

/// The values that a unit has for the places in its chunks, with their positions if these are asked, or
/// always.
template <typename T, int chunk, bool always_positions = false>
struct kept_values {
  T value[chunk];
  std::int64_t at[chunk];
  int used = 0;

  PRISM_ARRAY_INLINE void take(const program& p, const unit_span& s, std::int64_t k, const T* from, int count,
                               bool across) {
    const bool positions = always_positions || p.fold >= fold_op::first_minimum;
    const std::int64_t begin = s.first + k * s.advance;
    const auto position = [&](int i) {
      if (p.folded.given_positions) return p.folded.given_positions[begin + i];
      return s.position + (across ? k : k * chunk + i);
    };
    if (k == 0) {
      used = count;
      for (int i = 0; i < count; ++i) value[i] = from[i];
      if (positions) {
        PRISM_ARRAY_SCALARS
        for (int i = 0; i < count; ++i) at[i] = position(i);
      }
    } else if (positions && p.folded.given_positions) {
      const std::int64_t* const given = p.folded.given_positions + begin;
      take_later(p.fold, value, at, from, count, [=](int i) PRISM_ARRAY_INLINED { return given[i]; });
    } else if (positions) {
      const std::int64_t first = s.position + (across ? k : k * chunk), step = across ? 0 : 1;
      take_later(p.fold, value, at, from, count, [=](int i) PRISM_ARRAY_INLINED { return first + i * step; });
    } else if constexpr (!always_positions) combine_into(p.fold, value, from, count);
  }

  /// Of a part: all places become one.
  PRISM_ARRAY_INLINE void join(fold_op op) {
    for (int half = 0; used > 1; used = half) {
      half = (used + 1) / 2;
      if (always_positions || op >= fold_op::first_minimum) {
        PRISM_ARRAY_VECTORS
        for (int i = half; i < used; ++i) take_better(op, value + i - half, at + i - half, value[i], at[i]);
      } else if constexpr (!always_positions) combine_into(op, value, value + half, used - half);
    }
  }

  /// Of rows: each becomes one value.
  PRISM_ARRAY_INLINE void take_rows(const program& p, const unit_span& s, const T* from) {
    const int elements = int(p.folded.elements);
    used = s.count / elements;
    if (always_positions || p.fold >= fold_op::first_minimum) {
      for (int r = 0; r < used; ++r) {
        const std::int64_t begin = s.first + r * elements;
        const auto position = [&](int i) {
          return p.folded.given_positions ? p.folded.given_positions[begin + i] : i;
        };
        value[r] = from[r * elements], at[r] = position(0);
        PRISM_ARRAY_SCALARS
        for (int i = 1; i < elements; ++i)
          take_better(p.fold, value + r, at + r, from[r * elements + i], position(i));
      }
    } else if constexpr (!always_positions)
      dispatch_fold<T>(p.fold, [&](auto combine) { fold_rows(from, elements, used, value, combine); });
  }

  void store(const program& p, const unit_span& s) const {
    const std::int64_t first = s.result;
    const fold_layout& f = p.folded;
    if (p.fold >= fold_op::first_minimum) {
      std::int64_t* to =
          f.partial_positions ? f.partial_positions : reinterpret_cast<std::int64_t*>(p.result.data);
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < used; ++i) to[first + i] = at[i];
      if (!f.partial_positions) return;
    }
    with_type<T>(p.result.type, [&](auto element) {
      using E = decltype(element);
      E* to = reinterpret_cast<E*>(p.result.data) + first;
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < used; ++i) to[i] = converted<E>(value[i]);
    });
  }
};

/// The units [first, last) of a program, whose chunks `runner` computes.
template <typename T, bool always_positions = false, typename Runner>
PRISM_ARRAY_INLINE void run_units(const program& p, Runner& runner, std::int64_t first, std::int64_t last) {
  constexpr int chunk = chunk_of(sizeof(T));
  kept_values<T, chunk, always_positions> kept;
  runner.begin(p);
  const unit_form form = form_of<chunk>(p);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, form);
    for (std::int64_t k = 0; k < s.chunks; ++k) {
      const int count = k + 1 < s.chunks ? s.count : s.last;
      if (form == unit_form::columns && k + 1 < s.chunks && s.advance != s.count)
        runner.prefetch(p, s.first + (k + 1) * s.advance, s.count);
      const T* made = runner.run(p, s.first + k * s.advance, count);
      if (form == unit_form::rows) kept.take_rows(p, s, made);
      else if (form != unit_form::store) kept.take(p, s, k, made, count, form == unit_form::columns);
    }
    if (form == unit_form::store) continue;
    if (form == unit_form::part) kept.join(p.fold);
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

/// How many work-items share the units.
inline std::int64_t shares_of(const program& p, std::int64_t units) {
  return std::min<std::int64_t>(p.fold == fold_op::none ? (units + 7) / 8 : units, 256);
}

} // namespace prism::array_detail
