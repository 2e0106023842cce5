// Sparse matrices on every device: CSR, CSC, COO and BSR, products with vectors and dense matrices,
// triangular systems, products of sparse matrices, conversions. Link prism::operations.
//
//   auto a = prism::sparse::csr(rows, columns, offsets, indices, values);       // vector views of all three
//   prism::sparse::multiply(queue, 1.0f, a, x, 0.0f, y);                        // y = A x, for CSR and BSR
//   const prism::sparse::prepared transposed(queue, a, prism::sparse::op::transposed);
//   transposed.multiply(queue, 1.0f, a.values, x, 0.0f, y);                     // y = A^T x, for every
//   format
//
// A matrix is a view over the caller's memory (USM or buffers): indices are std::int32_t from 0 on, values
// float, double, or std::complex of both; all three contiguous. Rows need not be sorted, and elements that
// are there twice are added. BSR has square blocks, each row by row.
//
// Plans (`prepared`, `triangular_solver`, `sparse_product`, `conversion`) read the structure once, on the
// host, wait for `depends` and for commands that write it, and check it: errc::invalid says which row or
// index is wrong. They hold no values, are copied cheaply, and may be used from any thread for any number of
// values. All other calls return at once with the event of the last command, as those of <prism/blas.hpp>;
// `multiply` without a plan does not read the indices first, so they must be right.
//
// Written operands must not overlap others (refused where they begin at one element), except x and b of a
// solution, which may be the same. With beta = 0, y is not read. Sums are in the order of the row, in four
// parts for products with vectors; results do not depend on threads. Error of a sum of n terms: (n + 2) u of
// the sum of absolute values. Software Vulkan ends commands whose work-items loop more than 65,535 times with
// an error: rows of more elements fail there, by name.
#pragma once

#include <prism/sparse/request.hpp>

namespace prism::sparse {

template <typename T, typename Place, typename Index, typename IndexPlace>
struct view : detail::shape {
  vector_view<Index, IndexPlace> offsets; // of COO: row indices
  vector_view<Index, IndexPlace> indices;
  vector_view<T, Place> values;

  view(const detail::shape& of, vector_view<Index, IndexPlace> o, vector_view<Index, IndexPlace> i,
       vector_view<T, Place> v)
      : detail::shape(of), offsets(std::move(o)), indices(std::move(i)), values(std::move(v)) {
    static_assert(std::is_same_v<std::remove_const_t<Index>, std::int32_t>, "indices are std::int32_t");
  }
};

template <typename T, typename P, typename I, typename IP>
view<T, P, I, IP> csr(std::size_t rows, std::size_t columns, const vector_view<I, IP>& offsets,
                      const vector_view<I, IP>& indices, const vector_view<T, P>& values) {
  return {{format::csr, rows, columns, 1}, offsets, indices, values};
}
/// `offsets` of columns, `indices` of rows.
template <typename T, typename P, typename I, typename IP>
view<T, P, I, IP> csc(std::size_t rows, std::size_t columns, const vector_view<I, IP>& offsets,
                      const vector_view<I, IP>& indices, const vector_view<T, P>& values) {
  return {{format::csc, rows, columns, 1}, offsets, indices, values};
}
template <typename T, typename P, typename I, typename IP>
view<T, P, I, IP> coo(std::size_t rows, std::size_t columns, const vector_view<I, IP>& row_indices,
                      const vector_view<I, IP>& column_indices, const vector_view<T, P>& values) {
  return {{format::coo, rows, columns, 1}, row_indices, column_indices, values};
}
/// `rows` and `columns` in elements, multiples of `block`; `indices` of columns of blocks.
template <typename T, typename P, typename I, typename IP>
view<T, P, I, IP> bsr(std::size_t rows, std::size_t columns, std::size_t block,
                      const vector_view<I, IP>& offsets, const vector_view<I, IP>& indices,
                      const vector_view<T, P>& values) {
  return {{format::bsr, rows, columns, block}, offsets, indices, values};
}

/// y = alpha A x + beta y for CSR and BSR, without a plan. Other formats are refused (errc::invalid).
template <typename T, typename Place, typename V, typename P, typename I, typename IP>
sycl::event multiply(sycl::queue& queue, blas::scalar<T> alpha, const view<V, P, I, IP>& a,
                     const detail::vector_in<T, Place>& x, blas::scalar<T> beta,
                     const vector_view<T, Place>& y, const std::vector<sycl::event>& depends = {}) {
  static_assert(std::is_same_v<std::remove_const_t<V>, T>, "all values have one type");
  detail::request r(0);
  r.set(r.alpha, alpha), r.set(r.beta, beta);
  r.add("values", a.values), r.add("x", x), r.add("y", y);
  r.add("offsets", a.offsets), r.add("indices", a.indices);
  return detail::multiply(queue, a, r, depends);
}
/// Y = alpha A X + beta Y.
template <typename T, typename Place, typename V, typename P, typename I, typename IP>
sycl::event multiply(sycl::queue& queue, blas::scalar<T> alpha, const view<V, P, I, IP>& a,
                     const detail::matrix_in<T, Place>& x, blas::scalar<T> beta,
                     const matrix_view<T, Place>& y, const std::vector<sycl::event>& depends = {}) {
  static_assert(std::is_same_v<std::remove_const_t<V>, T>, "all values have one type");
  detail::request r(0);
  r.set(r.alpha, alpha), r.set(r.beta, beta);
  r.add("values", a.values), r.add("x", x), r.add("y", y);
  r.add("offsets", a.offsets), r.add("indices", a.indices);
  return detail::multiply(queue, a, r, depends);
}

/// The structure of op(A), in rows, for every format and for matrices of which one triangle is stored.
/// Memory: two integers for each element. `values` of its calls are those of A, in A's order.
class prepared {
public:
  template <typename V, typename P, typename I, typename IP>
  prepared(sycl::queue& queue, const view<V, P, I, IP>& a, op how = op::none,
           symmetry stored = symmetry::general, const std::vector<sycl::event>& depends = {}) {
    detail::request r(0);
    r.add("offsets", a.offsets), r.add("indices", a.indices);
    m_state = detail::prepare(queue, a, a.values.size, r, how, stored, depends);
  }
  std::size_t rows() const { return detail::rows_of(*m_state); }
  std::size_t columns() const { return detail::columns_of(*m_state); }

