// Folds of elements in memory on OpenCL's processors: kernels in the order of chunks.hpp, of lines and of
// columns, one for each operation, so that the driver builds small kernels. Each file chunk_folds_*.cpp
// instantiates some.
#pragma once

#include "kernels/array/line_folds.hpp"
#include "kernels/array/unit_share.hpp"

#include <sycl/sycl.hpp>

namespace prism::array_detail {

template <typename E, typename T, fold_op op>
class line_fold_kernel;
template <typename E, typename T, fold_op op>
class line_extreme_kernel;
template <typename T, fold_op op>
class column_fold_kernel;
template <typename T>
class column_extreme_kernel;

/// Submits a kernel that calls run(program, first, last) for units of the fold `p`, and then, if it is in
/// parts, for those of the fold of its parts.
template <typename Name, typename T, typename Run>
sycl::event for_units(sycl::queue& queue, program* p, const program& host, const Run& run) {
  constexpr int chunk = chunk_of(sizeof(T));
  const unit_share<chunk> share(host);
  return queue.parallel_for<Name>(sycl::nd_range<1>(std::size_t(share.items), 1),
                                  [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
    share.run(p, std::int64_t(item.get_group(0)), run);
  });
}

/// Folds rows that lie `advance` apart into the values of their places. Of combinations that leave NaN out,
/// the sums of the elements show whether there is one, as in fold_rows().
template <typename T, typename Combination>
inline void fold_rows_of_columns(const T* from, std::int64_t advance, std::int64_t rows, int count, T* kept,
                                 Combination c) {
  T sum[Combination::leaves_nan_out ? chunk_of(sizeof(T)) : 1];
  for (int i = 0; i < count; ++i) {
    kept[i] = from[i];
    if constexpr (Combination::leaves_nan_out) sum[i] = from[i];
  }
  std::int64_t k = 1;
  for (; k + 4 <= rows; k += 4) { // the values are loaded and stored less often
    const T *a = from + k * advance, *b = a + advance, *d = b + advance, *e = d + advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) {
      kept[i] = c.quick(c.quick(c.quick(c.quick(kept[i], a[i]), b[i]), d[i]), e[i]);
      if constexpr (Combination::leaves_nan_out) sum[i] += (a[i] + b[i]) + (d[i] + e[i]);
    }
  }
  for (; k < rows; ++k) {
    const T* const a = from + k * advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) {
      kept[i] = c.quick(kept[i], a[i]);
      if constexpr (Combination::leaves_nan_out) sum[i] += a[i];
    }
  }
  if constexpr (Combination::leaves_nan_out) {
    flags_of<T> found = 0;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) found |= -flags_of<T>(sum[i] != sum[i]);
    if (found != 0) put_nan(from, advance, rows, count, kept);
  }
}

/// The units [first, last) of columns, as run_units() computes them.
template <typename T, typename Combination>
inline void fold_columns(const T* elements, const program& p, std::int64_t first, std::int64_t last,
                         Combination c) {
  constexpr int chunk = chunk_of(sizeof(T));
  T kept[chunk];
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, unit_form::columns);
    fold_rows_of_columns(elements + s.first, s.advance, s.chunks, s.count, kept, c);
    store_numbers(p.result, s.result, kept, s.count);
  }
}

template <typename T>
const T* elements_in(const program& p) {
  return reinterpret_cast<const T*>(p.leaf[0].data);
}

/// The values of narrower elements' parts.
template <typename T, typename Combination>
inline void fold_parts(const program& p, std::int64_t first, std::int64_t last, Combination c) {
  constexpr int chunk = chunk_of(sizeof(T));
  T kept[chunk];
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, unit_form::rows);
    const int rows = s.count / int(p.folded.elements);
    fold_short_rows<false>(elements_in<T>(p) + s.first, p.folded.elements, rows, kept, nullptr, c);
    store_numbers(p.result, s.result, kept, rows);
  }
}

template <typename E, typename T, fold_op op>
sycl::event fold_elements(sycl::queue& queue, program* p, const program& host) {
  if constexpr (std::is_same_v<E, T>)
    if (host.folded.inner > 1)
      return for_units<column_fold_kernel<T, op>, T>(
          queue, p, host, [](const program& now, std::int64_t first, std::int64_t last) {
        fold_columns(elements_in<T>(now), now, first, last, combination<T, op>());
      });
  return for_units<line_fold_kernel<E, T, op>, T>(
      queue, p, host, [](const program& now, std::int64_t first, std::int64_t last) {
    constexpr int chunk = chunk_of(sizeof(T));
    if constexpr (!std::is_same_v<E, T>)
      if (now.leaf[0].type == std::int32_t(type_of_arithmetic<T>))
        return fold_parts<T>(now, first, last, combination<T, op>());
    fold_lines<chunk, false>(elements_in<E>(now), now, first, last, combination<E, op>());
  });
}

