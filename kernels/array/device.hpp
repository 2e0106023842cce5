// The kernel that runs a program element by element (run_method), for one arithmetic: a work-item computes
// one element, or one part of a result. Each file run_device_*.cpp instantiates it for some arithmetics.
// Neighbouring work-items compute neighbouring columns or parts, so they read adjacent memory.
#pragma once

#include "kernels/array/steps.hpp"

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

template <typename T>
inline void store_element(const program& p, std::int64_t at, T made) {
  with_type<T>(p.result.type, [&](auto element) {
    using E = decltype(element);
    reinterpret_cast<E*>(p.result.data)[at] = converted<E>(made);
  });
}

template <typename T, bool with_functions>
class device_kernel;

template <typename T, bool with_functions>
sycl::event submit_elements(sycl::queue& queue, const program* p, const program& host) {
  const bool folds = host.fold != fold_op::none;
  const std::int64_t items = folds ? host.folded.results * host.folded.parts : host.size;
  return queue.parallel_for<device_kernel<T, with_functions>>(sycl::range<1>(std::size_t(items)),
                                                              [=](sycl::id<1> id) {
    const std::int64_t item = std::int64_t(id[0]);
    const fold_layout& f = p->folded;
    const fold_op op = p->fold;
    const item_elements of = op == fold_op::none
                                 ? item_elements{0, 1, 1, item, 1, offset_of(*p, p->result, item)}
                                 : elements_of(f, item);
    const std::int64_t count = of.count();
    T total{};
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t i = of.first + k * of.apart;
      const T made = element_of<T, with_functions>(*p, i);
      const std::int64_t position =
          f.given_positions && op >= fold_op::first_minimum ? f.given_positions[i] : of.begin + k * of.step;
      if (k == 0) total = made, at = position;
      else if (op >= fold_op::first_minimum) {
        if (is_better(op, total, made, at, position)) total = made, at = position;
      } else dispatch_fold<T>(op, [&](auto combine) { total = combine(total, made); });
    }
    if (op >= fold_op::first_minimum) {
      std::int64_t* to =
          f.partial_positions ? f.partial_positions : reinterpret_cast<std::int64_t*>(p->result.data);
      to[of.value] = at;
      if (!f.partial_positions) return;
    }
    store_element<T>(*p, of.value, total);
  });
}

template <typename T>
sycl::event launch_on_device(sycl::queue& queue, const program* p, const program& host) {
  return has_functions(host) ? submit_elements<T, true>(queue, p, host)
                             : submit_elements<T, false>(queue, p, host);
}

} // namespace prism::array_detail
