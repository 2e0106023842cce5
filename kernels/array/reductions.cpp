// Reductions and running sums of any_array: types, axes, submission.
#include "kernels/array/fold.hpp"

#include <prism/array.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>

namespace prism {

using namespace array_detail;

namespace {

constexpr const char* names[] = {"sum", "prod",   "min",    "max",           "any",  "all",
                                 "argmin", "argmax", "count_nonzero", "mean", "var", "std"};

dtype sum_type(dtype t) { return t == dtype::boolean || (is_integer(t) && !is_unsigned(t)) ? dtype::int64 : is_unsigned(t) ? dtype::uint64 : t; }

fold_op fold_of(reduction_op op) {
  switch (op) {
  case reduction_op::sum: return fold_op::sum;
  case reduction_op::prod: return fold_op::product;
  case reduction_op::min: return fold_op::minimum;
  case reduction_op::max: return fold_op::maximum;
  case reduction_op::any: return fold_op::any;
  case reduction_op::all: return fold_op::all;
  case reduction_op::argmin: return fold_op::first_minimum;
  case reduction_op::argmax: return fold_op::first_maximum;
  default: return fold_op::count;
  }
}

/// The result of `op` over the named axes, which it no longer has. Elements are converted to `in_type`.
node_ref run(reduction_op op, const node_ref& from, const std::vector<int>& named, dtype result, arithmetic kind) {
  evaluate(from);
  device_state& device = from->device;
  const std::lock_guard guard(device.lock);
  bool is_reduced[max_rank] = {};
  for (const int d : named) is_reduced[d] = true;
  extents shape;
  fold f{};
  const auto add = [&](int d) {
    const std::int64_t n = from->shape[d], apart = from->strides[d];
    f.extent[f.rank] = n;
    f.in.strides[f.rank++] = apart;
  };
  for (int d = 0; d < from->shape.size(); ++d) {
    if (!is_reduced[d]) shape.push_back(from->shape[d]), add(d);
  }
  const int kept = f.rank;
  for (const int d : named) { // neighbours that are even in memory become one dimension
    if (f.rank > kept && f.in.strides[f.rank - 1] == from->strides[d] * from->shape[d]) {
      f.extent[f.rank - 1] *= from->shape[d];
      f.in.strides[f.rank - 1] = from->strides[d];
    } else add(d);
  }
  f.reduced = f.rank - kept;
  const node_ref out = fresh(device, result, shape);
  f.results = out->size();
  if (f.results == 0) return out;
  f.elements = 1;
  for (const int d : named) f.elements *= from->shape[d];
  if (f.reduced == 0) {
    if (f.rank == max_rank) refuse(std::string(name_of(op)) + " over no axis of an array with 8 dimensions");
    f.extent[f.rank] = 1, f.in.strides[f.rank++] = 0, f.reduced = 1;
  }
  if (f.elements == 0) {
    if (op >= reduction_op::argmin && op <= reduction_op::argmax) refuse(std::string(name_of(op)) + " of no elements");
    if (op == reduction_op::min || op == reduction_op::max) refuse(std::string(name_of(op)) + " of no elements");
    write_into(out, constant_node(device, result, {}, op == reduction_op::prod || op == reduction_op::all ? 1 : 0));
    return out;
  }
  f.in.data = from->data;
  f.in.type = std::int32_t(from->type);
  f.result_type = std::int32_t(result);
  f.op = fold_of(op);
  const std::int64_t most = std::max<std::int64_t>(1, 256 / f.results);
  f.parts = std::clamp<std::int64_t>(f.elements / 4096, 1, most);
  f.part_elements = (f.elements + f.parts - 1) / f.parts;
  f.parts = (f.elements + f.part_elements - 1) / f.part_elements;
  const node_ref partial = fresh(device, dtype::uint8, {f.results * f.parts * 16});
  f.partial = partial->data;
  f.out = out->data;
  static_assert(sizeof(fold) <= sizeof(program));
  program* slot = device.next_program();
  fold* given = new (slot) fold(f);
  device.submitted(slot, run_fold(device.queue, kind, given, f));
  return out;
}

} // namespace

const char* name_of(reduction_op op) { return names[int(op)]; }

any_array reduce(reduction_op op, const any_array& a, const axes& axis, bool keepdims, double correction) {
  const dtype from = a.type();
  const std::vector<int> named = all_axes(axis, a.ndim(), name_of(op));
  double count = 1;
  for (const int d : named) count *= double(a.shape()[d]);
  const auto restored = [&](any_array out) {
    if (keepdims)
      for (const int d : named) out = out.expand_dims(d);
    return out;
  };
  const auto run_as = [&](reduction_op one, dtype result, arithmetic kind) {
    return any_array(run(one, a.shared_node(), named, result, kind));
  };
  switch (op) {
  case reduction_op::sum:
  case reduction_op::prod: return restored(run_as(op, sum_type(from), arithmetic_of(sum_type(from))));
  case reduction_op::min:
  case reduction_op::max:
    if (is_complex(from)) refuse(std::string(name_of(op)) + " of complex numbers");
    return restored(run_as(op, from, arithmetic_of(from)));
  case reduction_op::argmin:
  case reduction_op::argmax:
    if (is_complex(from)) refuse(std::string(name_of(op)) + " of complex numbers");
    if (axis && axis->size() != 1) refuse(std::string(name_of(op)) + " takes one axis or none");
    return restored(run_as(op, dtype::int64, arithmetic_of(from)));
  case reduction_op::any:
  case reduction_op::all: return restored(run_as(op, dtype::boolean, arithmetic_of(from)));
  case reduction_op::count_nonzero: return restored(run_as(op, dtype::int64, arithmetic_of(from)));
  case reduction_op::mean: {
    const dtype to = from < dtype::float32 ? dtype::float64 : from;
    return restored(run_as(reduction_op::sum, to, arithmetic_of(to)) / count);
  }
  default: break;
  }
  a.evaluate();
  const any_array apart = a - reduce(reduction_op::mean, a, axis, true);
  const any_array squares = square(abs(apart));
  const double divisor = count - correction > 0 ? count - correction : 0;
  const any_array out = reduce(reduction_op::sum, squares, axis, keepdims) / divisor;
  return op == reduction_op::var ? out : sqrt(out);
}

any_array cumulative_sum(const any_array& a, std::optional<std::int64_t> axis) {
  if (!axis) {
    const any_array flat = a.reshape({-1});
    return cumulative_sum(flat, 0);
  }
  const int d = one_axis(*axis, a.ndim(), "cumulative_sum");
  const dtype to = sum_type(a.type());
  const any_array last = a.moveaxis(d, -1);
  any_array out = empty(last.shape(), to, a.device());
  out.assign(last);
  const std::int64_t n = a.shape()[d];
  if (out.size() > 0) run_scan(out.node().device, arithmetic_of(to), out.data(), out.size() / n, n);
  return out.moveaxis(-1, d);
}

} // namespace prism
