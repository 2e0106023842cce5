// Expressions with their fold in one launch on processors through OpenCL, in the order of chunks.hpp. Each
// file chunk_expressions_*.cpp instantiates some.
#pragma once

#include "kernels/array/chunk_folds.hpp"
#include "kernels/array/computed_elements.hpp"
#include "kernels/array/pieces.hpp"

namespace prism::array_detail {

template <typename T, fold_op op>
class computed_chunks_kernel;

/// Chunks of elements that are computed, or of partial values in memory.
template <typename T>
struct computed_chunks {
  using rows = inline_rows;
  T values[chunk_of(sizeof(T))];

  static void begin(const program&) {}
  static const T* in_memory(const program&) { return nullptr; }
  static void prefetch(const program&, std::int64_t, int) {}
  const T* run(const program& p, std::int64_t begin, int count) {
    if (p.leaves > 0) return reinterpret_cast<const T*>(p.leaf[0].data) + begin;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) values[i] = computed_element<T>(begin + i);
    return values;
  }
};

template <typename T, fold_op op>
void record_chunks(sycl::queue& queue, sycl::buffer<T>& elements, program* p, const program& host) {
  const unit_share<chunk_of(sizeof(T))> share(host);
  queue.submit([&](sycl::handler& h) {
    prism::detail::require_elements(elements, h);
    h.parallel_for<computed_chunks_kernel<T, op>>(sycl::nd_range<1>(std::size_t(share.items), 1),
                                                  [=](sycl::nd_item<1> item)
                                                      [[sycl::reqd_work_group_size(1)]] {
      share.run(p, std::int64_t(item.get_group(0)),
                [](const program& now, std::int64_t first, std::int64_t last) {
        computed_chunks<T> chunks;
        run_units<T, (op >= fold_op::first_minimum), op>(now, chunks, first, last);
      });
    });
  });
}

template <typename T>
void record_chunk_fold(sycl::queue& queue, sycl::buffer<T>& elements, program* p, const program& host) {
  with_fold<T>(host.fold, [&]<fold_op op>() { record_chunks<T, op>(queue, elements, p, host); });
}

#define PRISM_CHUNK_EXPRESSIONS(T)                                                                           \
  template void record_chunk_fold<T>(sycl::queue&, sycl::buffer<T>&, program*, const program&);

} // namespace prism::array_detail