template <typename T>
sycl::event launch_chunk_fold(sycl::queue& queue, program* p, const program& host) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto is = [&](dtype type, fold_op op) {
      return host.leaf[0].type == std::int32_t(type) && host.fold == op;
    };
    using word = std::int32_t;
    using byte = std::uint8_t;
    if (is(dtype::int32, fold_op::minimum)) return fold_elements<word, T, fold_op::minimum>(queue, p, host);
    if (is(dtype::int32, fold_op::maximum)) return fold_elements<word, T, fold_op::maximum>(queue, p, host);
    if (is(dtype::int32, fold_op::any)) return fold_elements<word, T, fold_op::any>(queue, p, host);
    if (is(dtype::int32, fold_op::all)) return fold_elements<word, T, fold_op::all>(queue, p, host);
    if (is(dtype::boolean, fold_op::any)) return fold_elements<byte, T, fold_op::any>(queue, p, host);
    if (is(dtype::boolean, fold_op::all)) return fold_elements<byte, T, fold_op::all>(queue, p, host);
  }
  switch (host.fold) {
    case fold_op::product: return fold_elements<T, T, fold_op::product>(queue, p, host);
    case fold_op::any: return fold_elements<T, T, fold_op::any>(queue, p, host);
    case fold_op::all: return fold_elements<T, T, fold_op::all>(queue, p, host);
    default: break;
  }
  if constexpr (!functions<T>::is_complex) {
    if (host.fold == fold_op::minimum) return fold_elements<T, T, fold_op::minimum>(queue, p, host);
    if (host.fold == fold_op::maximum) return fold_elements<T, T, fold_op::maximum>(queue, p, host);
  }
  return fold_elements<T, T, fold_op::sum>(queue, p, host);
}

/// The chunks of elements in memory.
template <typename T>
struct stored_chunks {
  using rows = inline_rows;
  static void begin(const program&) {}
  static const T* in_memory(const program&) { return nullptr; }
  static const T* run(const program& p, std::int64_t begin, int) {
    return reinterpret_cast<const T*>(p.leaf[0].data) + begin;
  }
  static void prefetch(const program&, std::int64_t, int) {}
};

template <typename E, typename T, fold_op op>
sycl::event find_in_lines(sycl::queue& queue, program* p, const program& host) {
  constexpr fold_op values = op == fold_op::first_minimum ? fold_op::minimum : fold_op::maximum;
  return for_units<line_extreme_kernel<E, T, op>, T>(
      queue, p, host, [](const program& now, std::int64_t first, std::int64_t last) {
    constexpr int chunk = chunk_of(sizeof(T));
    if (!now.folded.given_positions)
      return fold_lines<chunk, true>(elements_in<E>(now), now, first, last, combination<E, values>());
    kept_values<T, chunk, true> kept;
    for (std::int64_t unit = first; unit < last; ++unit) {
      const unit_span s = span_of<chunk>(now.folded, now.size, unit, unit_form::rows);
      const int elements = int(now.folded.elements);
      kept.take_given(now, s, elements_in<T>(now) + s.first, elements, s.count / elements);
      kept.store(now, s);
    }
  });
}

template <typename T>
sycl::event launch_chunk_extreme(sycl::queue& queue, program* p, const program& host) {
  if constexpr (!functions<T>::is_complex) {
    const bool of_least = host.fold == fold_op::first_minimum;
    if (host.folded.inner == 1) {
      if constexpr (std::is_same_v<T, std::int64_t>)
        if (host.leaf[0].type == std::int32_t(dtype::int32))
          return of_least ? find_in_lines<std::int32_t, T, fold_op::first_minimum>(queue, p, host)
                          : find_in_lines<std::int32_t, T, fold_op::first_maximum>(queue, p, host);
      return of_least ? find_in_lines<T, T, fold_op::first_minimum>(queue, p, host)
                      : find_in_lines<T, T, fold_op::first_maximum>(queue, p, host);
    }
  }
  return for_units<column_extreme_kernel<T>, T>(
      queue, p, host, [](const program& now, std::int64_t first, std::int64_t last) {
    stored_chunks<T> stored;
    run_units<T, true>(now, stored, first, last);
  });
}

#define PRISM_CHUNK_FOLDS(T)                                                                                 \
  template sycl::event launch_chunk_fold<T>(sycl::queue&, program*, const program&);                         \
  template sycl::event launch_chunk_extreme<T>(sycl::queue&, program*, const program&);

} // namespace prism::array_detail
