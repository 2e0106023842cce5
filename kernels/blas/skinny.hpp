// Products of which one side is at most 16 wide, on processors (gemm_skinny.cpp).
#pragma once

#include "kernels/blas/product.hpp"

#include <optional>

namespace prism::blas {

/// For float and double and general operands, on the host device and on OpenCL's processors (`runs_packed`);
/// nothing where both sides of C are wider, or the long operand has no contiguous rows or columns.
template <typename T>
std::optional<sycl::event> multiply_skinny(sycl::queue& queue, const product<T>& what, const events& depends);

} // namespace prism::blas
