// Einstein's notation for arrays (<prism/array/einsum.hpp>), by the requests of <prism/einsum.hpp>; of
// integers by the operations of arrays.
#include "kernels/array/node.hpp"

#include <prism/array/einsum.hpp>
#include <prism/einsum.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>

namespace prism::einsum {

using array_detail::device_state;
using array_detail::refuse;

namespace {

using shapes = std::vector<std::vector<std::size_t>>;

prism::detail::tensor_operand operand_of(const any_array& a) {
  prism::detail::tensor_operand out;
  switch (a.type()) {
    case dtype::float32: out.type = PRISM_F32; break;
    case dtype::float64: out.type = PRISM_F64; break;
    case dtype::complex64: out.type = PRISM_C32; break;
    default: out.type = PRISM_C64; break;
  }
  out.rank = std::size_t(a.ndim());
  for (int d = 0; d < a.ndim(); ++d)
    out.extent[std::size_t(d)] = std::size_t(a.shape()[d]), out.stride[std::size_t(d)] = a.strides()[d];
  out.where.pointer = a.data();
  return out;
}

// ---- of integers and bool: pairs from left to right by products of matrices

using labels = std::vector<int>; // the numbers of dimensions

bool has(const labels& of, int label) { return std::find(of.begin(), of.end(), label) != of.end(); }

extents shape_of(const labels& names, const detail::dimensions& of) {
  extents out;
  for (const int label : names) out.push_back(std::int64_t(of.extent.at(label)));
  return out;
}

struct operand {
  any_array array;
  labels names;
};

/// Takes diagonals of names that are there twice, repeats extents of 1, and sums over names not in `needed`.
operand prepared(operand from, const labels& needed, const detail::dimensions& what) {
  for (std::size_t d = 0; d < from.names.size(); ++d) {
    const auto again = std::find(from.names.begin() + std::ptrdiff_t(d) + 1, from.names.end(), from.names[d]);
    if (again == from.names.end()) continue;
    const auto twin = again - from.names.begin();
    const int label = from.names[d];
    from.array = from.array.moveaxis(twin, -1).moveaxis(std::int64_t(d), -1).diagonal();
    from.names.erase(again), from.names.erase(from.names.begin() + std::ptrdiff_t(d));
    from.names.push_back(label);
    --d;
  }
  from.array = from.array.broadcast_to(shape_of(from.names, what));
  std::vector<std::int64_t> summed;
  labels rest;
  for (std::size_t d = 0; d < from.names.size(); ++d)
    if (has(needed, from.names[d])) rest.push_back(from.names[d]);
    else summed.push_back(std::int64_t(d));
  if (!summed.empty()) {
    const dtype type = from.array.type();
    from.array = sum(from.array, summed).astype(type);
  }
  from.names = std::move(rest);
  return from;
}

any_array permuted(const operand& from, const labels& order) {
  std::vector<std::int64_t> places;
  for (const int label : order)
    places.push_back(std::find(from.names.begin(), from.names.end(), label) - from.names.begin());
  return places.empty() ? from.array : from.array.transpose(places);
}

/// The sum over the names that both have and `needed` has not: a product of matrices, or where that would be
/// a batch of them or has nothing to gain, products of elements and their sums.
operand contracted(const operand& a, const operand& b, const labels& needed, const detail::dimensions& what) {
  labels batch, left, right, summed;
  for (const int label : a.names)
    (!has(b.names, label) ? left : has(needed, label) ? batch : summed).push_back(label);
  for (const int label : b.names)
    if (!has(a.names, label)) right.push_back(label);
  const auto count = [&](const labels& names) { return shape_of(names, what).product(); };
  const auto chain = [](labels first, const labels& second, const labels& third) {
    first.insert(first.end(), second.begin(), second.end());
    first.insert(first.end(), third.begin(), third.end());
    return first;
  };
  const std::int64_t batches = count(batch), rows = count(left), columns = count(right),
                     terms = count(summed);
  const any_array x = permuted(a, chain(batch, left, summed)), y = permuted(b, chain(batch, right, summed));
  const labels names = chain(batch, left, right);
  any_array out;
  if (batches == 1 && rows > 1 && columns > 1 && terms > 1) {
    out = matmul(x.reshape({rows, terms}), y.reshape({columns, terms}).transpose());
  } else {
    const any_array all = x.reshape({batches, rows, 1, terms}) * y.reshape({batches, 1, columns, terms});
    out = sum(all, {{-1}}).astype(x.type());
  }
  return {out.reshape(shape_of(names, what)), names};
}

any_array of_integers(const std::vector<any_array>& arrays, const detail::dimensions& what) {
  const auto needed_from = [&](std::size_t first) {
    labels out = what.out;
    for (std::size_t i = first; i < what.in.size(); ++i)
      out.insert(out.end(), what.in[i].begin(), what.in[i].end());
    return out;
  };
  operand all = prepared({arrays[0], what.in[0]}, needed_from(1), what);
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    labels needed = needed_from(i + 1);
    labels of_pair = needed;
    of_pair.insert(of_pair.end(), all.names.begin(), all.names.end());
    const operand next = prepared({arrays[i], what.in[i]}, of_pair, what);
    all = contracted(prepared(all, needed_from(i), what), next, needed, what);
  }
  return permuted(prepared(all, what.out, what), what.out);
}

} // namespace

any_array einsum(const std::string& expression, const std::vector<any_array>& operands) {
  if (operands.empty()) refuse("einsum of no arrays");
  shapes of;
  dtype type = operands[0].type();
  for (const any_array& each : operands) {
    if (&each.node().device != &operands[0].node().device)
      refuse("einsum: the arrays are on two devices; use to_device");
    type = promote(type, each.type());
    of.emplace_back(each.shape().begin(), each.shape().end());
  }
  const detail::dimensions names = detail::dimensions_of(expression, of);
  extents shape;
  for (const int name : names.out) shape.push_back(std::int64_t(names.extent.at(name)));
  if (type < dtype::float32) {
    std::vector<any_array> numbers;
    for (const any_array& each : operands)
      numbers.push_back(each.astype(type == dtype::boolean ? dtype::int64 : type));
    return of_integers(numbers, names).astype(type).copy();
  }
  const any_array out = empty(shape, type, operands[0].device());
  if (out.size() == 0) return out;
  std::vector<any_array> converted;
  std::vector<prism::detail::tensor_operand> views;
  for (const any_array& each : operands) {
    converted.push_back(each.astype(type));
    views.push_back(operand_of(converted.back()));
  }
  device_state& device = out.node().device;
  const std::lock_guard guard(device.lock);
  device.busy = true;
  detail::run(device.queue, expression, views, operand_of(out), {});
  return out;
}

} // namespace prism::einsum
