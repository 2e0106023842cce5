// Folds of elements in memory on OpenCL's processors: kernels in the order of chunks.hpp, one for each
// operation, so that the driver builds small kernels. Each file chunk_folds_*.cpp instantiates some.
#pragma once

#include "kernels/array/chunks.hpp"

#include <sycl/sycl.hpp>

namespace prism::array_detail {

template <typename T, fold_op op>
class chunk_fold_kernel;
template <typename T>
class chunk_extreme_kernel;

/// Submits a kernel that calls run(program, first, last) for units of the fold `p`, and then, if it is in
/// parts, for those of the fold of its parts.
template <typename Name, typename T, typename Run>
sycl::event for_units(sycl::queue& queue, program* p, const program& host, const Run& run) {
  constexpr int chunk = chunk_of(sizeof(T));
  const std::int64_t units = unit_count<chunk>(host), items = shares_of(host, units),
                     share = (units + items - 1) / items;
  return queue.parallel_for<Name>(sycl::nd_range<1>(std::size_t(items), 1),
                                  [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
    const program* now = p;
    std::int64_t first = std::int64_t(item.get_group(0)) * share, last = sycl::min(first + share, units);
    for (;;) { // one call, so that the driver builds its code once
      run(*now, first, last);
      if (!now->rest || !ends_last(*p, items)) break;
      now = now->rest;
      first = 0, last = unit_count<chunk>(*now);
    }
  });
}

/// The combination with NaN's branches in each step: LLVM 15 makes slower code of the check for NaN behind
/// extremes (largest of 10^6 numbers of axis 0: 563 µs instead of 441).
template <typename T, fold_op op>
struct careful : combination<T, op> {
  static constexpr bool leaves_nan_out = false;
  PRISM_ARRAY_INLINED static T quick(T a, T b) { return combination<T, op>::exact(a, b); }
};

/// Of several instructions: folding four elements in one iteration costs more than it saves.
template <typename Combination>
inline constexpr bool combination_is_long = Combination::is_minimum || Combination::is_maximum;

/// The units [first, last), as run_units() computes them; store(number, values, count) takes results and
/// parts.
template <typename T, typename Combination, typename Store>
inline void fold_units(const T* elements, const fold_layout& f, std::int64_t size, std::int64_t first,
                       std::int64_t last, Combination c, const Store& store) {
  constexpr int chunk = chunk_of(sizeof(T));
  T kept[chunk], lane[lanes_of<T>];
  const unit_form form = fold_form<chunk>(f);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(f, size, unit, form);
    const T* const from = elements + s.first;
    int used = s.count;
    if (form == unit_form::columns) {
      for (int i = 0; i < used; ++i) kept[i] = from[i];
      if (combination_is_long<Combination>)
        for (std::int64_t k = 1; k < s.chunks; ++k) fold_places(from + k * s.advance, 0, 1, used, kept, c);
      else fold_places(from + s.advance, s.advance, s.chunks - 1, used, kept, c);
    } else if (form == unit_form::rows && f.elements < lanes_of<T>) {
      used /= int(f.elements);
      fold_short_rows(from, f.elements, used, kept, c);
    } else {
      const bool is_rows = form == unit_form::rows;
      const int lines = is_rows ? s.count / int(f.elements) : int(s.chunks);
      for (int r = 0; r < lines; ++r) {
        const int count = is_rows ? int(f.elements) : r + 1 < lines ? chunk : s.last;
        const int filled = fold_lanes(from + std::int64_t(r) * (is_rows ? count : chunk), count, lane, c);
        if (is_rows) kept[r] = join_lanes(lane, filled, c);
        else if (r > 0) add_lanes(kept, lane, filled, c);
        else {
          for (int i = 0; i < filled; ++i) kept[i] = lane[i];
          used = filled;
        }
      }
      if (!is_rows) join_lanes(kept, used, c);
      used = is_rows ? lines : 1;
    }
    store(s.result, kept, used);
  }
}

template <typename T, fold_op op>
sycl::event fold_chunks(sycl::queue& queue, program* p, const program& host) {
  return for_units<chunk_fold_kernel<T, op>, T>(
      queue, p, host, [](const program& now, std::int64_t first, std::int64_t last) {
    fold_units(
        reinterpret_cast<const T*>(now.leaf[0].data), now.folded, now.size, first, last, careful<T, op>(),
        [&](std::int64_t at, const T* values, int count) { store_numbers(now.result, at, values, count); });
  });
}

template <typename T>
sycl::event launch_chunk_fold(sycl::queue& queue, program* p, const program& host) {
  switch (host.fold) {
    case fold_op::product: return fold_chunks<T, fold_op::product>(queue, p, host);
    case fold_op::any: return fold_chunks<T, fold_op::any>(queue, p, host);
    case fold_op::all: return fold_chunks<T, fold_op::all>(queue, p, host);
    default: break;
  }
  if constexpr (!functions<T>::is_complex) {
    if (host.fold == fold_op::minimum) return fold_chunks<T, fold_op::minimum>(queue, p, host);
    if (host.fold == fold_op::maximum) return fold_chunks<T, fold_op::maximum>(queue, p, host);
  }
  return fold_chunks<T, fold_op::sum>(queue, p, host);
}

/// The chunks of elements in memory.
template <typename T>
struct stored_chunks {
  static void begin(const program&) {}
  static const T* in_memory(const program&) { return nullptr; }
  static const T* run(const program& p, std::int64_t begin, int) {
    return reinterpret_cast<const T*>(p.leaf[0].data) + begin;
  }
  static void prefetch(const program&, std::int64_t, int) {}
};

template <typename T>
sycl::event launch_chunk_extreme(sycl::queue& queue, program* p, const program& host) {
  return for_units<chunk_extreme_kernel<T>, T>(queue, p, host,
                                               [](const program& now, std::int64_t first, std::int64_t last) {
    stored_chunks<T> stored;
    run_units<T, true>(now, stored, first, last);
  });
}

#define PRISM_CHUNK_FOLDS(T)                                                                                 \
  template sycl::event launch_chunk_fold<T>(sycl::queue&, program*, const program&);                         \
  template sycl::event launch_chunk_extreme<T>(sycl::queue&, program*, const program&);

} // namespace prism::array_detail
