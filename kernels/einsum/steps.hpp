// The kernel of einsum: out[o] = sum over r of a[o, r] b[o, r], or of a[o, r] alone, for dimensions with any
// strides. It copies and permutes (nothing is summed), takes diagonals, sums, and multiplies element by
// element.
#pragma once

#include "kernels/blas/operand.hpp"

#include <array>
#include <vector>

namespace prism::einsum {

using events = std::vector<sycl::event>;

/// A dimension of all three operands; strides count components, and are 0 where an operand lacks it.
struct dimension {
  std::size_t extent;
  std::ptrdiff_t a, b, out;
};

/// Joins neighbours that one stride spans in all operands, and leaves out extents of 1.
std::vector<dimension> merged(const std::vector<dimension>& all);

/// Without elements to sum, `out` becomes 0. More than `most_dimensions` dimensions of one kind after merging
/// are refused (errc::feature_not_supported). `two`: whether there is a b.
inline constexpr std::size_t most_dimensions = 12;
template <typename T>
sycl::event sum_of_products(sycl::queue& queue, const std::vector<dimension>& kept,
                            const std::vector<dimension>& summed, const blas::place<blas::real_of<T>>& a,
                            bool two, const blas::place<blas::real_of<T>>& b,
                            const blas::place<blas::real_of<T>>& out, const events& depends);

} // namespace prism::einsum