  /// y = alpha op(A) x + beta y.
  template <typename T, typename Place>
  sycl::event multiply(sycl::queue& queue, blas::scalar<T> alpha, const detail::vector_in<T, Place>& values,
                       const detail::vector_in<T, Place>& x, blas::scalar<T> beta,
                       const vector_view<T, Place>& y, const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.set(r.alpha, alpha), r.set(r.beta, beta);
    r.add("values", values), r.add("x", x), r.add("y", y);
    return detail::multiply(queue, *m_state, r, depends);
  }
  /// Y = alpha op(A) X + beta Y.
  template <typename T, typename Place>
  sycl::event multiply(sycl::queue& queue, blas::scalar<T> alpha, const detail::vector_in<T, Place>& values,
                       const detail::matrix_in<T, Place>& x, blas::scalar<T> beta,
                       const matrix_view<T, Place>& y, const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.set(r.alpha, alpha), r.set(r.beta, beta);
    r.add("values", values), r.add("x", x), r.add("y", y);
    return detail::multiply(queue, *m_state, r, depends);
  }
  /// All elements of op(A), with zeros.
  template <typename T, typename Place>
  sycl::event to_dense(sycl::queue& queue, const detail::vector_in<T, Place>& values,
                       const matrix_view<T, Place>& dense,
                       const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.add("values", values), r.add("dense", dense);
    return detail::to_dense(queue, *m_state, r, depends);
  }
  const std::shared_ptr<const detail::prepared_state>& state() const { return m_state; }

private:
  std::shared_ptr<const detail::prepared_state> m_state;
};

/// op(A) x = alpha b for a triangle of A; elements outside of it are not used. Rows that do not depend on
/// each other are one level and are computed at once; runs of small levels are computed one row after the
/// other (Anderson & Saad 1989, "Solving sparse triangular linear systems on parallel computers"). A diagonal
/// that is not stored is refused; a zero on it gives infinities, as in the BLAS.
class triangular_solver {
public:
  template <typename V, typename P, typename I, typename IP>
  triangular_solver(sycl::queue& queue, const view<V, P, I, IP>& a, blas::uplo triangle,
                    blas::diag diagonal = blas::diag::non_unit, op how = op::none,
                    const std::vector<sycl::event>& depends = {}) {
    detail::request r(0);
    r.add("offsets", a.offsets), r.add("indices", a.indices);
    m_state = detail::analyse(queue, a, a.values.size, r, triangle == blas::uplo::lower,
                              diagonal == blas::diag::unit, how, depends);
  }
  std::size_t levels() const { return detail::levels_of(*m_state); }

