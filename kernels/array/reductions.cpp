// Reductions and running sums of any_array: types, axes, submission.
#include "kernels/array/moves.hpp"
#include "kernels/array/translate.hpp"

#include <prism/array/functions.hpp>
#include <prism/array/part_counters.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>

namespace prism {

using namespace array_detail;

dtype array_detail::sum_type(dtype t) {
  return t == dtype::boolean || (is_integer(t) && !is_unsigned(t)) ? dtype::int64
         : is_unsigned(t)                                          ? dtype::uint64
                                                                   : t;
}

namespace {

constexpr const char* names[] = {"sum",    "prod",   "min",           "max",  "any", "all",
                                 "argmin", "argmax", "count_nonzero", "mean", "var", "std"};

fold_op fold_of(reduction_op op) {
  switch (op) {
    case reduction_op::prod: return fold_op::product;
    case reduction_op::min: return fold_op::minimum;
    case reduction_op::max: return fold_op::maximum;
    case reduction_op::any: return fold_op::any;
    case reduction_op::all: return fold_op::all;
    case reduction_op::argmin: return fold_op::first_minimum;
    case reduction_op::argmax: return fold_op::first_maximum;
    default: return fold_op::sum;
  }
}

/// In how many parts a result is computed, so that there is work for all threads; by the extents only.
void divide(fold_layout& f, bool in_chunks, std::int64_t chunk) {
  if (in_chunks) {
    const std::int64_t work = f.elements * (f.inner > 1 ? std::min(f.inner, chunk) : 1);
    const std::int64_t groups =
        f.inner > 1 ? f.results / f.inner * ((f.inner + chunk - 1) / chunk) : f.results;
    const std::int64_t least = chunk * (f.inner > 1 ? 32 : 16); // elements of a part
    f.parts = std::clamp<std::int64_t>(work / least, 1, std::max<std::int64_t>(1, 128 / groups));
    f.parts = std::min(f.parts, f.elements);
    f.part_elements = (f.elements + f.parts - 1) / f.parts;
    if (f.inner == 1 && f.parts > 1) f.part_elements = (f.part_elements + chunk - 1) / chunk * chunk;
    f.parts = (f.elements + f.part_elements - 1) / f.part_elements;
  } else {
    f.parts = std::clamp<std::int64_t>(f.elements / 256, 1, std::max<std::int64_t>(1, 8192 / f.results));
    if (f.parts > parts_of_block) f.parts -= f.parts % parts_of_block;
    f.part_elements = (f.elements + f.parts - 1) / f.parts;
  }
}

/// Runs a program whose fold has results, elements and inner set, into `out`: the partial values of several
/// parts are folded by a second program.
launch_report submit_fold(program& p, arithmetic kind, const node_ref& out) {
  device_state& device = out->device;
  const dtype own = type_of(kind);
  divide(p.folded, device.takes_chunks, chunk_of(size_of(own)));
  const bool positions = p.fold >= fold_op::first_minimum;
  const fold_layout& f = p.folded;
  p.result = {out->data, {1}, std::int32_t(out->type), 1};
  if (f.parts == 1) return submit(device, kind, p);
  program rest{};
  rest.result = p.result;
  const node_ref partial = fresh(device, own, {f.results * f.parts}),
                 at = positions ? fresh(device, dtype::int64, {f.results * f.parts}) : node_ref();
  p.result = {partial->data, {1}, std::int32_t(own), 1};
  if (at) p.folded.partial_positions = reinterpret_cast<std::int64_t*>(at->data);
  rest.size = rest.extent[0] = f.results * f.parts;
  rest.rank = rest.leaves = 1;
  rest.root = first_leaf;
  rest.leaf[0] = p.result;
  rest.fold = p.fold;
  rest.folded.results = f.results;
  rest.folded.elements = rest.folded.part_elements = f.parts;
  rest.folded.inner = f.inner;
  rest.folded.parts = 1;
  if (at) rest.folded.given_positions = reinterpret_cast<std::int64_t*>(at->data);
  if (device.folds_parts) return submit(device, kind, p, &rest);
  launch_report all = submit(device, kind, p);
  return all += submit_fold(rest, kind, out);
}

/// The order of dimensions in which a fold passes through them, and the extents of its results.
struct fold_order {
  std::vector<int> dimensions; // kept, reduced, inner
  extents shape;
  std::int64_t elements = 1, inner = 1;

