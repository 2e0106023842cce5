// How calls of <prism/sparse.hpp> reach the library: as plain data. Programs use <prism/sparse.hpp>.
#pragma once

#include <prism/blas.hpp>

#include <memory>

namespace prism::sparse {

/// CSR, CSC: compressed rows, columns; COO: rows and columns of each element; BSR: compressed rows of square
/// blocks, whose elements are in rows.
enum class format : std::uint8_t { csr, csc, coo, bsr };
enum class op : std::uint8_t { none, transposed, adjoint };
/// Whether all elements are stored, or one triangle of a symmetric or Hermitian matrix. Elements that are
/// stored in the other triangle are not used.
enum class symmetry : std::uint8_t {
  general,
  symmetric_lower,
  symmetric_upper,
  hermitian_lower,
  hermitian_upper
};

namespace detail {

using request = blas::detail::request;
using events = std::vector<sycl::event>;

/// A matrix without its values.
struct shape {
  format layout = format::csr;
  std::size_t rows = 0, columns = 0, block = 1;
};

struct prepared_state;
struct solver_state;
struct product_state;
struct conversion_state;

/// Operands of `what`: offsets, indices. `values`: how many there are.
std::shared_ptr<const prepared_state> prepare(sycl::queue& queue, const shape& of, std::size_t values,
                                              const request& what, op how, symmetry stored,
                                              const events& depends);
std::size_t rows_of(const prepared_state& of);
std::size_t columns_of(const prepared_state& of);
/// Operands: values, x, y.
sycl::event multiply(sycl::queue& queue, const prepared_state& plan, const request& what,
                     const events& depends);
/// Operands: values, x, y, offsets, indices.
sycl::event multiply(sycl::queue& queue, const shape& of, const request& what, const events& depends);
/// Operands: values, dense.
sycl::event to_dense(sycl::queue& queue, const prepared_state& plan, const request& what,
                     const events& depends);

std::shared_ptr<const solver_state> analyse(sycl::queue& queue, const shape& of, std::size_t values,
                                            const request& what, bool lower, bool unit, op how,
                                            const events& depends);
std::size_t levels_of(const solver_state& of);
/// Operands: values, b, x.
sycl::event solve(sycl::queue& queue, const solver_state& plan, const request& what, const events& depends);

std::shared_ptr<const product_state> product_of(sycl::queue& queue,
                                                const std::shared_ptr<const prepared_state>& a,
                                                const std::shared_ptr<const prepared_state>& b);
std::size_t nonzeros_of(const product_state& of);
/// Operands: values of the result, values of a, values of b, offsets, indices.
sycl::event multiply(sycl::queue& queue, const product_state& plan, const request& what,
                     const events& depends);

std::shared_ptr<const conversion_state> convert(const std::shared_ptr<const prepared_state>& from, format to,
                                                std::size_t block);
/// Operands: dense.
std::shared_ptr<const conversion_state> convert_dense(sycl::queue& queue, const request& what, format to,
                                                      std::size_t block, const events& depends);
/// Elements of the indices and of the values; and of the offsets, which of COO are row indices.
std::size_t indices_of(const conversion_state& of);
std::size_t values_of(const conversion_state& of);
std::size_t offsets_of(const conversion_state& of);
/// Operands: values of the result, values of the source or a dense matrix, offsets, indices.
sycl::event run(sycl::queue& queue, const conversion_state& plan, const shape& to, const request& what,
                const events& depends);

template <typename T, typename Place>
using vector_in =
    typename blas::detail::as_is<vector_view<const T, typename blas::detail::const_place<Place>::type>>::type;
template <typename T, typename Place>
using matrix_in =
    typename blas::detail::as_is<matrix_view<const T, typename blas::detail::const_place<Place>::type>>::type;

} // namespace detail
} // namespace prism::sparse