  template <typename T, typename Place>
  sycl::event solve(sycl::queue& queue, blas::scalar<T> alpha, const detail::vector_in<T, Place>& values,
                    const detail::vector_in<T, Place>& b, const vector_view<T, Place>& x,
                    const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.set(r.alpha, alpha);
    r.add("values", values), r.add("b", b), r.add("x", x);
    return detail::solve(queue, *m_state, r, depends);
  }
  /// A system for each column.
  template <typename T, typename Place>
  sycl::event solve(sycl::queue& queue, blas::scalar<T> alpha, const detail::vector_in<T, Place>& values,
                    const detail::matrix_in<T, Place>& b, const matrix_view<T, Place>& x,
                    const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.set(r.alpha, alpha);
    r.add("values", values), r.add("b", b), r.add("x", x);
    return detail::solve(queue, *m_state, r, depends);
  }

private:
  std::shared_ptr<const detail::solver_state> m_state;
};

/// C = op(A) op(B), all sparse; C is CSR with sorted rows (Gustavson 1978, "Two fast algorithms for sparse
/// matrices"). `nonzeros()` elements of C are stored, also where they happen to be zero.
class sparse_product {
public:
  sparse_product(sycl::queue& queue, const prepared& a, const prepared& b)
      : m_state(detail::product_of(queue, a.state(), b.state())) {}
  std::size_t nonzeros() const { return detail::nonzeros_of(*m_state); }
  /// Writes the offsets, indices and values of c.
  template <typename T, typename Place, typename IP>
  sycl::event multiply(sycl::queue& queue, const detail::vector_in<T, Place>& a_values,
                       const detail::vector_in<T, Place>& b_values, const view<T, Place, std::int32_t, IP>& c,
                       const std::vector<sycl::event>& depends = {}) const {
    if (c.layout != format::csr) prism::detail::refuse_view("sparse_product: the result is a CSR matrix");
    detail::request r(0);
    r.add("the result's values", c.values), r.add("a's values", a_values), r.add("b's values", b_values);
    r.add("offsets", c.offsets), r.add("indices", c.indices);
    return detail::multiply(queue, *m_state, r, depends);
  }

private:
  std::shared_ptr<const detail::product_state> m_state;
};

/// op(A), or the nonzeros of a dense matrix, in another format: sorted, elements that are there twice added.
/// The plan knows how much memory the result needs.
class conversion {
public:
  conversion(const prepared& from, format to, std::size_t block = 1)
      : m_state(detail::convert(from.state(), to, block)) {}
  /// The elements that are not zero when the plan is made (NaN is not).
  template <typename T, typename P>
  conversion(sycl::queue& queue, const matrix_view<T, P>& dense, format to, std::size_t block = 1,
             const std::vector<sycl::event>& depends = {}) {
    detail::request r(0);
    r.add("dense", dense);
    m_state = detail::convert_dense(queue, r, to, block, depends);
  }
  std::size_t offsets() const { return detail::offsets_of(*m_state); }
  std::size_t indices() const { return detail::indices_of(*m_state); }
  std::size_t values() const { return detail::values_of(*m_state); }

  template <typename T, typename Place, typename IP>
  sycl::event run(sycl::queue& queue, const detail::vector_in<T, Place>& values,
                  const view<T, Place, std::int32_t, IP>& to,
                  const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.add("the result's values", to.values), r.add("values", values);
    r.add("offsets", to.offsets), r.add("indices", to.indices);
    return detail::run(queue, *m_state, to, r, depends);
  }
  template <typename T, typename Place, typename IP>
  sycl::event run(sycl::queue& queue, const detail::matrix_in<T, Place>& dense,
                  const view<T, Place, std::int32_t, IP>& to,
                  const std::vector<sycl::event>& depends = {}) const {
    detail::request r(0);
    r.add("the result's values", to.values), r.add("dense", dense);
    r.add("offsets", to.offsets), r.add("indices", to.indices);
    return detail::run(queue, *m_state, to, r, depends);
  }

private:
  std::shared_ptr<const detail::conversion_state> m_state;
};

} // namespace prism::sparse
