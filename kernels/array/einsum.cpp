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

/// The operand with one dimension for each name of the expression, in the order of `all`: diagonals of names
/// that it has twice, an extent of 1 of those that it lacks.
any_array spread(any_array a, std::vector<int> names, const std::vector<int>& all) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size();) {
      if (names[i] != names[j]) {
        ++j;
        continue;
      }
      a = a.moveaxis(std::int64_t(j), -1)
              .moveaxis(std::int64_t(i), -1)
              .diagonal()
              .moveaxis(-1, std::int64_t(i));
      names.erase(names.begin() + std::ptrdiff_t(j));
    }
  std::vector<std::int64_t> order;
  for (const int name : all)
    if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
      order.push_back(at - names.begin());
  if (order.size() > 1) a = a.transpose(order);
  for (std::size_t d = 0; d < all.size(); ++d)
    if (std::find(names.begin(), names.end(), all[d]) == names.end()) a = a.expand_dims(std::int64_t(d));
  return a;
}

/// Products over all indices, summed.
any_array of_integers(const detail::dimensions& names, const std::vector<any_array>& operands, dtype type,
                      const extents& shape) {
  std::vector<int> all = names.out;
  for (const std::vector<int>& each : names.in)
    for (const int name : each)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  if (int(all.size()) > max_rank)
    refuse(std::string("einsum of ") + name_of(type) + " with " + std::to_string(all.size()) +
           " names; it has 8 at most, or of floating-point numbers");
  any_array out = ones({}, type, operands[0].device());
  for (std::size_t i = 0; i < operands.size(); ++i)
    out = out * spread(operands[i], names.in[i], all).astype(type);
  std::vector<std::int64_t> summed;
  for (std::size_t d = names.out.size(); d < all.size(); ++d) summed.push_back(std::int64_t(d));
  if (!summed.empty()) out = type == dtype::boolean ? any(out, summed) : sum(out, summed);
  return out.astype(type).broadcast_to(shape).copy();
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
  if (type < dtype::float32) return of_integers(names, operands, type, shape);
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
