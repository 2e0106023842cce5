// Joining and repeating arrays, by views and assignments; matrix products.
#include "kernels/array/node.hpp"

#include <prism/array/functions.hpp>
#include <prism/blas.hpp>
#include <prism/blas/direct.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <optional>

namespace prism {

using namespace array_detail;

namespace {

std::vector<index_item> range_of(int axis, std::int64_t begin, std::int64_t end) {
  std::vector<index_item> items(std::size_t(axis), every);
  items.push_back(slice{begin, end});
  return items;
}

void require_parts(const std::vector<any_array>& parts, const char* what) {
  if (parts.empty()) refuse(std::string(what) + " of no arrays");
  for (const any_array& p : parts) {
    if (&p.node().device != &parts[0].node().device)
      refuse(std::string(what) + ": the arrays are on two devices; use to_device");
  }
}

} // namespace

any_array concat(const std::vector<any_array>& parts, std::optional<std::int64_t> axis) {
  require_parts(parts, "concat");
  if (!axis) {
    std::vector<any_array> flat;
    for (const any_array& p : parts) flat.push_back(p.reshape({-1}));
    return concat(flat, 0);
  }
  const int d = one_axis(*axis, parts[0].ndim(), "concat");
  extents shape = parts[0].shape();
  dtype type = parts[0].type();
  shape[d] = 0;
  for (const any_array& p : parts) {
    extents other = p.shape();
    if (other.size() == shape.size()) shape[d] += other[d], other[d] = shape[d];
    if (other != shape)
      refuse("concat along axis " + std::to_string(d) + ": shapes " + text_of(parts[0].shape()) + " and " +
             text_of(p.shape()));
    type = promote(type, p.type());
  }
  const any_array out = empty(shape, type, parts[0].device());
  std::int64_t at = 0;
  for (const any_array& p : parts) {
    const std::int64_t n = p.shape()[d];
    if (n > 0) out.view(range_of(d, at, at + n)).assign(p);
    at += n;
  }
  return out;
}

any_array stack(const std::vector<any_array>& parts, std::int64_t axis) {
  require_parts(parts, "stack");
  const int at = new_axis(axis, parts[0].ndim(), "stack");
  std::vector<any_array> expanded;
  for (const any_array& p : parts) {
    if (p.shape() != parts[0].shape())
      refuse("stack: shapes " + text_of(parts[0].shape()) + " and " + text_of(p.shape()));
    expanded.push_back(p.expand_dims(at));
  }
  return concat(expanded, at);
}

any_array roll(const any_array& a, std::int64_t shift, std::optional<std::int64_t> axis) {
  if (!axis) return roll(a.reshape({-1}), shift, 0).reshape(a.shape());
  const int d = one_axis(*axis, a.ndim(), "roll");
  const std::int64_t n = a.shape()[d];
  if (n == 0) return a.copy();
  const std::int64_t s = (shift % n + n) % n;
  return concat({a.view(range_of(d, n - s, n)), a.view(range_of(d, 0, n - s))}, d);
}

any_array tile(const any_array& a, const std::vector<std::int64_t>& counts) {
  any_array base = a;
  while (base.ndim() < int(counts.size())) base = base.expand_dims(0);
  extents shape = base.shape();
  const int lead = base.ndim() - int(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < 0) refuse("tile: a count of " + std::to_string(counts[k]));
    shape[lead + int(k)] *= counts[k];
  }
  any_array out = empty(shape, a.type(), a.device());
  if (out.size() == 0) return out;
  out.view(std::vector<index_item>([&] {
    std::vector<index_item> corner;
    for (const std::int64_t e : base.shape()) corner.push_back(slice{0, e});
    return corner;
  }()))
      .assign(base);
  // Each dimension in turn: what is complete in the later dimensions is copied along this one.
  for (int d = base.ndim() - 1; d >= 0; --d) {
    const std::int64_t n = base.shape()[d];
    std::vector<index_item> items;
    for (int k = 0; k < d; ++k) items.push_back(slice{0, base.shape()[k]});
    items.push_back(slice{0, n});
    const any_array from = out.view(items);
    for (std::int64_t at = n; at < shape[d]; at += n) {
      items.back() = slice{at, at + n};
      out.view(items).assign(from);
    }
  }
  return out;
}

any_array repeat(const any_array& a, std::int64_t count, std::optional<std::int64_t> axis) {
  if (count < 0) refuse("repeat: a count of " + std::to_string(count));
  if (!axis) return repeat(a.reshape({-1}), count, 0);
  const int d = one_axis(*axis, a.ndim(), "repeat");
  const any_array wide = a.expand_dims(d + 1);
  extents shape = wide.shape(), result = a.shape();
  shape[d + 1] = count;
  result[d] *= count;
  return wide.broadcast_to(shape).copy().reshape(result);
}

