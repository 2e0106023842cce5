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

/// Submits a kernel that calls run(first, last) for units of the fold.
template <typename Name, typename T, typename Run>
sycl::event for_units(sycl::queue& queue, const program& p, const Run& run) {
  const std::int64_t units = unit_count<chunk_of(sizeof(T))>(p), items = shares_of(p, units),
                     share = (units + items - 1) / items;
  return queue.parallel_for<Name>(sycl::nd_range<1>(std::size_t(items), 1),
                                  [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
    const std::int64_t first = std::int64_t(item.get_group(0)) * share;
    run(first, sycl::min(first + share, units));
  });
}

template <typename T, fold_op op>
sycl::event fold_chunks(sycl::queue& queue, const T* elements, const program& p) {
  const fold_layout f = p.folded;
  const program_array to = p.result;
  const std::int64_t size = p.size;
  return for_units<chunk_fold_kernel<T, op>, T>(queue, p, [=](std::int64_t first, std::int64_t last) {
    dispatch_fold<T>(op, [&](auto combine) {
      fold_units(elements, f, size, first, last, folds_in_fours(op), combine,
                 [&](std::int64_t at, T value) { store_number(to, at, value); });
    });
  });
}

template <typename T>
sycl::event launch_chunk_fold(sycl::queue& queue, const T* elements, const program& p) {
  switch (p.fold) {
    case fold_op::product: return fold_chunks<T, fold_op::product>(queue, elements, p);
    case fold_op::any: return fold_chunks<T, fold_op::any>(queue, elements, p);
    case fold_op::all: return fold_chunks<T, fold_op::all>(queue, elements, p);
    default: break;
  }
  if constexpr (!functions<T>::is_complex) {
    if (p.fold == fold_op::minimum) return fold_chunks<T, fold_op::minimum>(queue, elements, p);
    if (p.fold == fold_op::maximum) return fold_chunks<T, fold_op::maximum>(queue, elements, p);
  }
  return fold_chunks<T, fold_op::sum>(queue, elements, p);
}

/// The chunks of elements in memory.
template <typename T>
struct stored_chunks {
  static void begin(const program&) {}
  static const T* run(const program& p, std::int64_t begin, int) {
    return reinterpret_cast<const T*>(p.leaf[0].data) + begin;
  }
  static void prefetch(const program&, std::int64_t, int) {}
};

template <typename T>
sycl::event launch_chunk_extreme(sycl::queue& queue, const program* p, const program& host) {
  return for_units<chunk_extreme_kernel<T>, T>(queue, host, [=](std::int64_t first, std::int64_t last) {
    stored_chunks<T> stored;
    run_units<T, true>(*p, stored, first, last);
  });
}

#define PRISM_CHUNK_FOLDS(T)                                                                                 \
  template sycl::event launch_chunk_fold<T>(sycl::queue&, const T*, const program&);                         \
  template sycl::event launch_chunk_extreme<T>(sycl::queue&, const program*, const program&);

} // namespace prism::array_detail
