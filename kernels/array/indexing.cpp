// Advanced indices of any_array (integer arrays, masks), order and search.
#include "kernels/array/host_order.hpp"
#include "kernels/array/moves.hpp"

#include <prism/array/functions.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <optional>

namespace prism {

using namespace array_detail;

namespace {

const std::int64_t* positions_of(const any_array& a) { return static_cast<const std::int64_t*>(a.data()); }

any_array packed_of(const any_array& a) {
  a.evaluate();
  return any_array(packed(a.shared_node()));
}

/// The indices as int64 from 0, after a check of their range. Waits.
any_array checked(const any_array& indices, std::int64_t extent, int dimension) {
  if (!is_integer(indices.type()))
    refuse(std::string("indices of type ") + name_of(indices.type()) + "; they must be integers or a mask");
  // In the indices' own type first: uint64 beyond 2^63 must not become negative.
  if (indices.size() > 0) {
    const any_array worst =
        indices.type() == dtype::uint64 ? max(indices) : max(indices).astype(dtype::int64);
    const scalar high = worst.item(), low = min(indices).item();
    const bool is_high = high.beyond_int64 || high.integer >= extent,
               is_low = !low.beyond_int64 && low.integer < -extent;
    if (is_high || is_low)
      refuse("index " +
             (is_low || !high.beyond_int64 ? std::to_string(is_low ? low.integer : high.integer)
                                           : "of 2^63 or more") +
             " is out of range for dimension " + std::to_string(dimension) + " with " +
             std::to_string(extent) + " elements");
  }
  const any_array i = indices.astype(dtype::int64);
  return where(i < 0, i + extent, i);
}

/// Offsets, in elements, of the elements that indices of the first dimensions name in an array with these
/// strides; or only those of the first element of each row of the other dimensions.
any_array offsets_of(const any_array& a, const std::vector<any_array>& indices, const extents& strides,
                     bool of_rows = false) {
  if (indices.empty() || int(indices.size()) > a.ndim())
    refuse(std::to_string(indices.size()) + " index arrays for an array of shape " + text_of(a.shape()));
  any_array sum;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (&indices[k].node().device != &a.node().device)
      refuse("the indices are on another device; use to_device");
    const any_array part = checked(indices[k], a.shape()[int(k)], int(k)) * strides[int(k)];
    sum = sum.valid() ? sum + part : part;
  }
  for (int d = of_rows ? a.ndim() : int(indices.size()); d < a.ndim(); ++d)
    sum = sum.expand_dims(-1) + arange(0, a.shape()[d], 1, {}, a.device()) * strides[d];
  return packed_of(sum);
}

/// The offsets of the rows that some indices name, by the calling thread in one pass. Nothing where they are
/// not int64 that the host has, or many, or out of range: offsets_of() computes them, or refuses.
std::optional<any_array> offsets_here(const any_array& a, const any_array& indices, std::int64_t stride) {
  constexpr std::int64_t most = 1 << 16;
  if (indices.type() != dtype::int64 || indices.size() > most || &indices.node().device != &a.node().device)
    return std::nullopt;
  device_state& device = a.node().device;
  const any_array packed_indices = packed_of(indices), out = empty(indices.shape(), dtype::int64, a.device());
  const std::lock_guard guard(device.lock);
  if (!device.is_host || device.busy) return std::nullopt;
  const std::int64_t *const from = positions_of(packed_indices), extent = a.shape()[0];
  auto* const to = static_cast<std::int64_t*>(out.data());
  bool are_in_range = true;
  for (std::int64_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = from[i] < 0 ? from[i] + extent : from[i];
    are_in_range = are_in_range && index >= 0 && index < extent;
    to[i] = index * stride;
  }
  return are_in_range ? std::optional(out) : std::nullopt;
}

} // namespace

