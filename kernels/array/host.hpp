// What runs a program on the host device, for one arithmetic: chunks of elements, each step a loop over one
// chunk. Each file run_host_*.cpp instantiates some. An ordinary C++ compiler compiles them, for each
// instruction set in turn (PRISM_HOST_ISA): the loops are vectors already. Contraction is off, so that all
// instruction sets compute the same bits.
//
// A small program runs on the calling thread, if the device has no work: a launch costs more than such a
// program.
//
// A work-item takes units, and a unit takes chunks: a chunk of the result if the elements are stored; a part
// of one result, or of `chunk` neighbouring results, if they are folded; whole results, as many as fit a
// chunk, if these are short. A fold has one value for each place in the chunk, which are folded in the end:
// the order depends on the extents only.
#pragma once

#include "kernels/array/steps.hpp"
#include "kernels/array/vector_functions.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>

#ifdef __clang__
#define PRISM_ARRAY_VECTORS _Pragma("clang loop vectorize(assume_safety)")
/// Of loops that are rare or limited by memory: vectors would only lengthen the compilation.
#define PRISM_ARRAY_SCALARS _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PRISM_ARRAY_VECTORS _Pragma("GCC ivdep")
#define PRISM_ARRAY_SCALARS
#endif

// The level of instruction sets that libprism found or PRISM_HOST_ISA names: what compiled kernels read.
extern "C" std::int32_t __prism_host_isa;

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

/// One of vector_functions.hpp over a chunk. An element's value does not depend on its neighbours.
template <typename Function, typename T, typename Exact>
PRISM_ARRAY_INLINE void run_covered(const T* a, T* to, int count, const Exact& exact) {
  int others = 0;
  for (int i = 0; i < count; ++i) others += Function::covers(double(a[i])) ? 0 : 1;
  if (others == 0) {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) to[i] = T(Function::of(double(a[i])));
  } else {
    for (int i = 0; i < count; ++i)
      to[i] = Function::covers(double(a[i])) ? T(Function::of(double(a[i]))) : exact(a[i]);
  }
}

/// False if there is no such function for the operation.
template <typename T>
PRISM_ARRAY_INLINE bool run_vector_function(step_op op, const T* a, T* to, int count) {
  if constexpr (std::is_floating_point_v<T>) {
    using f = functions<T>;
    switch (op) {
      case step_op::exp: run_covered<vector_functions::exp>(a, to, count, f::exp); return true;
      case step_op::log: run_covered<vector_functions::log>(a, to, count, f::log); return true;
      case step_op::sin: run_covered<vector_functions::sin>(a, to, count, f::sin); return true;
      case step_op::cos: run_covered<vector_functions::cos>(a, to, count, f::cos); return true;
      default: break;
    }
  }
  return false;
}

/// Computes the elements [begin, begin + count), and stores them if the program does. `place` has memory for
/// every name. Returns the elements.
template <typename T, int chunk>
PRISM_ARRAY_INLINE const T* run_chunk(const program& p, std::int64_t begin, int count, T (*place)[chunk]) {
  const T* value[name_count];
  for (int k = 0; k < p.leaves; ++k) {
    const program_array& array = p.leaf[k];
    T* own = place[first_leaf + k];
    if (array.is_flat && array.type == std::int32_t(type_of_arithmetic<T>))
      value[first_leaf + k] = reinterpret_cast<const T*>(array.data) + begin;
    else {
      load_chunk<T>(p, array, begin, count, own);
      value[first_leaf + k] = own;
    }
  }
  for (int k = 0; k < p.constants; ++k) value[first_constant + k] = place[first_constant + k];
  const bool is_direct = p.fold == fold_op::none && p.root < max_registers && p.result.is_flat &&
                         p.result.type == std::int32_t(type_of_arithmetic<T>);
  for (int s = 0; s < p.steps; ++s) {
    const step& now = p.list[s];
    T* to = place[now.to];
    if (is_direct && s + 1 == p.steps) to = reinterpret_cast<T*>(p.result.data) + begin;
    const T *a = value[now.a], *b = value[now.b], *c = value[now.c];
    value[now.to] = to;
    if (run_vector_function(now.op, a, to, count)) continue;
    dispatch<T, true>(now.op, [=](auto function) PRISM_ARRAY_INLINED {
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < count; ++i) to[i] = function(a[i], b[i], c[i]);
    });
  }
  if (p.fold == fold_op::none && !is_direct) store_chunk<T>(p, begin, count, value[p.root]);
  return value[p.root];
}

enum class unit_form { store, columns, part, rows };

template <int chunk>
inline unit_form form_of(const program& p) {
  if (p.fold == fold_op::none) return unit_form::store;
  if (p.folded.inner > 1) return unit_form::columns;
  return p.folded.elements * 2 > chunk ? unit_form::part : unit_form::rows;
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
  std::int64_t result, result_stride; // of the first value
  std::int64_t position;              // of the first element in its result
};

