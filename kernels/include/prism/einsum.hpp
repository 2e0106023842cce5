// Sums of products of tensors in Einstein's notation, on every device. Link prism::operations.
//
//   using prism::einsum::einsum;
//   einsum(queue, "ik,kj->ij", {tensor(a, {m, k}), tensor(b, {k, n})}, tensor(c, {m, n}));
//   einsum(queue, "ii", {tensor(a, {n, n})}, prism::tensor(sum, {}));                     // a trace
//   einsum(queue, "bhqd,bhkd->bhqk", {queries, keys}, scores);                            // batches
//
// The expression names each dimension of each operand by a letter; names that the result lacks are summed
// over. A name twice in one operand is its diagonal. "..." stands for dimensions without names, which are
// aligned at the last one and broadcast. An extent of 1 is repeated where another operand has more. Without
// "->" the result has the dimensions of "..." and the names that occur once, in alphabetical order. Spaces
// are ignored. These are NumPy's rules (numpy.einsum).
//
// Elements are float, double, or std::complex of both, with any strides, all of one type and one kind of
// memory (USM or buffers). The result is overwritten; no two of its elements may coincide, and it must not
// overlap an operand (refused where they begin at the same element).
//
// Operands are contracted in pairs. The order is the one with the fewest multiplications for up to 8
// operands, and a greedy one for more (einsum/path.hpp). A pair is a product of matrices or a batch of them
// (<prism/blas.hpp>, with its providers) where both have names that the other lacks or one is a vector, and
// dimensions that no stride joins are copied before. Otherwise one kernel sums the products. Temporary memory
// is a buffer for each intermediate result and copy. Errors: that of the products, and for other sums of n
// terms at most (2 sqrt(n) + 2^14 + 2) u of the sum of absolute values.
//
// Calls return at once with the event of the last command; they start after `depends`. They throw
// errc::invalid, with the column, for an expression that cannot be read, and with the numbers for extents
// that disagree; errc::feature_not_supported where the device lacks the type.
#pragma once

#include <prism/tensor/request.hpp>

#include <map>
#include <string>
#include <vector>

namespace prism::einsum {

namespace detail {

using prism::detail::tensor_operand;

sycl::event run(sycl::queue& queue, const std::string& expression, const std::vector<tensor_operand>& in,
                const tensor_operand& out, const std::vector<sycl::event>& depends);
std::string explain(const std::string& expression, const std::vector<std::vector<std::size_t>>& extents);

/// What an expression says for operands of some extents: a number for the name of each dimension.
struct dimensions {
  std::vector<std::vector<int>> in;
  std::vector<int> out;
  std::map<int, std::size_t> extent;
};
dimensions dimensions_of(const std::string& expression, const std::vector<std::vector<std::size_t>>& extents);

} // namespace detail

template <typename T, typename Place>
sycl::event einsum(sycl::queue& queue, const std::string& expression,
                   const std::vector<prism::detail::tensor_in<T, Place>>& in,
                   const tensor_view<T, Place>& out, const std::vector<sycl::event>& depends = {}) {
  std::vector<detail::tensor_operand> operands;
  for (const auto& one : in)
    operands.push_back(prism::detail::operand_of("operand " + std::to_string(operands.size()), one));
  return detail::run(queue, expression, operands, prism::detail::operand_of("the result", out), depends);
}

/// The steps in which `einsum` computes the expression for operands of these extents, one a line:
/// "jk,kl->jl: products of 30 x 40 and 40 x 5".
inline std::string explain(const std::string& expression,
                           const std::vector<std::vector<std::size_t>>& extents) {
  return detail::explain(expression, extents);
}
/// The extents of the result for operands of these extents.
inline std::vector<std::size_t> result_extents(const std::string& expression,
                                               const std::vector<std::vector<std::size_t>>& extents) {
  const detail::dimensions all = detail::dimensions_of(expression, extents);
  std::vector<std::size_t> out;
  for (const int name : all.out) out.push_back(all.extent.at(name));
  return out;
}

} // namespace prism::einsum
