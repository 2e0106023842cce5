// Arrays divided into segments by offsets: their scans and reductions. The first elements of an order, and
// the elements that a mask names before the others.
#include "kernels/array/moves.hpp"

#include <prism/array/functions.hpp>

#include <sycl/sycl.hpp>

namespace prism {

using namespace array_detail;

namespace {

struct segments {
  any_array offsets, lengths; // int64
  any_array begins;           // uint8: whether a segment begins at an element, and at the end
  std::int64_t shortest;      // of no segments: 0
};

/// Checks the offsets, and so waits for them.
segments segments_of(const any_array& a, const any_array& offsets, const char* what) {
  const std::string name = what;
  if (a.ndim() != 1)
    refuse(name + " of an array of shape " + text_of(a.shape()) + "; it takes one dimension");
  if (offsets.ndim() != 1 || offsets.size() == 0 || !is_integer(offsets.type()))
    refuse(name + ": the offsets are integers in one dimension, one more than segments, not " +
           name_of(offsets.type()) + " of shape " + text_of(offsets.shape()));
  require_device_of(a, offsets);
  const any_array all = offsets.astype(dtype::int64).copy();
  const any_array lengths = all[{slice{1, {}}}] - all[{slice{{}, -1}}];
  const auto first = all[{0}].item<std::int64_t>(), last = all[{-1}].item<std::int64_t>();
  const std::int64_t shortest = lengths.size() > 0 ? min(lengths).item<std::int64_t>() : 0;
  if (first != 0 || last != a.size() || shortest < 0)
    refuse(name + ": the offsets ascend from 0 to " + std::to_string(a.size()) +
           ", the number of elements; these go from " + std::to_string(first) + " to " +
           std::to_string(last) +
           (shortest < 0 ? ", and one is " + std::to_string(-shortest) + " less than the one before" : ""));
  const any_array begins = zeros({a.size() + 1}, dtype::uint8, a.device()),
                  marks = ones(all.shape(), dtype::uint8, a.device());
  run_scatter(a.node().device, marks.data(), static_cast<const std::int64_t*>(all.data()), begins.data(),
              all.size(), 1);
  return {all, lengths, begins, shortest};
}

bool adds(reduction_op op) { return op == reduction_op::sum || op == reduction_op::prod; }

/// The type of the results.
dtype type_of_segments(reduction_op op, dtype type, const char* what) {
  if (adds(op)) return sum_type(type);
  if (op != reduction_op::min && op != reduction_op::max)
    refuse(std::string(what) + " by " + name_of(op) + "; there are sum, prod, min and max");
  if (is_complex(type)) refuse(std::string(what) + ": elements of type " + name_of(type) + " have no order");
  return type;
}

/// The elements of each segment up to each place, combined.
any_array scanned(reduction_op op, const any_array& a, const segments& of, dtype type) {
  const arithmetic kind = arithmetic_of(type);
  any_array out = empty(a.shape(), array_detail::type_of(kind), a.device());
  out.assign(a);
  if (out.size() > 0)
    run_segmented_scan(a.node().device, kind, op, out.data(),
                       static_cast<const std::uint8_t*>(of.begins.data()), out.size());
  return out.astype(type);
}

any_array identity_of(reduction_op op, dtype type, const any_array& like) {
  return full({}, op == reduction_op::prod ? 1 : 0, type, like.device());
}

} // namespace

any_array segmented_scan(reduction_op op, const any_array& a, const any_array& offsets, bool exclusive) {
  const dtype type = type_of_segments(op, a.type(), "segmented_scan");
  if (exclusive && !adds(op))
    refuse(std::string("segmented_scan: an exclusive scan by ") + name_of(op) +
           " has no first element; there are exclusive ones by sum and prod");
  const segments of = segments_of(a, offsets, "segmented_scan");
  const any_array inclusive = scanned(op, a, of, type);
  if (!exclusive || a.size() == 0) return inclusive;
  const any_array none = identity_of(op, type, a);
  const any_array before = empty(a.shape(), type, a.device());
  before[{slice{0, 1}}].assign(none);
  before[{slice{1, {}}}].assign(inclusive[{slice{{}, -1}}]);
  return where(of.begins[{slice{{}, -1}}].astype(dtype::boolean), none, before);
}

any_array segmented_reduce(reduction_op op, const any_array& a, const any_array& offsets) {
  const dtype type = type_of_segments(op, a.type(), "segmented_reduce");
  const segments of = segments_of(a, offsets, "segmented_reduce");
  const bool has_empty = of.lengths.size() > 0 && of.shortest == 0;
  if (has_empty && !adds(op))
    refuse(std::string("segmented_reduce: segment ") +
           std::to_string(argmin(of.lengths).item<std::int64_t>()) + " has no elements, and so no " +
           name_of(op));
  const any_array none = identity_of(op, type, a);
  if (a.size() == 0) return none.broadcast_to(of.lengths.shape()).copy();
  const any_array all = scanned(op, a, of, type).copy();
  const any_array last = where(of.lengths > 0, of.offsets[{slice{1, {}}}] - 1, 0).copy();
  const any_array out = empty(last.shape(), type, a.device());
  if (out.size() > 0)
    run_gather(a.node().device, all.data(), static_cast<const std::int64_t*>(last.data()), out.data(),
               out.size(), out.itemsize());
  return has_empty ? where(of.lengths > 0, out, none) : out;
}

topk_result topk(const any_array& a, std::int64_t k, std::int64_t axis, bool largest) {
  const int d = one_axis(axis, a.ndim(), "topk");
  const std::int64_t n = a.shape()[d];
  if (k < 0 || k > n)
    refuse("topk: the first " + std::to_string(k) + " of " + std::to_string(n) + " elements");
  std::vector<index_item> first(std::size_t(d), every);
  first.push_back(slice{0, k});
  if (a.size() > n || k == 0 || is_complex(a.type())) { // several lines: one sort is one launch for all
    const any_array places = argsort(a, d, largest).view(first).copy();
    std::vector<any_array> at;
    for (int e = 0; e < a.ndim(); ++e) {
      extents shape;
      for (int f = 0; f < a.ndim(); ++f) shape.push_back(f == e ? a.shape()[e] : 1);
      const any_array own = arange(0, a.shape()[e], 1, dtype::int64, a.device()).reshape(shape);
      at.push_back(e == d ? places : own.broadcast_to(places.shape()));
    }
    return {a.gather(at), places};
  }
  const any_array packed = a.reshape({-1}).copy();
  const any_array keys = empty({n}, dtype::uint64, a.device()),
                  chosen = empty({k}, dtype::uint64, a.device()),
                  places = empty({k}, dtype::int64, a.device()), values = empty({k}, a.type(), a.device());
  run_keys(a.node().device, packed.data(), a.type(), static_cast<std::uint64_t*>(keys.data()), n, largest);
  run_topk(a.node().device, static_cast<const std::uint64_t*>(keys.data()), n,
           static_cast<std::uint64_t*>(chosen.data()), static_cast<std::int64_t*>(places.data()), k);
  run_gather(a.node().device, packed.data(), static_cast<const std::int64_t*>(places.data()), values.data(),
             k, a.itemsize());
  extents shape = a.shape();
  shape[d] = k;
  return {values.reshape(shape), places.reshape(shape)};
}

partition_result partition_where(const any_array& a, const any_array& mask) {
  if (a.ndim() != 1 || mask.shape() != a.shape() || mask.type() != dtype::boolean)
    refuse(std::string("partition_where takes one dimension and a mask of bool of its shape, not ") +
           text_of(a.shape()) + " and " + name_of(mask.type()) + " of shape " + text_of(mask.shape()));
  const any_array chosen = nonzero(mask)[0], others = nonzero(logical_not(mask))[0];
  return {a.take(concat({chosen, others})), chosen.size()};
}

} // namespace prism