any_array any_array::gather(const std::vector<any_array>& indices) const {
  evaluate();
  const int first = int(indices.size());
  std::int64_t row = 1;
  for (int d = ndim() - 1; d >= first && (shape()[d] == 1 || m_node->strides[d] == row); --d)
    row *= shape()[d];
  std::int64_t rest = 1;
  for (int d = first; d < ndim(); ++d) rest *= shape()[d];
  if (row > 1 && row == rest) { // rows of neighbours
    std::optional<any_array> here;
    if (first == 1) here = offsets_here(*this, indices[0], m_node->strides[0]);
    const any_array offsets = here ? *here : offsets_of(*this, indices, m_node->strides, true);
    extents whole = offsets.shape();
    for (int d = first; d < ndim(); ++d) whole.push_back(shape()[d]);
    const any_array out = empty(whole, type(), device());
    if (offsets.size() > 0)
      run_gather_rows(m_node->device, m_node->data, positions_of(offsets), out.data(), offsets.size(), row,
                      itemsize());
    return out;
  }
  const any_array offsets = offsets_of(*this, indices, m_node->strides); // from any order of the elements
  const any_array out = empty(offsets.shape(), type(), device());
  run_gather(m_node->device, m_node->data, positions_of(offsets), out.data(), out.size(), itemsize());
  return out;
}

any_array any_array::take(const any_array& indices, std::int64_t axis) const {
  const int d = one_axis(axis, ndim(), "take");
  any_array out = moveaxis(d, 0).gather({indices});
  // The dimensions of the indices go to where the axis was.
  std::vector<std::int64_t> order;
  const int front = indices.ndim();
  for (int k = 0; k < d; ++k) order.push_back(front + k);
  for (int k = 0; k < front; ++k) order.push_back(k);
  for (int k = front + d; k < out.ndim(); ++k) order.push_back(k);
  return out.transpose(order);
}

void any_array::put(const std::vector<any_array>& indices, const any_array& value) {
  evaluate();
  const any_array offsets = offsets_of(*this, indices, m_node->strides);
  any_array from = empty(offsets.shape(), type(), device());
  from.assign(value);
  before_write(*m_node->memory);
  run_scatter(m_node->device, from.data(), positions_of(offsets), m_node->data, from.size(), itemsize());
}

namespace {

/// The places of what is true, in a packed array of bool.
any_array places_of_mask(const any_array& mask) {
  device_state& device = mask.node().device;
  const auto* const flags = static_cast<const std::uint8_t*>(mask.data());
  if (device.is_host) {
    mask.wait();
    const any_array before = empty({blocks_of_mask(mask.size()) + 1}, dtype::int64, mask.device());
    auto* const at = static_cast<std::int64_t*>(before.data());
    const any_array places = empty({count_mask_on_host(flags, mask.size(), at)}, dtype::int64, mask.device());
    if (places.size() > 0)
      list_mask_on_host(device, flags, mask.size(), at, static_cast<std::int64_t*>(places.data()));
    return places;
  }
  const any_array ends = cumulative_sum(mask);
  const std::int64_t count = mask.size() == 0 ? 0 : ends[{-1}].item<std::int64_t>();
  const any_array places = empty({count}, dtype::int64, mask.device());
  run_compact(device, flags, positions_of(ends), static_cast<std::int64_t*>(places.data()), mask.size());
  return places;
}

} // namespace

std::vector<any_array> nonzero(const any_array& a) {
  if (a.ndim() == 0) refuse("nonzero of an array without dimensions");
  const any_array mask = packed_of(a.astype(dtype::boolean));
  std::vector<any_array> out;
  any_array places = places_of_mask(mask);
  for (int d = a.ndim() - 1; d >= 0; --d) {
    const std::int64_t n = std::max<std::int64_t>(a.shape()[d], 1);
    out.insert(out.begin(), d == 0 ? places : places % n);
    places = floor_divide(places, n);
  }
  return out;
}

namespace {

std::vector<any_array> indices_of_mask(const any_array& a, const any_array& mask) {
  if (mask.type() != dtype::boolean)
    refuse(std::string("a mask of type ") + name_of(mask.type()) + "; it must be bool");
  bool fits = mask.ndim() <= a.ndim() && mask.ndim() > 0;
  for (int d = 0; fits && d < mask.ndim(); ++d) fits = mask.shape()[d] == a.shape()[d];
  if (!fits)
    refuse("a mask of shape " + text_of(mask.shape()) + " for an array of shape " + text_of(a.shape()));
  return nonzero(mask);
}

} // namespace

