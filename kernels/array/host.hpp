// Runs a program on the host device in chunks (chunks.hpp), for one arithmetic. Each file run_host_*.cpp
// instantiates it for some arithmetics. An ordinary C++ compiler compiles these files, once for each
// instruction set (PRISM_HOST_ISA). They do not need prism++, because their loops over elements vectorise as
// they are. Contraction is off, so that all instruction sets compute the same bits.
//
// A small program runs on the calling thread, if the device has no work: a launch costs more than such a
// program.
#pragma once

#include "kernels/array/chunks.hpp"
#include "kernels/array/flat_steps.hpp"
#include "kernels/array/function_loops.hpp"
#include "kernels/array/host_rows.hpp"
#include "kernels/array/own_copies.hpp"
#include "kernels/array/passes.hpp"
#include "kernels/array/transposed_rows.hpp"

#include <sycl/detail/direct.hpp>
#include <sycl/sycl.hpp>

namespace prism::array_detail {

template <typename T>
PRISM_ARRAY_INLINE void run_step(step_op op, const T* a, const T* b, const T* c, T* to, int count) {
  if constexpr (std::is_floating_point_v<T>)
    if (is_function(op) && run_vector_function(op, a, b, to, count)) return;
  if constexpr (functions<T>::is_complex)
    if (op == step_op::abs && run_sizes(a, to, count)) return;
  dispatch<T, true>(op, [=](auto function) PRISM_ARRAY_INLINED {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) to[i] = function(a[i], b[i], c[i]);
  });
}

/// Runs two steps: to = second(first(a, b), c), or second(c, first(a, b)) if is_second.
template <typename T>
PRISM_ARRAY_INLINE void run_pair(step_op first, step_op second, bool is_second, const T* a, const T* b,
                                 const T* c, T* to, int count) {
  dispatch_paired<T>(first, [=](auto inner) PRISM_ARRAY_INLINED {
    dispatch_paired<T>(second, [=](auto outer) PRISM_ARRAY_INLINED {
      if (is_second) {
        PRISM_ARRAY_VECTORS
        for (int i = 0; i < count; ++i) to[i] = outer(c[i], inner(a[i], b[i]));
      } else {
        PRISM_ARRAY_VECTORS
        for (int i = 0; i < count; ++i) to[i] = outer(inner(a[i], b[i]), c[i]);
      }
    });
  });
}

/// Quotients, rounded down, or remainders by one number above 1, without a division: a product has all bits
/// of the quotient. Source: Granlund, Montgomery, "Division by invariant integers using multiplication", PLDI
/// 1994.
inline void run_division(bool is_remainder, const std::int64_t* a, std::int64_t by, std::int64_t* to,
                         int count) {
  using wide = unsigned __int128;
  int bits = 1;
  while (bits < 63 && std::int64_t(1) << bits < by) ++bits; // by <= 2^bits
  const auto divisor = std::uint64_t(by);
  const auto factor = std::uint64_t(((wide(1) << (63 + bits)) + divisor - 1) / divisor);
  for (int i = 0; i < count; ++i) {
    const auto sign = std::uint64_t(a[i] >> 63), size = std::uint64_t(a[i]) ^ sign; // below 2^63
    const std::uint64_t quotient = (std::uint64_t(wide(size) * factor >> 64) >> (bits - 1)) ^ sign;
    to[i] = std::int64_t(is_remainder ? std::uint64_t(a[i]) - quotient * divisor : quotient);
  }
}

/// The sum of the last step's values, place by place: kept[i] += op(a[i], b[i]).
template <typename T>
PRISM_ARRAY_INLINE void sum_places(step_op op, const T* a, const T* b, int count, T* kept) {
  dispatch_paired<T>(op, [=](auto function) PRISM_ARRAY_INLINED {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) kept[i] = kept[i] + function(a[i], b[i]);
  });
}

