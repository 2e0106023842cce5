// Elements that the steps of an expression compute in the launch of their fold (pieces.hpp): the kernel of a
// fold calls the kernels of the steps for each element (sycl/detail/computed_elements.hpp), so that elements
// are never stored. There is a kernel for each fold, so that the driver builds small ones.
#pragma once

#include "kernels/array/steps.hpp"

#include <sycl/detail/computed_elements.hpp>

namespace prism::array_detail {

/// Element `index` of the steps, as a number of the arithmetic T.
template <typename T>
PRISM_ARRAY_INLINE T computed_element(std::int64_t index) {
  const auto at = std::uint32_t(index);
  if constexpr (functions<T>::is_complex) {
    using real = decltype(T::re);
    return T(prism::detail::element_number<real>(at, 0), prism::detail::element_number<real>(at, 1));
  } else return prism::detail::element_number<T>(at, 0);
}

/// Calls `use` with the fold as a template argument.
template <typename T, typename Use>
auto with_fold(fold_op op, const Use& use) {
  switch (op) {
    case fold_op::product: return use.template operator()<fold_op::product>();
    case fold_op::any: return use.template operator()<fold_op::any>();
    case fold_op::all: return use.template operator()<fold_op::all>();
    default: break;
  }
  if constexpr (!functions<T>::is_complex) {
    if (op == fold_op::minimum) return use.template operator()<fold_op::minimum>();
    if (op == fold_op::maximum) return use.template operator()<fold_op::maximum>();
    if (op == fold_op::first_minimum) return use.template operator()<fold_op::first_minimum>();
    if (op == fold_op::first_maximum) return use.template operator()<fold_op::first_maximum>();
  }
  return use.template operator()<fold_op::sum>();
}

} // namespace prism::array_detail