any_array any_array::select(const any_array& mask) const {
  if (mask.ndim() == 0)
    return expand_dims(0).select(mask.expand_dims(0)); // one dimension, of 0 or 1 elements
  return gather(indices_of_mask(*this, mask));
}

void any_array::put_where(const any_array& mask, const any_array& value) {
  if (value.size() == 1 && mask.shape() == shape() && mask.type() == dtype::boolean)
    return assign(where(mask, value.reshape({}).astype(type()), *this));
  if (mask.ndim() == 0) return expand_dims(0).put_where(mask.expand_dims(0), value);
  put(indices_of_mask(*this, mask), value);
}

namespace {

any_array keys_of(const any_array& packed_values, bool descending) {
  any_array keys = empty({packed_values.size()}, dtype::uint64, packed_values.device());
  run_keys(keys.node().device, packed_values.data(), packed_values.type(),
           static_cast<std::uint64_t*>(keys.data()), keys.size(), descending);
  return keys;
}

/// Sorts the places stably by keys[place], of uint64.
void sort_by(const any_array& keys, any_array& places) {
  device_state& device = places.node().device;
  const any_array moved = empty(places.shape(), dtype::uint64, places.device());
  run_gather(device, keys.data(), positions_of(places), moved.data(), places.size(), 8);
  run_sort(device, static_cast<std::uint64_t*>(moved.data()), static_cast<std::int64_t*>(places.data()),
           places.size());
}

/// Positions, in the array as one dimension, of the elements of each row of `n` in order. The order of
/// complex numbers is NumPy's: by the real part, then by the imaginary one; those with NaN in the imaginary
/// part are behind the others, those with NaN in the real part last.
any_array sorted_places(const any_array& values, std::int64_t n, bool descending) {
  device_state& device = values.node().device;
  const std::int64_t count = values.size();
  any_array places = arange(0, count, 1, {}, values.device());
  if (count < 2) return places;
  const bool has_parts = is_complex(values.type());
  const any_array least = has_parts ? packed_of(values.imag()) : values;
  any_array keys = keys_of(least, descending);
  auto* at = static_cast<std::int64_t*>(places.data());
  run_sort(device, static_cast<std::uint64_t*>(keys.data()), at, count);
  if (has_parts) {
    const any_array real = packed_of(values.real());
    sort_by(keys_of(real, descending), places);
    const any_array with_nan = isnan(real).astype(dtype::uint64) * 2 + isnan(least).astype(dtype::uint64);
    sort_by(packed_of(with_nan.reshape({-1})), places);
  }
  if (n < count) { // stably by row
    const any_array rows = packed_of(floor_divide(places, n).astype(dtype::uint64));
    run_sort(device, static_cast<std::uint64_t*>(rows.data()), at, count);
  }
  return places;
}

} // namespace

any_array argsort(const any_array& a, std::int64_t axis, bool descending) {
  const int d = one_axis(axis, a.ndim(), "argsort");
  const any_array last = packed_of(a.moveaxis(d, -1));
  const std::int64_t n = std::max<std::int64_t>(a.shape()[d], 1);
  const any_array places = sorted_places(last, n, descending) % n;
  return places.reshape(last.shape()).moveaxis(-1, d);
}

any_array sort(const any_array& a, std::int64_t axis, bool descending) {
  const int d = one_axis(axis, a.ndim(), "sort");
  const any_array last = packed_of(a.moveaxis(d, -1));
  const std::int64_t n = std::max<std::int64_t>(a.shape()[d], 1);
  const any_array out = empty(last.shape(), a.type(), a.device());
  device_state& device = out.node().device;
  if (device.is_host && !is_complex(a.type()) && n < out.size() && n <= longest_host_row) {
    sort_rows_on_host(device, a.type(), last.data(), out.data(), out.size() / n, n, descending);
    return out.moveaxis(-1, d);
  }
  const any_array places = sorted_places(last, n, descending);
  run_gather(a.node().device, last.data(), positions_of(places), out.data(), out.size(), a.itemsize());
  return out.moveaxis(-1, d);
}

