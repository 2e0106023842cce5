// Folds on devices other than processors through OpenCL: of elements in memory, and of expressions whose
// elements are computed. A work-item folds a part of a result, in the order of device.hpp; neighbouring
// work-items read adjacent memory. Each file element_folds_*.cpp instantiates some.
#pragma once

#include "kernels/array/computed_elements.hpp"
#include "kernels/array/part_folds.hpp"
#include "kernels/array/pieces.hpp"

namespace prism::array_detail {

template <typename T, fold_op op>
class stored_items_kernel;
template <typename T, fold_op op>
class computed_items_kernel;

/// Of elements in memory, of which several are loaded together, since loops cost much on llvmpipe.
template <typename T, fold_op op>
inline folded_value<T> fold_stored_items(const program& p, const item_elements& of) {
  const std::int64_t count = of.count();
  const T* from = reinterpret_cast<const T*>(p.leaf[0].data) + of.first;
  const std::int64_t* given = p.folded.given_positions ? p.folded.given_positions + of.first : nullptr;
  const auto element = [&](T value, std::int64_t k) {
    return folded_value<T>{value, given ? given[k * of.apart] : of.begin + k * of.step};
  };
  folded_value<T> total = element(*from, 0);
  std::int64_t k = 1;
  for (; k + 4 <= count; k += 4) {
    const T a = from[of.apart], b = from[2 * of.apart], c = from[3 * of.apart];
    from += 4 * of.apart;
    total = better_of(op, better_of(op, total, element(a, k)), element(b, k + 1));
    total = better_of(op, better_of(op, total, element(c, k + 2)), element(*from, k + 3));
  }
  for (; k < count; ++k) from += of.apart, total = better_of(op, total, element(*from, k));
  return total;
}

template <typename T, fold_op op>
inline folded_value<T> fold_computed_items(const item_elements& of) {
  const std::int64_t count = of.count();
  const auto element = [&](std::int64_t k) {
    return folded_value<T>{computed_element<T>(of.first + k * of.apart), of.begin + k * of.step};
  };
  folded_value<T> total{};
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4) { // several together, since loops cost much on llvmpipe
    const folded_value<T> a = element(k), b = element(k + 1), c = element(k + 2), d = element(k + 3);
    total = k == 0 ? a : better_of(op, total, a);
    total = better_of(op, better_of(op, better_of(op, total, b), c), d);
  }
  for (; k < count; ++k) {
    const folded_value<T> made = element(k);
    total = k == 0 ? made : better_of(op, total, made);
  }
  return total;
}

inline sycl::range<1> items_of(const program& host) {
  return sycl::range<1>(std::size_t(host.folded.results * host.folded.parts));
}

template <typename T>
sycl::event launch_element_fold(sycl::queue& queue, const program* p, const program& host) {
  return with_fold<T>(host.fold, [&]<fold_op op>() {
    return queue.parallel_for<stored_items_kernel<T, op>>(items_of(host), [=](sycl::id<1> id) {
      const item_elements of = elements_of(p->folded, std::int64_t(id[0]));
      end_part(op, *p, of, fold_stored_items<T, op>(*p, of));
    });
  });
}

template <typename T>
void record_element_fold(sycl::queue& queue, sycl::buffer<T>& elements, program* p, const program& host) {
  with_fold<T>(host.fold, [&]<fold_op op>() {
    queue.submit([&](sycl::handler& h) {
      prism::detail::require_elements(elements, h);
      h.parallel_for<computed_items_kernel<T, op>>(items_of(host), [=](sycl::id<1> id) {
        const item_elements of = elements_of(p->folded, std::int64_t(id[0]));
        end_part(op, *p, of, fold_computed_items<T, op>(of));
      });
    });
  });
}

#define PRISM_ELEMENT_FOLDS(T)                                                                               \
  template sycl::event launch_element_fold<T>(sycl::queue&, const program*, const program&);                 \
  template void record_element_fold<T>(sycl::queue&, sycl::buffer<T>&, program*, const program&);

} // namespace prism::array_detail
