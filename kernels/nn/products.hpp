// Batches of matrices in tensors' memory, and their products by <prism/blas.hpp>.
#pragma once

#include "kernels/nn/operands.hpp"

#include <prism/blas.hpp>

#include <vector>

namespace prism::nn {

/// An operand of a product: a batch of matrices in a tensor's memory. Strides in elements.
template <typename R>
struct matrices {
  blas::place<R> where;
  size_t count, rows, columns;
  ptrdiff_t between, row, column;

  matrices transposed() const { return {where, count, columns, rows, between, column, row}; }
  matrices number(size_t i) const {
    return {where.moved(ptrdiff_t(i) * between), 1, rows, columns, 0, row, column};
  }
};

template <typename R>
void add(blas::detail::request& r, const matrices<R>& m) {
  const int i = r.what.operand_count++;
  prism_provider_operand& o = r.what.operand[i];
  o.type = blas::detail::type_of<R>::id, o.rank = 3;
  o.extent[0] = std::int64_t(m.rows), o.extent[1] = std::int64_t(m.columns),
  o.extent[2] = std::int64_t(m.count);
  o.stride[0] = m.row, o.stride[1] = m.column, o.stride[2] = m.between;
  r.operands[i] = blas::memory_of<R>(m.where);
}

/// c = a b + beta c. A batch is a loop where its matrices are large, so that providers see them.
template <typename R>
sycl::event multiply(sycl::queue& queue, const matrices<R>& a, const matrices<R>& b, R beta,
                     const matrices<R>& c, const std::vector<sycl::event>& depends) {
  constexpr size_t large = 64 * 64 * 64;
  if (c.count > 1 && c.rows * c.columns * a.columns >= large) {
    std::vector<sycl::event> done;
    for (size_t i = 0; i < c.count; ++i)
      done.push_back(multiply(queue, a.number(i), b.number(i), beta, c.number(i), depends));
    return queue.ext_oneapi_submit_barrier(done);
  }
  blas::detail::request r(PRISM_GEMM);
  r.set(r.alpha, R(1)), r.set(r.beta, beta);
  add(r, a), add(r, b), add(r, c);
  if (c.count == 1)
    for (int i = 0; i < 3; ++i) r.what.operand[i].rank = 2;
  return blas::detail::run(queue, r, depends);
}

} // namespace prism::nn
