// Products of half, bfloat16 and int8. The operands are copied to float, the product is the one of float, and
// the result is rounded once. Of int8 the sums of 1,024 products are below 2^24, which float represents
// exactly in any order; they are added as int32. So these types are exact and have no kernels of their own.
#pragma once

#include <prism/blas/request.hpp>

namespace prism::blas {

bool is_narrow_product(const prism_provider_operation& what);

/// C = alpha A B + beta C with A and B of a narrow type, as gemm in <prism/blas.hpp> describes. `what` makes
/// sense. Temporary memory: floats for A and B, and for C if it is not of float. Submits, does not wait.
sycl::event run_narrow(sycl::queue& queue, const detail::request& what,
                       const std::vector<sycl::event>& depends);

} // namespace prism::blas
