// Norms of arrays, and products other than those of matrices (<prism/array/linalg.hpp>): functions made of
// the functions of arrays.
#include "kernels/array/node.hpp"

#include <prism/array/linalg.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>

namespace prism::linalg {

using array_detail::all_axes;
using array_detail::one_axis;
using array_detail::refuse;

any_array vector_norm(const any_array& a, const axes& axis, bool keepdims, double order) {
  const any_array numbers = a.type() < dtype::float32 ? a.astype(dtype::float64) : a;
  if (order == 2 && !is_complex(a.type())) return sqrt(sum(square(numbers), axis, keepdims));
  const any_array size = abs(numbers);
  if (std::isinf(order)) return order > 0 ? max(size, axis, keepdims) : min(size, axis, keepdims);
  if (order == 0) return count_nonzero(size, axis, keepdims).astype(size.type());
  if (order == 1) return sum(size, axis, keepdims);
  if (order == 2) return sqrt(sum(square(size), axis, keepdims));
  return pow(sum(pow(size, order), axis, keepdims), 1 / order);
}

any_array matrix_norm(const any_array& a, norm_order order, bool keepdims) {
  if (a.ndim() < 2) refuse("matrix_norm: an array of shape " + text_of(a.shape()) + " has no matrices");
  if (order.kind == norm_order::kind_type::frobenius) return vector_norm(a, {{-2, -1}}, keepdims);
  const double n = order.number;
  const bool is_nuclear = order.kind == norm_order::kind_type::nuclear;
  any_array out;
  if (!is_nuclear && (std::fabs(n) == 1 || std::isinf(n))) {
    const std::int64_t along = std::fabs(n) == 1 ? -2 : -1, then = along == -2 ? -1 : -2;
    const any_array sums = vector_norm(a, {{along}}, true, 1);
    out = n > 0 ? max(sums, {{then}}, true) : min(sums, {{then}}, true);
  } else {
    if (!is_nuclear && std::fabs(n) != 2)
      refuse("matrix_norm: the order is frobenius, nuclear, 1, 2, infinity or their negatives, not " +
             std::to_string(n));
    const any_array s = svdvals(a);
    out = (is_nuclear ? sum(s, {{-1}}, true)
           : n > 0    ? max(s, {{-1}}, true)
                      : min(s, {{-1}}, true))
              .expand_dims(-1);
  }
  return keepdims ? out : out.squeeze({{-2, -1}});
}

any_array norm(const any_array& a, std::optional<norm_order> order, const axes& axis, bool keepdims) {
  if (!order) {
    if (axis && axis->size() > 2) refuse("norm takes one axis, two or none");
    return vector_norm(a, axis, keepdims);
  }
  const std::vector<int> named = all_axes(axis, a.ndim(), "norm");
  if (named.size() == 1) {
    if (order->kind != norm_order::kind_type::number) refuse("norm: this order is one of matrices");
    return vector_norm(a, axis, keepdims, order->number);
  }
  if (named.size() != 2)
    refuse("norm with an order of an array of shape " + text_of(a.shape()) + ": name one axis or two");
  // The order of the caller's axes says which are the rows.
  const std::int64_t rows = axis ? one_axis((*axis)[0], a.ndim(), "norm") : 0,
                     columns = axis ? one_axis((*axis)[1], a.ndim(), "norm") : 1;
  const any_array moved = a.moveaxis(rows, -1).moveaxis(columns > rows ? columns - 1 : columns, -1);
  any_array out = matrix_norm(moved, *order);
  if (keepdims)
    for (const int d : named) out = out.expand_dims(d);
  return out;
}

any_array cross(const any_array& a, const any_array& b, std::int64_t axis) {
  const extents shape = broadcast_shapes(a.shape(), b.shape());
  const int d = one_axis(axis, shape.size(), "cross");
  if (shape[d] != 3)
    refuse("cross: axis " + std::to_string(d) + " of the shape " + text_of(shape) + " has not 3 elements");
  const any_array x = a.broadcast_to(shape).moveaxis(d, -1), y = b.broadcast_to(shape).moveaxis(d, -1);
  const auto part = [&](int i, int j) {
    return x[{ellipsis, i}] * y[{ellipsis, j}] - x[{ellipsis, j}] * y[{ellipsis, i}];
  };
  return stack({part(1, 2), part(2, 0), part(0, 1)}, d);
}

any_array outer(const any_array& a, const any_array& b) {
  if (a.ndim() != 1 || b.ndim() != 1)
    refuse("outer takes two arrays of one dimension, not of " + std::to_string(a.ndim()) + " and " +
           std::to_string(b.ndim()));
  return a.expand_dims(1) * b;
}

any_array vecdot(const any_array& a, const any_array& b, std::int64_t axis) {
  const int rank = std::max(a.ndim(), b.ndim());
  const int last = one_axis(axis, rank, "vecdot") - rank;
  const auto extent = [&](const any_array& x) { return -last <= x.ndim() ? x.shape()[x.ndim() + last] : 1; };
  if (extent(a) != extent(b))
    refuse("vecdot: the axis has " + std::to_string(extent(a)) + " elements in the shape " +
           text_of(a.shape()) + " and " + std::to_string(extent(b)) + " in " + text_of(b.shape()));
  const any_array products = (is_complex(a.type()) ? conj(a) : a) * b;
  return sum(products, {{last}}).astype(promote(a.type(), b.type()));
}

any_array tensordot(const any_array& a, const any_array& b, int count) {
  if (count < 0 || count > std::min(a.ndim(), b.ndim()))
    refuse("tensordot: arrays of " + std::to_string(a.ndim()) + " and " + std::to_string(b.ndim()) +
           " dimensions do not share " + std::to_string(count));
  std::vector<std::int64_t> of_a, of_b;
  for (int d = 0; d < count; ++d) of_a.push_back(a.ndim() - count + d), of_b.push_back(d);
  return tensordot(a, b, of_a, of_b);
}

any_array tensordot(const any_array& a, const any_array& b, const std::vector<std::int64_t>& axes_of_a,
                    const std::vector<std::int64_t>& axes_of_b) {
  if (axes_of_a.size() != axes_of_b.size())
    refuse("tensordot: " + std::to_string(axes_of_a.size()) + " axes and " +
           std::to_string(axes_of_b.size()));
  struct operand {
    std::vector<std::int64_t> rest, shared;
    std::int64_t rows = 1;
    operand(const any_array& of, const std::vector<std::int64_t>& named, extents& shape) {
      bool is_shared[max_rank] = {};
      for (const int d : all_axes(named, of.ndim(), "tensordot")) is_shared[d] = true;
      for (const std::int64_t each : named) shared.push_back(one_axis(each, of.ndim(), "tensordot"));
      for (int d = 0; d < of.ndim(); ++d)
        if (!is_shared[d]) rest.push_back(d), shape.push_back(of.shape()[d]), rows *= of.shape()[d];
    }
  };
  const auto arranged = [](const any_array& of, std::vector<std::int64_t> first,
                           const std::vector<std::int64_t>& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first.empty() ? of : of.transpose(first);
  };
  extents shape;
  const operand x(a, axes_of_a, shape), y(b, axes_of_b, shape);
  std::int64_t terms = 1;
  for (std::size_t i = 0; i < x.shared.size(); ++i) {
    const std::int64_t of_a = a.shape()[int(x.shared[i])], of_b = b.shape()[int(y.shared[i])];
    if (of_a != of_b)
      refuse("tensordot: axis " + std::to_string(x.shared[i]) + " of the shape " + text_of(a.shape()) +
             " has " + std::to_string(of_a) + " elements, axis " + std::to_string(y.shared[i]) + " of " +
             text_of(b.shape()) + " has " + std::to_string(of_b));
    terms *= of_a;
  }
  return matmul(arranged(a, x.rest, x.shared).reshape({x.rows, terms}),
                arranged(b, y.shared, y.rest).reshape({terms, y.rows}))
      .reshape(shape);
}

any_array diagonal(const any_array& a, std::int64_t offset) {
  if (a.ndim() < 2) refuse("diagonal of an array of shape " + text_of(a.shape()));
  const std::int64_t rows = a.shape()[a.ndim() - 2], columns = a.shape()[a.ndim() - 1];
  return a[{ellipsis, slice{std::clamp<std::int64_t>(-offset, 0, rows), {}},
            slice{std::clamp<std::int64_t>(offset, 0, columns), {}}}]
      .diagonal();
}

any_array trace(const any_array& a, std::int64_t offset) { return sum(diagonal(a, offset), {{-1}}); }

} // namespace prism::linalg