/// The same into lanes, of lanes_of<T> elements or more, in the order of fold_rows().
template <typename T>
PRISM_ARRAY_INLINE void sum_rows(step_op op, const T* a, const T* b, int count, T* lane) {
  dispatch_paired<T>(op, [=](auto function) PRISM_ARRAY_INLINED {
    constexpr int lanes = lanes_of<T>;
    T kept[lanes];
    for (int i = 0; i < lanes; ++i) kept[i] = function(a[i], b[i]);
    int k = lanes;
    for (; k + lanes <= count; k += lanes) {
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < lanes; ++i) kept[i] = kept[i] + function(a[k + i], b[k + i]);
    }
    for (int i = 0; i < lanes; ++i) lane[i] = kept[i];
    for (int i = 0; i < count - k; ++i) lane[i] = lane[i] + function(a[k + i], b[k + i]);
  });
}

/// The same of whole chunks in memory, each of which is folded into lanes, and these into `kept`. The lanes
/// are vectors of the language, which stay in registers.
template <typename T>
PRISM_ARRAY_INLINE void sum_chunks(step_op op, const T* a, const T* b, std::int64_t chunks, T* kept) {
  constexpr int chunk = chunk_of(sizeof(T)), lanes = lanes_of<T>, bytes = 32, width = bytes / int(sizeof(T)),
                vectors = lanes / width;
  typedef T vector __attribute__((vector_size(bytes)));
  dispatch_paired<T>(op, [=](auto function) PRISM_ARRAY_INLINED {
    const auto add = [=](const T* x, const T* y, vector& to) PRISM_ARRAY_INLINED {
      vector made;
      for (int i = 0; i < width; ++i) made[i] = function(x[i], y[i]);
      to += made;
    };
    vector all[vectors];
    for (std::int64_t c = 0; c < chunks; ++c) {
      const T *const x = a + c * chunk, *const y = b + c * chunk;
      vector lane[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v)
        for (int i = 0; i < width; ++i) lane[v][i] = function(x[v * width + i], y[v * width + i]);
      for (int k = lanes; k < chunk; k += lanes) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) add(x + k + v * width, y + k + v * width, lane[v]);
      }
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) all[v] = c == 0 ? lane[v] : all[v] + lane[v];
    }
    __builtin_memcpy(kept, all, sizeof all);
  });
}

/// The sum over `elements` places in memory, a chunk or more, in the order of run_sums(). All of it is one
/// function: 128 times 250 ns of calls between the last loads of a part and the first of the next were a
/// tenth of the sum of 10^6 squares.
template <typename T>
PRISM_ARRAY_INLINE T sum_line(step_op op, const T* a, const T* b, std::int64_t elements) {
  constexpr int chunk = chunk_of(sizeof(T)), lanes = lanes_of<T>;
  using sum = combination<T, fold_op::sum>;
  T kept[lanes], lane[lanes];
  const std::int64_t chunks = elements / chunk, at = chunks * chunk;
  const int rest = int(elements - at);
  sum_chunks(op, a, b, chunks, kept);
  if (rest >= lanes) {
    sum_rows(op, a + at, b + at, rest, lane);
    add_lanes(kept, lane, lanes, sum());
  } else {
    sum_places(op, a + at, b + at, rest, kept);
  }
  return join_lanes(kept, lanes, sum());
}

