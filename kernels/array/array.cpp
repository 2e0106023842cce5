// Members of any_array, views, creation (<prism/array.hpp>).
#include "kernels/array/node.hpp"

#include <prism/array/functions.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>

namespace prism {

using namespace array_detail;

namespace {

node_ref evaluated_of(const any_array& a) {
  a.evaluate();
  return a.shared_node();
}

/// The same elements in other dimensions. strides in elements; `offset` in elements from the first one.
any_array view_with(const any_array& a, const extents& shape, const extents& strides,
                    std::int64_t offset = 0) {
  const node_ref& base = a.shared_node();
  return any_array(view_of(base, base->data + offset * std::int64_t(size_of(base->type)), shape, strides));
}

} // namespace

any_array::any_array(const scalar& value) : any_array(value, type_of(value)) {}
any_array::any_array(const scalar& value, dtype type)
    : m_node(constant_node(device_state::of(array_device{}), type, {}, value)) {}

array_node& any_array::node() const {
  if (!m_node) refuse("an any_array that refers to no array was used");
  return *m_node;
}

dtype any_array::type() const { return node().type; }
const extents& any_array::shape() const { return node().shape; }
std::int64_t any_array::size() const { return node().size(); }
sycl::device any_array::device() const { return node().device.queue.get_device(); }
sycl::queue any_array::queue() const { return node().device.queue; }

void any_array::evaluate() const {
  node();
  array_detail::evaluate(m_node);
}
bool any_array::evaluated() const { return node().state == node_state::evaluated; }
void any_array::wait() const {
  node();
  evaluate_to_read(m_node);
  m_node->device.wait();
}
const extents& any_array::strides() const {
  evaluate();
  return m_node->strides;
}
void* any_array::data() const {
  evaluate();
  return m_node->data;
}
bool any_array::is_contiguous() const {
  evaluate();
  return m_node->contiguous();
}
std::shared_ptr<void> any_array::owner() const {
  evaluate();
  return m_node->memory;
}

void any_array::require_type(dtype wanted) const {
  if (type() != wanted)
    refuse(std::string("elements of type ") + name_of(wanted) + " were asked of an array of " +
           name_of(type()));
}

void any_array::copy_to_host(void* to, std::size_t bytes) const {
  if (bytes != nbytes())
    refuse("copy_to_host of " + std::to_string(bytes) + " bytes from an array of " +
           std::to_string(nbytes()));
  evaluate_to_read(m_node);
  const node_ref from = packed(m_node);
  from->device.read(to, from->data, bytes);
}

void any_array::copy_from_host(const void* from, std::size_t bytes) {
  if (bytes != nbytes())
    refuse("copy_from_host of " + std::to_string(bytes) + " bytes to an array of " +
           std::to_string(nbytes()));
  evaluate();
  if (!m_node->contiguous()) {
    any_array packed_values = from_host(from, shape(), type(), device());
    return write_into(m_node, packed_values.m_node);
  }
  before_write(*m_node->memory);
  m_node->device.write(m_node->data, from, bytes);
}

scalar any_array::item() const {
  if (size() != 1) refuse("item() of an array with " + std::to_string(size()) + " elements");
  char bytes[16] = {};
  copy_to_host(bytes, itemsize());
  const auto as = [&](auto zero) {
    std::copy(bytes, bytes + sizeof zero, reinterpret_cast<char*>(&zero));
    return scalar(zero);
  };
  switch (type()) {
    case dtype::boolean: return scalar(bytes[0] != 0);
    case dtype::int8: return as(std::int8_t{});
    case dtype::int16: return as(std::int16_t{});
    case dtype::int32: return as(std::int32_t{});
    case dtype::int64: return as(std::int64_t{});
    case dtype::uint8: return as(std::uint8_t{});
    case dtype::uint16: return as(std::uint16_t{});
    case dtype::uint32: return as(std::uint32_t{});
    case dtype::uint64: return as(std::uint64_t{});
    case dtype::float32: return as(float{});
    case dtype::float64: return as(double{});
    case dtype::complex64: return scalar(std::complex<double>(as(std::complex<float>{}).real));
    default: return as(std::complex<double>{});
  }
}

any_array any_array::view(const std::vector<index_item>& items) const {
  evaluate();
  const extents &from = m_node->shape, &apart = m_node->strides;
  int named = 0;
  bool has_ellipsis = false;
  for (const index_item& i : items) {
    if (i.kind == index_item::kind_type::ellipsis) {
      if (has_ellipsis) refuse("an index has more than one ellipsis");
      has_ellipsis = true;
    } else if (i.kind != index_item::kind_type::new_axis) ++named;
  }
  if (named > from.size())
    refuse("an index of " + std::to_string(named) + " dimensions for an array of shape " + text_of(from));
  extents shape, strides;
  std::int64_t offset = 0;
  int d = 0;
  const auto take_whole = [&](int until) {
    for (; d < until; ++d) shape.push_back(from[d]), strides.push_back(apart[d]);
  };
  for (const index_item& i : items) {
    if (i.kind == index_item::kind_type::ellipsis) take_whole(d + from.size() - named);
    else if (i.kind == index_item::kind_type::new_axis) shape.push_back(1), strides.push_back(0);
    else if (i.kind == index_item::kind_type::position) {
      if (i.position < -from[d] || i.position >= from[d])
        refuse("index " + std::to_string(i.position) + " is out of range for dimension " + std::to_string(d) +
               " with " + std::to_string(from[d]) + " elements");
      offset += (i.position < 0 ? i.position + from[d] : i.position) * apart[d];
      ++d;
    } else {
      const std::int64_t n = from[d], step = i.range.step;
      if (step == 0) refuse("a slice with step 0");
      const auto clamped = [&](std::int64_t at) {
        if (at < 0) at += n;
        return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
      };
      const std::int64_t first = i.range.start ? clamped(*i.range.start) : step > 0 ? 0 : n - 1;
      const std::int64_t stop = i.range.stop ? clamped(*i.range.stop) : step > 0 ? n : -1;
      const std::int64_t distance = step > 0 ? stop - first : first - stop;
      // Written so that no step overflows, the least integer included.
      const std::uint64_t size = step > 0 ? std::uint64_t(step) : 0 - std::uint64_t(step);
      const std::int64_t count = distance <= 0 ? 0 : std::int64_t((std::uint64_t(distance) - 1) / size) + 1;
      if (count > 0) offset += first * apart[d];
      shape.push_back(count);
      strides.push_back(count > 1 ? step * apart[d] : 0);
      ++d;
    }
  }
  take_whole(from.size());
  return view_with(*this, shape, strides, offset);
}

any_array any_array::transpose(const std::vector<std::int64_t>& order) const {
  const int rank = ndim();
  if (!order.empty() && int(order.size()) != rank)
    refuse("transpose: " + std::to_string(order.size()) + " axes for " + std::to_string(rank) +
           " dimensions");
  evaluate();
  extents shape, strides;
  unsigned used = 0;
  for (int d = 0; d < rank; ++d) {
    const int from = order.empty() ? rank - 1 - d : one_axis(order[std::size_t(d)], rank, "transpose");
    if (used >> from & 1) refuse("transpose: axis " + std::to_string(from) + " is given twice");
    used |= 1u << from;
    shape.push_back(m_node->shape[from]);
    strides.push_back(m_node->strides[from]);
  }
  return view_with(*this, shape, strides);
}

any_array any_array::swapaxes(std::int64_t a, std::int64_t b) const {
  std::vector<std::int64_t> order;
  for (int d = 0; d < ndim(); ++d) order.push_back(d);
  std::swap(order[std::size_t(one_axis(a, ndim(), "swapaxes"))],
            order[std::size_t(one_axis(b, ndim(), "swapaxes"))]);
  return transpose(order);
}

any_array any_array::moveaxis(std::int64_t from, std::int64_t to) const {
  const int f = one_axis(from, ndim(), "moveaxis"), t = one_axis(to, ndim(), "moveaxis");
  std::vector<std::int64_t> order;
  for (int d = 0; d < ndim(); ++d) {
    if (d != f) order.push_back(d);
  }
  order.insert(order.begin() + t, f);
  return transpose(order);
}

any_array any_array::broadcast_to(const extents& to) const {
  if (broadcast_shapes(shape(), to) != to)
    refuse("an array of shape " + text_of(shape()) + " does not broadcast to " + text_of(to));
  require_shape(to, type());
  evaluate();
  extents strides = to;
  const int lead = to.size() - ndim();
  for (int d = 0; d < to.size(); ++d)
    strides[d] = d < lead || m_node->shape[d - lead] == 1 ? 0 : m_node->strides[d - lead];
  return view_with(*this, to, strides);
}

any_array any_array::expand_dims(std::int64_t axis) const {
  const int at = new_axis(axis, ndim(), "expand_dims");
  evaluate();
  extents to, apart;
  for (int d = 0; d <= ndim(); ++d) {
    if (d == at) to.push_back(1), apart.push_back(0);
    if (d < ndim()) to.push_back(m_node->shape[d]), apart.push_back(m_node->strides[d]);
  }
  return view_with(*this, to, apart);
}

any_array any_array::squeeze(const axes& axis) const {
  bool drop[max_rank] = {};
  if (axis)
    for (const int d : all_axes(axis, ndim(), "squeeze")) {
      if (shape()[d] != 1)
        refuse("squeeze: dimension " + std::to_string(d) + " has " + std::to_string(shape()[d]) +
               " elements");
      drop[d] = true;
    }
  evaluate();
  extents to, apart;
  for (int d = 0; d < ndim(); ++d) {
    if (axis ? drop[d] : m_node->shape[d] == 1) continue;
    to.push_back(m_node->shape[d]);
    apart.push_back(m_node->strides[d]);
  }
  return view_with(*this, to, apart);
}

any_array any_array::flip(const axes& axis) const {
  const std::vector<int> which = all_axes(axis, ndim(), "flip");
  evaluate();
  extents apart = m_node->strides;
  std::int64_t offset = 0;
  for (const int d : which) {
    if (m_node->shape[d] > 0) offset += (m_node->shape[d] - 1) * apart[d];
    apart[d] = -apart[d];
  }
  return view_with(*this, m_node->shape, apart, size() == 0 ? 0 : offset);
}

any_array any_array::diagonal() const {
  const int rank = ndim();
  if (rank < 2) refuse("diagonal of an array of shape " + text_of(shape()));
  evaluate();
  extents to, apart;
  for (int d = 0; d < rank - 2; ++d) to.push_back(m_node->shape[d]), apart.push_back(m_node->strides[d]);
  to.push_back(std::min(m_node->shape[rank - 2], m_node->shape[rank - 1]));
  apart.push_back(m_node->strides[rank - 2] + m_node->strides[rank - 1]);
  return view_with(*this, to, apart);
}

any_array any_array::reshape(const extents& wanted) const {
  extents to = wanted;
  int open = -1;
  std::int64_t known = 1;
  for (int d = 0; d < to.size(); ++d) {
    if (to[d] == -1 && open < 0) open = d;
    else known *= to[d];
  }
  if (open >= 0) to[open] = known != 0 && size() % known == 0 ? size() / known : -1;
  bool fits = to.product() == size();
  for (const std::int64_t e : to) fits &= e >= 0;
  if (!fits)
    refuse("an array of shape " + text_of(shape()) + " does not have the elements of shape " +
           text_of(wanted));
  require_shape(to, type());
  evaluate();
  // Each run of dimensions that is even in memory may be divided differently.
  extents apart = packed_strides(to);
  const extents &from = m_node->shape, &old = m_node->strides;
  bool is_view = true;
  if (size() > 0 && !m_node->contiguous()) {
    int i = from.size() - 1, j = to.size() - 1;
    while (is_view && j >= 0) {
      while (i >= 0 && from[i] == 1) --i;
      if (i < 0) break; // what is left has extents of 1
      std::int64_t run = from[i], step = old[i], taken = 1;
      for (; i > 0 && (from[i - 1] == 1 || old[i - 1] == step * run); --i) run *= from[i - 1];
      --i;
      for (; j >= 0 && taken < run; --j) {
        apart[j] = step * taken;
        taken *= to[j];
      }
      is_view = taken == run;
    }
  }
  if (is_view) return view_with(*this, to, apart);
  const any_array whole(packed(m_node));
  return view_with(whole, to, packed_strides(to));
}

namespace {
any_array half_of(const any_array& a, int part) {
  const node_ref base = evaluated_of(a);
  const dtype type = base->type == dtype::complex64 ? dtype::float32 : dtype::float64;
  extents apart = base->strides;
  for (int d = 0; d < apart.size(); ++d) apart[d] *= 2;
  const node_ref n = view_of(base, base->data + part * int(size_of(type)), base->shape, apart);
  n->type = type;
  return any_array(n);
}
} // namespace

any_array any_array::real() const { return is_complex(type()) ? half_of(*this, 0) : *this; }
any_array any_array::imag() const {
  if (!is_complex(type())) return zeros(shape(), type(), device());
  return half_of(*this, 1);
}

any_array any_array::copy() const {
  const node_ref to = fresh(node().device, m_node->type, m_node->shape);
  write_into(to, m_node);
  return any_array(to);
}

any_array any_array::astype(dtype to) const {
  node();
  return any_array(record_cast(m_node, to));
}

any_array any_array::to_device(const sycl::device& on) const {
  device_state& target = device_state::of(on);
  if (&target == &node().device) return *this;
  if (m_node->state == node_state::constant)
    return any_array(constant_node(target, m_node->type, m_node->shape, m_node->number));
  const node_ref from = packed(evaluated_of(*this)), to = fresh(target, from->type, from->shape);
  // By plain memory: a queue refuses the USM pointers of another platform.
  const std::size_t bytes = nbytes();
  std::vector<char> between(std::min(bytes, std::size_t(4) << 20));
  for (std::size_t done = 0; done < bytes; done += between.size()) {
    const std::size_t count = std::min(between.size(), bytes - done);
    from->device.read(between.data(), from->data + done, count);
    target.write(to->data + done, between.data(), count);
  }
  return any_array(to);
}

void any_array::assign(const any_array& value) {
  value.node();
  evaluate();
  write_into(m_node, value.m_node);
}

void any_array::overwrite(const any_array& value) {
  value.node();
  evaluate();
  write_over(m_node, value.m_node);
}

void any_array::fill(const scalar& value) {
  evaluate();
  const dtype as =
      value.kind == scalar::kind_type::complex || is_complex(type()) ? type() : type_of(value, type());
  if (as != type() && !(is_integer(type()) && as == dtype::float64))
    refuse(std::string("a number of type ") + name_of(as) + " does not fit an array of " + name_of(type()));
  write_into(m_node, constant_node(m_node->device, type(), {}, value));
}

any_array empty(const extents& shape, dtype type, const array_device& on) {
  return any_array(fresh(device_state::of(on), type, shape));
}
any_array zeros(const extents& shape, dtype type, const array_device& on) {
  return any_array(constant_node(device_state::of(on), type, shape, 0));
}
any_array ones(const extents& shape, dtype type, const array_device& on) {
  return any_array(constant_node(device_state::of(on), type, shape, 1));
}
any_array full(const extents& shape, const scalar& value, std::optional<dtype> type, const array_device& on) {
  return any_array(constant_node(device_state::of(on), type.value_or(type_of(value)), shape, value));
}

any_array from_host(const void* data, const extents& shape, dtype type, const array_device& on) {
  const node_ref n = fresh(device_state::of(on), type, shape);
  n->device.write(n->data, data, std::size_t(n->size()) * size_of(type));
  return any_array(n);
}

any_array from_usm(void* data, const extents& shape, const extents& strides, dtype type,
                   const sycl::queue& on, std::shared_ptr<void> owner) {
  if (shape.size() != strides.size())
    refuse("from_usm: shape " + text_of(shape) + " and strides " + text_of(strides));
  if (reinterpret_cast<std::uintptr_t>(data) % std::min<std::size_t>(size_of(type), 8) != 0)
    refuse(std::string("from_usm: the memory is not aligned for ") + name_of(type));
  device_state& device = device_state::of(on.get_device());
  device.require(type);
  const auto n = std::make_shared<array_detail::array_node>(device, type, shape);
  n->memory = std::make_shared<storage>(device, static_cast<char*>(data), std::move(owner));
  n->data = n->memory->data;
  n->strides = strides;
  device.busy = true; // of commands of the user
  return any_array(n);
}

namespace {

constexpr std::int64_t most_numbers = std::int64_t(1) << 40; // of arange and linspace

/// `count` numbers that `fill` computes on the host: they are the same on every device.
template <typename T, typename Fill>
any_array computed_here(std::int64_t count, dtype type, const array_device& on, const Fill& fill) {
  device_state& device = device_state::of(on);
  if (device.is_host) { // where they stay
    const node_ref made = fresh(device, dtype_of<T>(), {count});
    any_array(made).wait(); // commands may still use the memory of an earlier array
    fill(reinterpret_cast<T*>(made->data));
    return any_array(made).astype(type);
  }
  std::vector<T> values(static_cast<std::size_t>(count));
  fill(values.data());
  return from_host(values.data(), {count}, dtype_of<T>(), on).astype(type);
}

/// first + i * step, i = 0 ...
template <typename T, typename Number>
any_array progression(std::int64_t count, Number first, Number step, dtype type, const array_device& on) {
  return computed_here<T>(count, type, on, [=](T* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(first + Number(i) * step);
  });
}

/// The whole number, which may be unsigned.
__int128 whole(const scalar& value) {
  return value.beyond_int64 ? __int128(static_cast<std::uint64_t>(value.integer)) : __int128(value.integer);
}

} // namespace

any_array arange(const scalar& start, const scalar& stop, const scalar& step, std::optional<dtype> type,
                 const array_device& on) {
  const auto most = std::max({start.kind, stop.kind, step.kind});
  if (most == scalar::kind_type::complex) refuse("arange of complex numbers");
  if (step.real == 0.0) refuse("arange with step 0");
  if (most <= scalar::kind_type::integer) {
    const __int128 first = whole(start), distance = whole(stop) - first, by = whole(step);
    const __int128 count = (distance > 0) == (by > 0) ? (distance + by - (by > 0 ? 1 : -1)) / by : 0;
    if (count > most_numbers) refuse("arange of more than 2^40 elements");
    const __int128 last = count > 0 ? first + (count - 1) * by : first, most_signed = INT64_MAX;
    if (std::max(first, last) > most_signed && std::min(first, last) < 0) // no integer type has both
      return progression<double, double>(std::int64_t(count), start.real.real(), step.real.real(),
                                         type.value_or(dtype::float64), on);
    if (std::max(first, last) > most_signed)
      return progression<std::uint64_t, std::uint64_t>(std::int64_t(count), std::uint64_t(first),
                                                       std::uint64_t(by), type.value_or(dtype::uint64), on);
    return progression<std::int64_t, std::int64_t>(std::int64_t(count), start.integer, step.integer,
                                                   type.value_or(dtype::int64), on);
  }
  const double count = std::ceil((stop.real.real() - start.real.real()) / step.real.real());
  if (!(count <= double(most_numbers)))
    refuse("arange of more than 2^40 elements, or of numbers that are not finite");
  const std::int64_t n = count > 0 ? std::int64_t(count) : 0;
  if (type.value_or(dtype::float64) == dtype::float32)
    return progression<float, double>(n, start.real.real(), step.real.real(), dtype::float32, on);
  return progression<double, double>(n, start.real.real(), step.real.real(), type.value_or(dtype::float64),
                                     on);
}

any_array linspace(double start, double stop, std::int64_t count, bool endpoint, dtype type,
                   const array_device& on) {
  if (count < 0 || count > most_numbers) refuse("linspace of " + std::to_string(count) + " elements");
  const std::int64_t parts = endpoint ? count - 1 : count;
  const double step = parts > 0 ? (stop - start) / double(parts) : 0;
  const auto fill = [=](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    for (std::int64_t i = 0; i < count; ++i) to[i] = T(double(i) * step + start);
    if (endpoint && count > 1) to[count - 1] = T(stop);
  };
  if (type == dtype::float32) return computed_here<float>(count, type, on, fill);
  return computed_here<double>(count, type, on, fill);
}

any_array eye(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t diagonal, dtype type,
              const array_device& on) {
  const std::int64_t wide = columns.value_or(rows);
  const any_array out = any_array(fresh(device_state::of(on), type, {rows, wide}));
  any_array whole = out;
  whole.fill(0);
  const std::int64_t row = diagonal < 0 ? -diagonal : 0, column = diagonal > 0 ? diagonal : 0;
  const std::int64_t count = std::min(rows - row, wide - column);
  if (row < rows && column < wide && count > 0)
    view_with(out, {count}, {wide + 1}, row * wide + column).fill(1);
  return out;
}

} // namespace prism
