// Sums of products of arrays in Einstein's notation, as numpy.einsum. Use <prism/array.hpp>.
//
//   prism::any_array c = prism::einsum::einsum("ij,jk->ik", {a, b});
//
// Elements have the common type of the operands. Floating-point and complex ones are contracted in pairs, as
// <prism/einsum.hpp> says. Integers and bool are contracted in pairs from left to right, by products of
// matrices; a sum of them has the common type and wraps. A call submits commands and does not wait. Errors
// are errc::invalid: an expression that cannot be read, with the column, and extents that disagree, with the
// numbers.
#pragma once

#include <prism/array/functions.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::einsum {

any_array einsum(const std::string& expression, const std::vector<any_array>& operands);

} // namespace prism::einsum

#include <sycl/detail/user_macros_restore.hpp>