  fold_order(const extents& from, const std::vector<int>& named, bool in_chunks) {
    bool is_reduced[max_rank] = {};
    for (const int d : named) is_reduced[d] = true, elements *= from[d];
    int last = from.size();
    for (std::int64_t row = 1; last > 0 && !is_reduced[last - 1]; inner = row) row *= from[--last];
    const bool is_short = in_chunks && inner < 32; // chunks would be
    if (named.empty() || is_short) inner = 1, last = from.size();
    for (int d = 0; d < from.size(); ++d) {
      if (is_reduced[d]) continue;
      shape.push_back(from[d]);
      if (d < last) dimensions.push_back(d);
    }
    dimensions.insert(dimensions.end(), named.begin(), named.end());
    for (int d = last; d < from.size(); ++d) dimensions.push_back(d);
  }
};

/// The result of `op` over the named axes, which it no longer has, computed in the arithmetic of `kind`.
node_ref run(reduction_op op, const node_ref& from, const std::vector<int>& named, dtype result,
             arithmetic kind) {
  device_state& device = from->device;
  const std::lock_guard guard(device.lock);
  const fold_order order(from->shape, named, device.takes_chunks);
  const node_ref out = fresh(device, result, order.shape);
  if (out->size() == 0) return out;
  if (order.elements == 0) {
    const bool needs_one = op == reduction_op::argmin || op == reduction_op::argmax ||
                           op == reduction_op::min || op == reduction_op::max;
    if (needs_one) refuse(std::string(name_of(op)) + " of no elements");
    write_into(
        out, constant_node(device, result, {}, op == reduction_op::prod || op == reduction_op::all ? 1 : 0));
    return out;
  }
  // An expression that is reduced once may have no other use; with the second reduction its elements are
  // stored.
  if (from->state == node_state::recorded && from->is_folded) evaluate(from);
  from->is_folded = true;
  const node_ref n = record(step_op::positive, kind, type_of(kind), from->shape, from);
  n->converts = true;
  std::vector<node_ref> apart;
  if (from->state == node_state::recorded) list_separate(n, apart);
  evaluate_separate(n);
  program p;
  if (!translate_fold(n, order.dimensions, p, kind)) { // more registers than there are
    evaluate(from);
    translate_fold(n, order.dimensions, p, kind);
  }
  p.fold = fold_of(op);
  p.folded.results = out->size();
  p.folded.elements = order.elements;
  p.folded.inner = order.inner;
  const launch_report how = submit_fold(p, kind, out);
  out->memory->fold = {order.elements * p.folded.results,
                       p.folded.results,
                       p.folded.parts,
                       how,
                       p.fold,
                       kind,
                       std::uint8_t(p.steps),
                       std::uint8_t(p.leaves),
                       std::uint8_t(p.constants),
                       std::uint8_t(apart.size())};
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
      if (from == dtype::boolean && count > 0)
        return reduce(op == reduction_op::min ? reduction_op::all : reduction_op::any, a, axis, keepdims);
      return restored(run_as(op, from, arithmetic_of(from)));
    case reduction_op::argmin:
    case reduction_op::argmax:
      if (is_complex(from)) refuse(std::string(name_of(op)) + " of complex numbers");
      if (axis && axis->size() != 1) refuse(std::string(name_of(op)) + " takes one axis or none");
      return restored(run_as(op, dtype::int64, arithmetic_of(from)));
    case reduction_op::any:
    case reduction_op::all: { // a recorded bool is computed in its expression's arithmetic
      const node_ref& n = a.shared_node();
      const bool is_recorded = n->state == node_state::recorded && from == dtype::boolean;
      return restored(run_as(op, dtype::boolean, is_recorded ? n->kind : arithmetic_of(from)));
    }
    case reduction_op::count_nonzero: // exact: float does not count beyond 2^24
      return reduce(reduction_op::sum, a.astype(dtype::boolean), axis, keepdims);
    case reduction_op::mean: {
      const dtype to = from < dtype::float32 ? dtype::float64 : from;
      return restored(run_as(reduction_op::sum, to, arithmetic_of(to)) / count);
    }
    default: break;
  }
  a.evaluate();
  const any_array apart = a - reduce(reduction_op::mean, a, axis, true);
  const any_array squares = square(is_complex(from) ? abs(apart) : apart);
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