namespace {

template <typename T>
matrix_view<T> matrix_of(const any_array& x) {
  const int d = x.ndim() - 2;
  return {static_cast<T*>(x.data()), std::size_t(x.shape()[d]), std::size_t(x.shape()[d + 1]), x.strides()[d],
          x.strides()[d + 1]};
}

/// c = a b of matrices of floating-point numbers, one of which may be a row or a column.
template <typename T>
void multiply(sycl::queue& queue, const any_array& a, const any_array& b, const any_array& c) {
  const matrix_view<T> x = matrix_of<T>(a), y = matrix_of<T>(b), out = matrix_of<T>(c);
  if (out.columns == 1)
    blas::gemv<T>(queue, T(1), x, vector_view<T>(y.data, y.rows, y.row_stride), T(0),
                  vector_view<T>(out.data, out.rows, out.row_stride));
  else if (out.rows == 1)
    blas::gemv<T>(queue, T(1), y.transposed(), vector_view<T>(x.data, x.columns, x.column_stride), T(0),
                  vector_view<T>(out.data, out.columns, out.column_stride));
  else blas::gemm<T>(queue, T(1), x, y, T(0), out);
}

/// The distance of the matrices of the last two dimensions, if it is one.
std::optional<std::int64_t> matrix_distance(const any_array& x) {
  std::optional<std::int64_t> distance;
  std::int64_t next = 0; // what the stride of an outer dimension must be
  for (int d = x.ndim() - 3; d >= 0; --d) {
    const std::int64_t n = x.shape()[d], stride = x.strides()[d];
    if (n == 1) continue;
    if (!distance) distance = stride;
    else if (stride != next) return std::nullopt;
    next = stride * n;
  }
  return distance.value_or(0);
}

/// The same of several matrices in the leading dimensions, which all have.
template <typename T>
void multiply_batch(sycl::queue& queue, const any_array& a, const any_array& b, const any_array& c) {
  const auto count = std::size_t(c.size() / (c.shape()[c.ndim() - 2] * c.shape()[c.ndim() - 1]));
  const auto batch = [&](const any_array& x) {
    return batch_view<T>(matrix_of<T>(x), count, std::ptrdiff_t(*matrix_distance(x)));
  };
  blas::gemm<T>(queue, T(1), batch(a), batch(b), T(0), batch(c));
}

/// Of integers: by products and sums of int64 or uint64, without temporary memory of m x k x n elements.
any_array multiply_integers(const any_array& a, const any_array& b, const extents& shape, dtype type) {
  const std::int64_t k = a.shape()[a.ndim() - 1];
  any_array total = zeros(shape, type, a.device());
  for (std::int64_t i = 0; i < k; ++i) {
    const any_array column = a[{ellipsis, slice{i, i + 1}}].astype(type),
                    row = b[{ellipsis, slice{i, i + 1}, every}].astype(type);
    total = type == dtype::boolean ? (total | (column & row)) : total + column * row;
  }
  return total;
}

/// Whether a product is that of a matrix and a vector, or takes less than some 50 microseconds.
bool ends_soon(const any_array& a, const any_array& b, const extents& shape) {
  constexpr std::int64_t few = 1 << 21; // multiplications
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  if (shape.size() == 2 && (rows == 1 || columns == 1)) return true;
  return double(a.size()) * double(b.shape()[b.ndim() - 1]) <= double(few);
}

/// The products of matrices, or of batches with the same leading dimensions, of the shape `shape`.
any_array multiply_matrices(any_array a, any_array b, const extents& shape, dtype type) {
  if (type < dtype::float32) return multiply_integers(a, b, shape, type);
  const any_array out = empty(shape, type, a.device());
  if (out.size() == 0) return out;
  if (a.shape()[a.ndim() - 1] == 0) return zeros(out.shape(), type, a.device());
  for (any_array* each : {&a, &b}) {
    each->evaluate();
    if (!matrix_distance(*each)) *each = each->copy();
  }
  device_state& device = out.node().device;
  const std::lock_guard guard(device.lock);
  std::optional<blas::detail::direct_call> direct;
  if (!device.busy && ends_soon(a, b, shape)) direct.emplace();
  const auto run = [&]<typename T>(T) {
    if (shape.size() == 2) multiply<T>(device.queue, a, b, out);
    else multiply_batch<T>(device.queue, a, b, out);
  };
  switch (type) {
    case dtype::float32: run(float()); break;
    case dtype::float64: run(double()); break;
    case dtype::complex64: run(std::complex<float>()); break;
    default: run(std::complex<double>()); break;
  }
  device.busy = device.busy || !direct || !direct->ran();
  return out;
}

} // namespace

any_array matmul(const any_array& a, const any_array& b) {
  require_parts({a, b}, "matmul");
  if (a.ndim() == 0 || b.ndim() == 0) refuse("matmul of an array without dimensions");
  const any_array x = a.ndim() == 1 ? a.expand_dims(0) : a, y = b.ndim() == 1 ? b.expand_dims(1) : b;
  const int rx = x.ndim(), ry = y.ndim();
  if (x.shape()[rx - 1] != y.shape()[ry - 2])
    refuse("matmul: shapes " + text_of(a.shape()) + " and " + text_of(b.shape()) + " have " +
           std::to_string(x.shape()[rx - 1]) + " columns and " + std::to_string(y.shape()[ry - 2]) + " rows");
  const dtype type = promote(a.type(), b.type());
  const extents batch = broadcast_shapes(extents(x.shape().begin(), std::size_t(rx - 2)),
                                         extents(y.shape().begin(), std::size_t(ry - 2)));
  extents sx = batch, sy = batch, all = batch;
  for (int d = 2; d > 0; --d) sx.push_back(x.shape()[rx - d]), sy.push_back(y.shape()[ry - d]);
  all.push_back(x.shape()[rx - 2]), all.push_back(y.shape()[ry - 1]);
  any_array out =
      multiply_matrices(x.astype(type).broadcast_to(sx), y.astype(type).broadcast_to(sy), all, type);
  if (a.ndim() == 1) out = out.squeeze({{-2}});
  return b.ndim() == 1 ? out.squeeze({{-1}}) : out;
}

} // namespace prism