template <int chunk>
inline unit_span span_of(const program& p, std::int64_t unit, unit_form form) {
  const fold_layout& f = p.folded;
  const auto least = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
  unit_span s{};
  s.chunks = 1;
  if (form == unit_form::store) {
    s.first = unit * chunk;
    s.count = s.last = int(least(chunk, p.size - s.first));
  } else if (form == unit_form::rows) {
    const std::int64_t rows = chunk / f.elements;
    s.result = unit * rows;
    s.result_stride = 1;
    s.first = s.result * f.elements;
    s.count = s.last = int(least(rows * f.elements, p.size - s.first));
  } else {
    const std::int64_t part = unit % f.parts, group = unit / f.parts;
    s.position = part * f.part_elements;
    const std::int64_t elements = least(f.part_elements, f.elements - s.position);
    s.result_stride = f.parts;
    if (form == unit_form::columns) {
      const std::int64_t groups = (f.inner + chunk - 1) / chunk, column = group % groups * chunk;
      s.first = (group / groups * f.elements + s.position) * f.inner + column;
      s.advance = f.inner;
      s.chunks = elements;
      s.count = s.last = int(least(chunk, f.inner - column));
      s.result = (group / groups * f.inner + column) * f.parts + part;
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
  if (is_better(op, *kept, value, *at, position)) *kept = value, *at = position;
}

/// The values that a unit has for the places in its chunks, with their positions if these are asked.
template <typename T, int chunk>
struct kept_values {
  T value[chunk];
  std::int64_t at[chunk];
  int used;

  PRISM_ARRAY_INLINE void take(const program& p, const unit_span& s, std::int64_t k, const T* from, int count,
                               bool across) {
    const bool positions = p.fold >= fold_op::first_minimum;
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
    } else if (positions) {
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < count; ++i) take_better(p.fold, value + i, at + i, from[i], position(i));
    } else combine_into(p.fold, value, from, count);
  }

  /// Of a part: all places become one.
  PRISM_ARRAY_INLINE void join(fold_op op) {
    for (int half = 0; used > 1; used = half) {
      half = (used + 1) / 2;
      if (op >= fold_op::first_minimum) {
        PRISM_ARRAY_SCALARS
        for (int i = half; i < used; ++i) take_better(op, value + i - half, at + i - half, value[i], at[i]);
      } else combine_into(op, value, value + half, used - half);
    }
  }

  /// Of rows: each becomes one value.
  PRISM_ARRAY_INLINE void take_rows(const program& p, const unit_span& s, const T* from) {
    const int elements = int(p.folded.elements);
    used = s.count / elements;
    if (p.fold >= fold_op::first_minimum) {
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
    } else
      dispatch_fold<T>(p.fold, [&](auto combine) {
        for (int r = 0; r < used; ++r) {
          T total = from[r * elements];
          PRISM_ARRAY_SCALARS
          for (int i = 1; i < elements; ++i) total = combine(total, from[r * elements + i]);
          value[r] = total;
        }
      });
  }

  void store(const program& p, const unit_span& s) const {
    const std::int64_t first = s.result, stride = s.result_stride;
    const fold_layout& f = p.folded;
    if (p.fold >= fold_op::first_minimum) {
      std::int64_t* to =
          f.partial_positions ? f.partial_positions : reinterpret_cast<std::int64_t*>(p.result.data);
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < used; ++i) to[first + i * stride] = at[i];
      if (!f.partial_positions) return;
    }
    with_type<T>(p.result.type, [&](auto element) {
      using E = decltype(element);
      E* to = reinterpret_cast<E*>(p.result.data) + first;
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < used; ++i) to[i * stride] = converted<E>(value[i]);
    });
  }
};

/// The units [first, last) of a program.
template <typename T>
PRISM_ARRAY_INLINE void run_units(const program& p, std::int64_t first, std::int64_t last) {
  constexpr int chunk = chunk_of(sizeof(T));
  T place[name_count][chunk];
  kept_values<T, chunk> kept;
  const int used = int(std::min<std::int64_t>(chunk, p.size));
  for (int k = 0; k < p.constants; ++k) {
    const T value = constant_of<T>(p, k);
    for (int i = 0; i < used; ++i) place[first_constant + k][i] = value;
  }
  const unit_form form = form_of<chunk>(p);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p, unit, form);
    for (std::int64_t k = 0; k < s.chunks; ++k) {
      const int count = k + 1 < s.chunks ? s.count : s.last;
      const T* made = run_chunk<T, chunk>(p, s.first + k * s.advance, count, place);
      if (form == unit_form::rows) kept.take_rows(p, s, made);
      else if (form != unit_form::store) kept.take(p, s, k, made, count, form == unit_form::columns);
    }
    if (form == unit_form::store) continue;
    if (form == unit_form::part) kept.join(p.fold);
    kept.store(p, s);
  }
}

template <typename T>
using unit_runner = void (*)(const program&, std::int64_t, std::int64_t);
template <typename T>
void run_baseline(const program& p, std::int64_t first, std::int64_t last) {
  run_units<T>(p, first, last);
}
#ifdef __x86_64__
template <typename T>
__attribute__((target("avx2"))) void run_v3(const program& p, std::int64_t first, std::int64_t last) {
  run_units<T>(p, first, last);
}
template <typename T>
unit_runner<T> best_runner() {
  return __prism_host_isa >= 3 ? run_v3<T> : run_baseline<T>;
}
#else
template <typename T>
unit_runner<T> best_runner() {
  return run_baseline<T>;
}
#endif

template <typename T>
void run_here(const program& p) {
  best_runner<T>()(p, 0, unit_count<chunk_of(sizeof(T))>(p));
}

template <typename T>
sycl::event launch_on_host(sycl::queue& queue, const program* p, const program& host) {
  const std::int64_t units = unit_count<chunk_of(sizeof(T))>(host);
  const std::int64_t enough = host.fold == fold_op::none ? (units + 7) / 8 : units;
  const std::size_t items = std::size_t(std::min<std::int64_t>(enough, 256));
  const std::int64_t share = (units + std::int64_t(items) - 1) / std::int64_t(items);
  const unit_runner<T> run = best_runner<T>();
  return queue.parallel_for(sycl::nd_range<1>(items, 1), [=](sycl::nd_item<1> item) {
    const std::int64_t first = std::int64_t(item.get_global_id(0)) * share;
    if (first < units) run(*p, first, std::min(first + share, units));
  });
}

#undef PRISM_ARRAY_VECTORS
#undef PRISM_ARRAY_SCALARS

} // namespace prism::array_detail
