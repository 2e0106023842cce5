// Batches of small products on processors, several for each group (gemm_packed_batch.cpp).
#pragma once

#include "kernels/blas/product.hpp"

#include <optional>

namespace prism::blas {

/// For float and double and general operands, on the host device and on OpenCL's processors (`runs_packed`),
/// in one kernel; nothing where a product's panels do not fit the local memory. C's rows should be
/// contiguous.
template <typename T>
std::optional<sycl::event> multiply_packed_batch(sycl::queue& queue, const product<T>& what,
                                                 const events& depends);

} // namespace prism::blas