/// Defines the parts of a chunk's computation for one instruction set. They are functions of their own:
/// several passes of gcc take time with the square of a function's size. A chunk takes much more time than
/// their calls.
#define PRISM_ARRAY_PARTS(name, instructions)                                                                \
  template <typename T>                                                                                      \
  struct name {                                                                                              \
    instructions __attribute__((noinline)) static void load(const program& p, const program_array& array,    \
                                                            std::int64_t begin, int count, T* to) {          \
      load_chunk<T>(p, array, begin, count, to);                                                             \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void load_rows(const T* from, std::int64_t stride,         \
                                                                 int rows, int count, T* to, int advance) {  \
      if constexpr (std::is_arithmetic_v<T>) load_transposed(from, stride, rows, count, to, advance);        \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void sum_lines(const T* from, std::int64_t stride,         \
                                                                 std::int64_t elements, int count, T* sum) { \
      if constexpr (std::is_arithmetic_v<T>) sum_transposed(from, stride, elements, count, sum);             \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void step(step_op op, const T* a, const T* b, const T* c,  \
                                                            T* to, int count) {                              \
      run_step(op, a, b, c, to, count);                                                                      \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void pair(step_op first, step_op second, bool is_second,   \
                                                            const T* a, const T* b, const T* c, T* to,       \
                                                            int count) {                                     \
      run_pair(first, second, is_second, a, b, c, to, count);                                                \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void sum_at(step_op op, const T* a, const T* b, int count, \
                                                              T* kept) {                                     \
      sum_places(op, a, b, count, kept);                                                                     \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void sum_in_lanes(step_op op, const T* a, const T* b,      \
                                                                    int count, T* lane) {                    \
      sum_rows(op, a, b, count, lane);                                                                       \
    }                                                                                                        \
    instructions __attribute__((noinline)) static T sum_all(step_op op, const T* a, const T* b,              \
                                                            std::int64_t elements) {                         \
      if constexpr (std::is_floating_point_v<T>) return sum_line(op, a, b, elements);                        \
      else return T{};                                                                                       \
    }                                                                                                        \
    instructions __attribute__((noinline)) static void store(const program& p, std::int64_t begin,           \
                                                             int count, const T* from) {                     \
      store_chunk<T>(p, begin, count, from);                                                                 \
    }                                                                                                        \
  };

PRISM_ARRAY_PARTS(baseline_parts, )
#ifdef __x86_64__
PRISM_ARRAY_PARTS(v3_parts, __attribute__((target("avx2"))))
PRISM_ARRAY_PARTS(v4_parts, __attribute__((target(PRISM_ARRAY_AVX512))))
#endif
#undef PRISM_ARRAY_PARTS

/// Runs chunks by the parts of an instruction set; steps read whole leaves of the arithmetic's type where
/// they are.
template <typename T, typename Parts>
struct direct_chunks {
  static constexpr int chunk = chunk_of(sizeof(T));
  using rows = rows_here;
  T place[name_count][chunk]; // of every name
  pass passes[max_steps];
  int pass_count = 0;
  const T* value[name_count];     // of the chunk
  T tile[transposed_rows][chunk]; // rows of the transposed leaf, if there is one, from this element on
  std::int64_t tile_begin = 0;
  int transposed = -1, tile_rows = 0;

  PRISM_ARRAY_INLINE void begin(const program& p) {
    fill_constants<T, chunk>(p, place);
    transposed = transposed_leaf(p);
    if constexpr (std::is_floating_point_v<T>) pass_count = find_passes(p, passes);
  }
  /// The first leaf that is a transposed matrix, of whose columns a fold adds the rows; -1: none is.
  static int transposed_leaf(const program& p) {
    if (!std::is_arithmetic_v<T> || form_of<chunk>(p) != unit_form::columns || p.rank != 2) return -1;
    for (int k = 0; k < p.leaves; ++k) {
      const program_array& leaf = p.leaf[k];
      const bool is_own = leaf.type == std::int32_t(type_of_arithmetic<T>);
      if (is_own && leaf.strides[0] == 1 && leaf.strides[1] != 1 && leaf.strides[1] != 0) return k;
    }
    return -1;
  }
  /// The row of the transposed leaf that begins at this element.
  PRISM_ARRAY_INLINE const T* transposed_row(const program& p, std::int64_t begin, int count) {
    const program_array& leaf = p.leaf[transposed];
    const std::int64_t columns = p.extent[1], after = (begin - tile_begin) / columns;
    if (begin < tile_begin || tile_begin + after * columns != begin || after >= tile_rows) {
      const std::int64_t row = begin / columns, left = p.extent[0] - row;
      tile_begin = begin;
      tile_rows = int(std::min<std::int64_t>(transposed_rows, left));
      const T* const from = reinterpret_cast<const T*>(leaf.data) + row;
      Parts::load_rows(from + begin % columns * leaf.strides[1], leaf.strides[1], tile_rows, count, tile[0],
                       chunk);
      return tile[0];
    }
    return tile[after];
  }
  /// Leaves the last step out, if its values are only summed; run_sums() takes its operands then.
  PRISM_ARRAY_INLINE bool leaves_last_step(const program& p) {
    const bool leaves = sums_last_step(p, passes, pass_count);
    if (leaves) --pass_count, value[p.root] = nullptr;
    return leaves;
  }
  /// The elements of a leaf that steps read where they are; null for other names.
  static const T* direct_elements(const program& p, int name) {
    const bool is_leaf = name >= first_leaf && name < first_constant;
    return is_leaf && is_direct(p.leaf[name - first_leaf])
               ? reinterpret_cast<const T*>(p.leaf[name - first_leaf].data)
               : nullptr;
  }
  static const T* in_memory(const program& p) {
    return has_plain_elements(p, type_of_arithmetic<T>) ? reinterpret_cast<const T*>(p.leaf[0].data)
                                                        : nullptr;
  }

  PRISM_ARRAY_INLINE static bool is_direct(const program_array& array) {
    return array.is_flat && array.type == std::int32_t(type_of_arithmetic<T>);
  }

  /// Computes the elements [begin, begin + count), and stores them if the program does. Returns them.
  PRISM_ARRAY_INLINE const T* run(const program& p, std::int64_t begin, int count) {
    for (int k = 0; k < p.leaves; ++k) {
      const program_array& array = p.leaf[k];
      T* own = place[first_leaf + k];
      if (is_direct(array)) value[first_leaf + k] = reinterpret_cast<const T*>(array.data) + begin;
      else if (k == transposed) value[first_leaf + k] = transposed_row(p, begin, count);
      else {
        Parts::load(p, array, begin, count, own);
        value[first_leaf + k] = own;
      }
    }
    for (int k = 0; k < p.constants; ++k) value[first_constant + k] = place[first_constant + k];
    const bool stores_last = p.fold == fold_op::none && p.root < max_registers && is_direct(p.result);
    // The step's result: its place, or the program's result.
    const auto place_of = [&](int s) {
      const bool is_result = stores_last && s + 1 == p.steps;
      T* const to = is_result ? reinterpret_cast<T*>(p.result.data) + begin : place[p.list[s].to];
      value[p.list[s].to] = to;
      return to;
    };
    const auto run_one = [&](int s) {
      const step& now = p.list[s];
      const T *a = value[now.a], *b = value[now.b], *c = value[now.c];
      if constexpr (std::is_same_v<T, std::int64_t>) {
        const bool divides = now.op == step_op::floor_divide || now.op == step_op::remainder;
        if (divides && now.b >= first_constant && *b > 1)
          return run_division(now.op == step_op::remainder, a, *b, place_of(s), count);
      }
      Parts::step(now.op, a, b, c, place_of(s), count);
    };
    if constexpr (std::is_floating_point_v<T>) {
      for (int k = 0; k < pass_count; ++k) {
        const int s = passes[k].step;
        if (!passes[k].is_pair) {
          run_one(s);
          continue;
        }
        const step &first = p.list[s], &second = p.list[s + 1];
        const T *a = value[first.a], *b = value[first.b];
        const T* c = value[passes[k].is_second ? second.a : second.b];
        Parts::pair(first.op, second.op, passes[k].is_second, a, b, c, place_of(s + 1), count);
      }
    } else {
      for (int s = 0; s < p.steps; ++s) run_one(s);
    }
    if (p.fold == fold_op::none && !stores_last) Parts::store(p, begin, count, value[p.root]);
    return value[p.root];
  }

  /// Before a chunk that is not the continuation of the last one, which the processor cannot foresee.
  PRISM_ARRAY_INLINE static void prefetch(const program& p, std::int64_t begin, int count) {
    constexpr int line = int(64 / sizeof(T)) > 0 ? int(64 / sizeof(T)) : 1;
    for (int k = 0; k < p.leaves; ++k) {
      if (!is_direct(p.leaf[k])) continue;
      const T* const data = reinterpret_cast<const T*>(p.leaf[k].data) + begin;
      PRISM_ARRAY_SCALARS
      for (int i = 0; i < count; i += line) __builtin_prefetch(data + i);
    }
  }
};

/// The units [first, last) of a sum, in the order of run_units(), by a runner that leaves the last step out.
template <typename T, typename Parts>
PRISM_ARRAY_INLINE void run_sums(const program& p, direct_chunks<T, Parts>& runner, unit_form form,
                                 std::int64_t first, std::int64_t last) {
  constexpr int chunk = chunk_of(sizeof(T));
  const step& summed = p.list[p.steps - 1];
  kept_values<T, chunk, false, fold_op::sum> kept;
  T lane[lanes_of<T>];
  const T *const whole_a = runner.direct_elements(p, summed.a), *const whole_b =
                                                                    runner.direct_elements(p, summed.b);
  const bool is_direct = form == unit_form::part && p.steps == 1 && whole_a && whole_b;
  const bool is_plain = p.result.type == std::int32_t(type_of_arithmetic<T>);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, form);
    if (is_direct && s.chunks > 1) {
      const std::int64_t elements = (s.chunks - 1) * chunk + s.last;
      kept.value[0] = Parts::sum_all(summed.op, whole_a + s.first, whole_b + s.first, elements);
      kept.used = 1;
      if (is_plain) reinterpret_cast<T*>(p.result.data)[s.result] = kept.value[0];
      else kept.store(p, s);
      continue;
    }
    for (std::int64_t k = 0; k < s.chunks; ++k) {
      const int count = k + 1 < s.chunks ? s.count : s.last;
      if (form == unit_form::columns && k + 1 < s.chunks && s.advance != s.count)
        runner.prefetch(p, s.first + (k + 1) * s.advance, s.count);
      runner.run(p, s.first + k * s.advance, count);
      const T *const a = runner.value[summed.a], *const b = runner.value[summed.b];
      const bool is_short = form == unit_form::part && count < lanes_of<T>;
      T* const to = k == 0 || form == unit_form::columns ? kept.value : lane;
      if (is_short || (k == 0 && form == unit_form::columns)) Parts::step(summed.op, a, b, a, to, count);
      else if (form == unit_form::columns) Parts::sum_at(summed.op, a, b, count, to);
      else Parts::sum_in_lanes(summed.op, a, b, count, to);
      const int used = form == unit_form::columns || is_short ? count : lanes_of<T>;
      if (k == 0) kept.used = used;
      else if (to == lane) add_lanes(kept.value, lane, used, combination<T, fold_op::sum>());
    }
    if (form == unit_form::part) kept.join(p);
    kept.store(p, s);
  }
}

/// The units [first, last) of a sum of the rows of a transposed matrix.
template <typename T, typename Parts>
PRISM_ARRAY_INLINE void run_transposed_sums(const program& p, std::int64_t first, std::int64_t last) {
  constexpr int chunk = chunk_of(sizeof(T));
  const T* const data = reinterpret_cast<const T*>(p.leaf[0].data);
  const std::int64_t columns = p.extent[1], stride = p.leaf[0].strides[1];
  kept_values<T, chunk, false, fold_op::sum> kept;
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, unit_form::columns);
    Parts::sum_lines(data + s.first / columns + s.first % columns * stride, stride, s.chunks, s.count,
                     kept.value);
    kept.used = s.count;
    kept.store(p, s);
  }
}

template <typename T, typename Parts>
PRISM_ARRAY_INLINE void run_chunks(const program& p, std::int64_t first, std::int64_t last) {
  direct_chunks<T, Parts> runner;
  if (p.fold == fold_op::sum && p.steps == 0 && p.root == first_leaf && runner.transposed_leaf(p) == 0)
    return run_transposed_sums<T, Parts>(p, first, last);
  if constexpr (std::is_floating_point_v<T>) {
    const unit_form form = form_of<chunk_of(sizeof(T))>(p);
    if (form == unit_form::part || form == unit_form::columns) {
      runner.begin(p);
      if (runner.leaves_last_step(p)) return run_sums(p, runner, form, first, last);
    }
  }
  run_units<T>(p, runner, first, last);
}

template <typename T>
using unit_runner = void (*)(const program&, std::int64_t, std::int64_t);
template <typename T>
void run_baseline(const program& p, std::int64_t first, std::int64_t last) {
  run_chunks<T, baseline_parts<T>>(p, first, last);
}
#ifdef __x86_64__
template <typename T>
__attribute__((target("avx2"))) void run_v3(const program& p, std::int64_t first, std::int64_t last) {
  run_chunks<T, v3_parts<T>>(p, first, last);
}
template <typename T>
__attribute__((target(PRISM_ARRAY_AVX512))) void run_v4(const program& p, std::int64_t first,
                                                        std::int64_t last) {
  run_chunks<T, v4_parts<T>>(p, first, last);
}
#endif
template <typename T>
void run_flat_units(const program& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t chunk = chunk_of(sizeof(T));
  run_flat_steps(p, type_of_arithmetic<T>, first * chunk, std::min(last * chunk, p.size));
}
template <typename T>
void run_copied_units(const program& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t chunk = chunk_of(sizeof(T));
  copy_elements(p, first * chunk, std::min(last * chunk, p.size));
}
template <typename T>
void run_filled_units(const program& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t chunk = chunk_of(sizeof(T));
  with_type<T>(p.result.type, [&](auto element) {
    using E = decltype(element);
    E* const data = reinterpret_cast<E*>(p.result.data);
    std::fill(data + first * chunk, data + std::min(last * chunk, p.size),
              converted<E>(constant_of<T>(p, p.root - first_constant)));
  });
}
template <typename T>
unit_runner<T> best_runner(const program& p) {
  constexpr dtype own = type_of_arithmetic<T>;
  if (fills_elements(p)) return run_filled_units<T>;
  if (copies_elements(p)) return run_copied_units<T>;
  if (folds_lines(p, own) || folds_narrow_lines(p, own) || folds_narrow_places(p, own))
    return fold_lines_here<T>;
  if (has_flat_steps(p, own)) return run_flat_units<T>;
#ifdef __x86_64__
  if (__prism_host_isa >= 4) return run_v4<T>;
  if (__prism_host_isa >= 3) return run_v3<T>;
#endif
  return run_baseline<T>;
}

template <typename T>
void run_here(const program& p) {
  best_runner<T>(p)(p, 0, unit_count<chunk_of(sizeof(T))>(p));
}

template <typename T>
bool run_directly(const sycl::queue& queue, const program& p, const program* rest) {
  const std::int64_t units = unit_count<chunk_of(sizeof(T))>(p);
  const std::int64_t items = shares_of(p, units), share = (units + items - 1) / items;
  const unit_runner<T> run = best_runner<T>(p);
  const bool ran =
      sycl::detail::run_parts(queue, std::uint64_t(items), [&](std::uint64_t b, std::uint64_t e) {
    const std::int64_t first = std::int64_t(b) * share, last = std::min(std::int64_t(e) * share, units);
    if (first < last) run(p, first, last);
  });
  if (ran && rest) run_here<T>(*rest);
  return ran;
}

template <typename T>
sycl::event launch_on_host(sycl::queue& queue, program* p, const program& host) {
  const std::int64_t units = unit_count<chunk_of(sizeof(T))>(host);
  const std::int64_t items = shares_of(host, units), share = (units + items - 1) / items;
  const unit_runner<T> run = best_runner<T>(host);
  return queue.parallel_for(sycl::nd_range<1>(std::size_t(items), 1), [=](sycl::nd_item<1> item) {
    const std::int64_t first = std::int64_t(item.get_global_id(0)) * share;
    if (first < units) run(*p, first, std::min(first + share, units));
    if (p->rest && ends_last(*p, items)) run_here<T>(*p->rest);
  });
}

#undef PRISM_ARRAY_VECTORS
#undef PRISM_ARRAY_SCALARS
#undef PRISM_ARRAY_ONE

} // namespace prism::array_detail