any_array order_statistics(const any_array& a, const std::vector<std::int64_t>& ranks) {
  const any_array flat = packed_of(a.reshape({-1}));
  for (const std::int64_t rank : ranks)
    if (rank < 0 || rank >= flat.size())
      refuse("order_statistics: the place " + std::to_string(rank) + " among " + std::to_string(flat.size()) +
             " elements");
  if (!flat.node().device.is_host || is_complex(flat.type()))
    return sort(flat).take(asarray(ranks, flat.device()));
  const any_array out = empty({std::int64_t(ranks.size())}, flat.type(), flat.device());
  flat.wait();
  find_ranks_on_host(flat.type(), flat.data(), flat.size(), ranks.data(), std::int64_t(ranks.size()),
                     out.data());
  return out;
}

any_array bincount(const any_array& numbers, std::int64_t count) {
  if (!is_integer(numbers.type()))
    refuse(std::string("bincount of elements of type ") + name_of(numbers.type()));
  if (count < 0) refuse("bincount: " + std::to_string(count) + " numbers to count");
  const any_array all = packed_of(numbers.astype(dtype::int64).reshape({-1}));
  if (count == 0 || all.size() == 0) return zeros({count}, dtype::int64, numbers.device());
  const any_array out = empty({count}, dtype::int64, numbers.device());
  run_bincount(all.node().device, static_cast<const std::int64_t*>(all.data()), all.size(),
               static_cast<std::int64_t*>(out.data()), count);
  return out;
}

any_array histogram(const any_array& a, const any_array& edges, bool evenly) {
  const dtype type = a.type();
  if (type != edges.type() || (type != dtype::float32 && type != dtype::float64 && type != dtype::int64))
    refuse(std::string("histogram of elements of type ") + name_of(type) + " between edges of type " +
           name_of(edges.type()) + "; both are float32, float64 or int64");
  if (edges.ndim() != 1 || edges.size() < 2)
    refuse("histogram: edges of shape " + text_of(edges.shape()) + "; they are two or more in a line");
  require_device_of(a, edges);
  const any_array flat = packed_of(a.reshape({-1})), bounds = packed_of(edges);
  const std::int64_t bins = edges.size() - 1;
  const any_array out = zeros({bins}, dtype::int64, a.device()).copy();
  if (flat.size() > 0)
    run_histogram(out.node().device, type, flat.data(), flat.size(), bounds.data(),
                  static_cast<std::int64_t*>(out.data()), bins, evenly);
  any_array last = out[{slice{-1, {}}}];
  last.assign(last + count_nonzero(flat == bounds[{-1}]));
  return out;
}

any_array unique(const any_array& a) {
  const any_array sorted = sort(a.reshape({-1}), 0);
  if (sorted.size() < 2) return sorted;
  any_array first = empty(sorted.shape(), dtype::boolean, a.device());
  first[{0}].fill(true);
  first[{slice{1, {}}}].assign(sorted[{slice{1, {}}}] != sorted[{slice{{}, -1}}]);
  return sorted.select(first);
}

any_array searchsorted(const any_array& a, const any_array& values, bool right) {
  if (a.ndim() != 1) refuse("searchsorted in an array of shape " + text_of(a.shape()));
  if (&a.node().device != &values.node().device)
    refuse("searchsorted: the operands are on two devices; use to_device");
  const dtype both = promote(a.type(), values.type());
  const any_array in = keys_of(packed_of(a.astype(both)), false),
                  of = keys_of(packed_of(values.astype(both)), false);
  const any_array out = empty(values.shape(), dtype::int64, a.device());
  run_search(a.node().device, static_cast<const std::uint64_t*>(in.data()), in.size(),
             static_cast<const std::uint64_t*>(of.data()), static_cast<std::int64_t*>(out.data()), out.size(),
             right);
  return out;
}

} // namespace prism
