// The kernel that runs a program element by element (run_method), for one arithmetic: a work-item computes
// one element, or one part of a result. Each file run_device_*.cpp instantiates it for some arithmetics.
// Neighbouring work-items compute neighbouring columns or parts, so they read adjacent memory.
#pragma once

#include "kernels/array/chunk_order.hpp"
#include "kernels/array/part_folds.hpp"
#include "kernels/array/unit_share.hpp"

namespace prism::array_detail {

template <typename T, bool with_functions>
inline T element_of(const program& p, std::int64_t i) {
  T value[name_count];
  for (int k = 0; k < p.leaves; ++k)
    with_type<T>(p.leaf[k].type, [&](auto element) {
      using E = decltype(element);
      value[first_leaf + k] =
          converted<T>(reinterpret_cast<const E*>(p.leaf[k].data)[offset_of(p, p.leaf[k], i)]);
    });
  for (int k = 0; k < p.constants; ++k) value[first_constant + k] = constant_of<T>(p, k);
  for (int s = 0; s < p.steps; ++s) {
    const step now = p.list[s];
    const T a = value[now.a], b = value[now.b], c = value[now.c];
    T made{};
    dispatch<T, with_functions>(now.op, [&](auto function) { made = function(a, b, c); });
    value[now.to] = made;
  }
  return value[p.root];
}

template <typename T, bool with_functions>
class device_kernel;
template <typename T, bool with_functions>
class device_fold_kernel;
template <typename T, bool with_functions>
class device_chunk_fold_kernel;

template <typename T, bool with_functions>
sycl::event submit_elements(sycl::queue& queue, const program* p, const program& host) {
  return queue.parallel_for<device_kernel<T, with_functions>>(sycl::range<1>(std::size_t(host.size)),
                                                              [=](sycl::id<1> id) {
    const auto item = std::int64_t(id[0]);
    store_value(p->result, offset_of(*p, p->result, item), element_of<T, with_functions>(*p, item));
  });
}

/// Not for processors through OpenCL, which fold in chunks.
template <typename T, bool with_functions>
sycl::event submit_folds(sycl::queue& queue, const program* p, const program& host) {
  const std::int64_t items = host.folded.results * host.folded.parts;
  return queue.parallel_for<device_fold_kernel<T, with_functions>>(sycl::range<1>(std::size_t(items)),
                                                                   [=](sycl::id<1> id) {
    const fold_layout& f = p->folded;
    const fold_op op = p->fold;
    const item_elements of = elements_of(f, std::int64_t(id[0]));
    const std::int64_t count = of.count();
    folded_value<T> total{};
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t i = of.first + k * of.apart;
      const folded_value<T> made{element_of<T, with_functions>(*p, i),
                                 f.given_positions ? f.given_positions[i] : of.begin + k * of.step};
      total = k == 0 ? made : better_of(op, total, made);
    }
    end_part(op, *p, of, total);
  });
}

/// In the order of chunks.hpp.
template <typename T, bool with_functions>
sycl::event submit_chunk_folds(sycl::queue& queue, program* p, const program& host) {
  constexpr std::int64_t elements_of_item = 1024; // an interpreted element takes tens of nanoseconds
  const unit_share<chunk_of(sizeof(T))> share(host, elements_of_item);
  return queue.parallel_for<device_chunk_fold_kernel<T, with_functions>>(
      sycl::nd_range<1>(std::size_t(share.items), 1),
      [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
    share.run(p, std::int64_t(item.get_group(0)),
              [](const program& now, std::int64_t first, std::int64_t last) {
      const std::int64_t* const given = now.folded.given_positions;
      fold_units_in_order<T>(now, first, last, [&](std::int64_t i, std::int64_t position) {
        return folded_value<T>{element_of<T, with_functions>(now, i), given ? given[i] : position};
      });
    });
  });
}

/// `in_chunks`: folds are in the order of chunks.hpp. Of complex numbers, programs without functions only
/// (has_only_pieces).
template <typename T>
sycl::event launch_on_device(sycl::queue& queue, program* p, const program& host, bool in_chunks) {
  const auto submit = [&]<bool with_functions>(std::bool_constant<with_functions>) {
    if (host.fold == fold_op::none) return submit_elements<T, with_functions>(queue, p, host);
    return in_chunks ? submit_chunk_folds<T, with_functions>(queue, p, host)
                     : submit_folds<T, with_functions>(queue, p, host);
  };
  if constexpr (!functions<T>::is_complex)
    if (has_functions(host)) return submit(std::true_type());
  return submit(std::false_type());
}

} // namespace prism::array_detail
