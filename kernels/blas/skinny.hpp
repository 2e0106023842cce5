// Products of at most 16 rows, or of as few columns if the transposed product has that form, on processors
// (gemm_skinny.cpp).
#pragma once

#include "kernels/blas/product.hpp"

#include <optional>

namespace prism::blas {

/// For float and double and general operands, on the host device and on OpenCL's processors (`runs_packed`);
/// nothing for other forms: where both sides of C are wider, or the rows of B are not contiguous.
template <typename T>
std::optional<sycl::event> multiply_skinny(sycl::queue& queue, const product<T>& what, const events& depends);

} // namespace prism::blas
