// Reductions along one axis of a matrix. If elements adjacent along the axis are nearer in memory than those
// across it, a work-item folds one result (fold.hpp). Otherwise it computes 32 results at once, each in the
// order of the axis. A few long results are reduced one by one, each by all work-items (reduce.hpp). The
// choice depends on extents and strides, not on the device.
#pragma once

#include <prism/primitives/reduce.hpp>

namespace prism::primitives {
namespace detail {

/// The elements of a matrix from its first on, at a fixed distance.
template <typename Matrix>
using line = vector_view<typename Matrix::element_type, decltype(std::declval<Matrix>().data)>;

inline std::size_t magnitude(std::ptrdiff_t stride) {
  return stride < 0 ? std::size_t(0) - std::size_t(stride) : std::size_t(stride);
}

template <typename R, typename In, typename Out, typename Operator>
void fold_rows(command_chain& chain, const In& in, const Out& out, const R& init, const Operator& op) {
  const std::size_t columns = in.columns;
  const std::ptrdiff_t row_stride = in.row_stride;
  chain.submit([&](sycl::handler& h) {
    const auto from = bind(h, line<In>(in.data, in.rows * in.columns, in.column_stride));
    const auto to = bind(h, out);
    for_parts(h, in.rows, chunk_group(chain.on()), [=](std::size_t row) {
      auto elements = from.open();
      elements.data += static_cast<std::ptrdiff_t>(row) * row_stride;
      const R sum = elements.stride == 1
                        ? fold<R>([=, data = elements.data](std::size_t i) { return data[i]; }, columns, op)
                        : fold<R>([=](std::size_t i) { return elements[i]; }, columns, op);
      to.open()[row] = op(init, sum);
    });
  });
}

template <typename R, typename In, typename Out, typename Operator>
void sweep_rows(command_chain& chain, const In& in, const Out& out, const R& init, const Operator& op) {
  const std::size_t rows = in.rows, columns = in.columns;
  const std::ptrdiff_t column_stride = in.column_stride;
  chain.submit([&](sycl::handler& h) {
    const auto from = bind(h, line<In>(in.data, in.rows * in.columns, in.row_stride));
    const auto to = bind(h, out);
    for_parts(h, (rows + lanes - 1) / lanes, chunk_group(chain.on()), [=](std::size_t part) {
      const std::size_t first = part * lanes, count = std::min(lanes, rows - first);
      auto elements = from.open().behind(first);
      R sums[lanes];
      for (std::size_t r = 0; r < count; ++r) sums[r] = elements[r];
      for (std::size_t c = 1; c < columns; ++c) {
        elements.data += column_stride;
        for (std::size_t r = 0; r < count; ++r) sums[r] = op(sums[r], elements[r]);
      }
      for (std::size_t r = 0; r < count; ++r) to.open()[first + r] = op(init, sums[r]);
    });
  });
}

} // namespace detail

/// out[i] = init op in(i, 0) op in(i, 1) ... for every row i; for columns pass in.transposed(). `out` has
/// in.rows elements. The order of evaluation depends on extents and strides only. Errors: errc::invalid.
template <typename T, typename Place, typename U, typename OutPlace, typename R, typename Operator>
sycl::event reduce_rows(const execution& on, const matrix_view<T, Place>& in,
                        const vector_view<U, OutPlace>& out, R init, Operator op,
                        const std::vector<sycl::event>& depends = {}) {
  require_possible("reduce_rows: in", in);
  detail::require_operand("reduce_rows", "out", out);
  detail::require_extent("reduce_rows", "out", out.size, in.rows);
  command_chain chain(on, depends);
  if (in.rows == 0) return chain.last();
  if (in.columns == 0) {
    chain.submit([&](sycl::handler& h) {
      const auto to = detail::bind(h, out);
      h.parallel_for(sycl::range<1>(out.size), [=](sycl::id<1> i) { to.open()[i[0]] = init; });
    });
    return chain.last();
  }
  constexpr std::size_t few = 64, long_row = 65536;
  if (in.rows <= few && in.columns >= long_row) {
    for (std::size_t row = 0; row < in.rows; ++row)
      detail::reduce_source<R>(chain, in.columns, detail::elements_of(in.row(row), detail::same()),
                               out.subvector(row, 1), op, [=](const R& sum) { return op(init, sum); });
  } else if (detail::magnitude(in.column_stride) <= detail::magnitude(in.row_stride)) {
    detail::fold_rows(chain, detail::readable_matrix(in), out, init, op);
  } else {
    detail::sweep_rows(chain, detail::readable_matrix(in), out, init, op);
  }
  return chain.last();
}

} // namespace prism::primitives
