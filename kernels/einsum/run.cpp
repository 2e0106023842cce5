// Carries out an expression: pairs become products of matrices (blas) where they can, and otherwise one
// kernel (steps.hpp). Strides of tensors count components here.
#include "kernels/blas/own.hpp"
#include "kernels/einsum/expression.hpp"
#include "kernels/einsum/steps.hpp"

#include <prism/einsum.hpp>

#include <algorithm>
#include <cstdlib>

namespace prism::einsum {
namespace {

using detail_operand = prism::detail::tensor_operand;

/// An operand or an intermediate result.
template <typename T>
struct value {
  blas::place<blas::real_of<T>> where;
  labels names;
  std::map<label, std::ptrdiff_t> stride;

  std::ptrdiff_t stride_of(label one) const {
    const auto found = stride.find(one);
    return found == stride.end() ? 0 : found->second;
  }
};

/// Labels that one stride spans in all of some values, as one dimension.
using extents = std::map<label, std::size_t>;
std::size_t size_of(const labels& names, const extents& extent) {
  std::size_t out = 1;
  for (const label one : names) out *= extent.at(one);
  return out;
}
template <typename T>
bool spans(const value<T>& of, const labels& group, const extents& extent) {
  bool first = true;
  std::ptrdiff_t before = 0;
  for (const label one : group) {
    if (extent.at(one) == 1) continue;
    const std::ptrdiff_t stride = of.stride_of(one);
    if (!first && before != stride * static_cast<std::ptrdiff_t>(extent.at(one))) return false;
    before = stride, first = false;
  }
  return true;
}
/// The stride of the group: that of its last label.
template <typename T>
std::ptrdiff_t step_of(const value<T>& of, const labels& group, const extents& extent) {
  for (std::size_t i = group.size(); i-- > 0;)
    if (extent.at(group[i]) != 1) return of.stride_of(group[i]);
  return blas::parts_of<T>;
}
/// The labels of a group in the order of memory.
template <typename T>
labels in_order_of(const value<T>& of, labels group) {
  std::stable_sort(group.begin(), group.end(),
                   [&](label a, label b) { return std::abs(of.stride_of(a)) > std::abs(of.stride_of(b)); });
  return group;
}

template <typename T>
class call {
public:
  call(sycl::queue& queue, const expression& whole, events depends)
      : m_queue(queue), m_whole(whole), m_before(std::move(depends)) {}

  sycl::event run(const std::vector<detail_operand>& in, const detail_operand& out) {
    std::vector<value<T>> list;
    for (std::size_t i = 0; i < in.size(); ++i) list.push_back(seen(in[i], m_whole.in[i]));
    const value<T> target = seen(out, m_whole.out, false);
    if (std::any_of(in.begin(), in.end(), [](const auto& one) { return one.empty(); })) return zero(target);
    std::vector<labels> names;
    for (const value<T>& one : list) names.push_back(one.names);
    if (list.size() == 1) return sum(list[0], nullptr, target), end();
    const std::vector<contraction> path = path_of(names, m_whole);
    for (std::size_t step = 0; step < path.size(); ++step) {
      const auto [i, j] = path[step];
      const labels others = needed_by_others(names, i, j, m_whole.out);
      const value<T> a = list[i], b = list[j];
      const bool last = step + 1 == path.size();
      list.push_back(contracted(a, b, others, last ? &target : nullptr));
      names.push_back(list.back().names);
      list.erase(list.begin() + std::ptrdiff_t(j)), list.erase(list.begin() + std::ptrdiff_t(i));
      names.erase(names.begin() + std::ptrdiff_t(j)), names.erase(names.begin() + std::ptrdiff_t(i));
    }
    return end();
  }

private:
  static constexpr std::ptrdiff_t components = blas::parts_of<T>;

  sycl::event end() {
    return m_before.size() == 1 ? m_before.front() : m_queue.ext_oneapi_submit_barrier(m_before);
  }
  void then(const sycl::event& done) { m_before.assign(1, done); }

  /// A name twice adds the strides, which gives the diagonal. An extent of 1 where others have more is left
  /// out, so that the operand is repeated.
  value<T> seen(const detail_operand& from, const labels& names, bool is_read = true) const {
    value<T> out;
    out.where = blas::place<blas::real_of<T>>(from.where, int(components));
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (is_read && from.extent[d] == 1 && m_whole.extent.at(names[d]) != 1) continue;
      if (!has(out.names, names[d])) out.names.push_back(names[d]);
      out.stride[names[d]] += from.stride[d] * components;
    }
    return out;
  }
  value<T> temporary(const labels& names) const {
    value<T> out;
    out.names = names;
    std::ptrdiff_t apart = components;
    for (std::size_t d = names.size(); d-- > 0;) {
      out.stride[names[d]] = apart;
      apart *= static_cast<std::ptrdiff_t>(m_whole.extent.at(names[d]));
    }
    out.where = blas::place<blas::real_of<T>>(sycl::buffer<blas::real_of<T>, 1>{
        sycl::range<1>(std::max<std::size_t>(1, static_cast<std::size_t>(apart)))});
    return out;
  }

  /// `to` = the sum of a, or of a b, over the names that `to` lacks.
  void sum(const value<T>& a, const value<T>* b, const value<T>& to) {
    std::vector<dimension> kept, summed;
    for (const label one : in_order_of(to, to.names))
      kept.push_back(
          {m_whole.extent.at(one), a.stride_of(one), b ? b->stride_of(one) : 0, to.stride_of(one)});
    for (const label one : in_order_of(a, b ? joined(a.names, b->names) : a.names))
      if (!has(to.names, one))
        summed.push_back({m_whole.extent.at(one), a.stride_of(one), b ? b->stride_of(one) : 0, 0});
    then(sum_of_products<T>(m_queue, kept, summed, a.where, b != nullptr, b ? b->where : a.where, to.where,
                            m_before));
  }
  sycl::event zero(const value<T>& to) {
    std::vector<dimension> kept;
    for (const label one : to.names) kept.push_back({m_whole.extent.at(one), 0, 0, to.stride_of(one)});
    return sum_of_products<T>(m_queue, kept, {{0, 0, 0, 0}}, to.where, false, to.where, to.where, m_before);
  }
  value<T> copy(const value<T>& from, const labels& order) {
    const value<T> out = temporary(order);
    sum(from, nullptr, out);
    return out;
  }
  value<T> without(const value<T>& from, const labels& gone) {
    if (gone.empty()) return from;
    labels rest;
    for (const label one : from.names)
      if (!has(gone, one)) rest.push_back(one);
    return copy(from, rest);
  }

  value<T> contracted(value<T> a, value<T> b, const labels& others, const value<T>* target) {
    roles r = roles_of(a.names, b.names, others, m_whole.extent);
    a = without(a, r.only_left), b = without(b, r.only_right);
    const value<T> to = target ? *target : temporary(joined(joined(r.batch, r.left), r.right));
    if (r.is_product()) multiply(a, b, r, to);
    else sum(a, &b, to);
    return to;
  }

  /// One order for each group of labels, and the values that must be copied for it.
  struct layout {
    labels batch, left, right, summed;
    bool copies_a = false, copies_b = false, copies_to = false;
  };
  /// Of the orders in which either value has the group, the one for which less is copied.
  labels chosen(const labels& group, const value<T>& x, bool& copies_x, const value<T>& y, bool& copies_y) {
    const extents& e = m_whole.extent;
    const labels by_x = in_order_of(x, group), by_y = in_order_of(y, group);
    if (spans(x, by_x, e) && spans(y, by_x, e)) return by_x;
    if (spans(x, by_y, e) && spans(y, by_y, e)) return by_y;
    const bool keep_x =
        spans(x, by_x, e) && (!spans(y, by_y, e) || size_of(x.names, e) >= size_of(y.names, e));
    copies_y = copies_y || keep_x || !spans(y, by_y, e);
    copies_x = copies_x || !keep_x;
    return keep_x ? by_x : by_y;
  }
  /// Whether products read it well: rows or columns are contiguous, or it is not worth a copy.
  bool is_usual(const value<T>& of, const labels& rows, const labels& columns, std::size_t reuse) const {
    const extents& e = m_whole.extent;
    constexpr std::size_t worth = 8;
    return reuse < worth || size_of(rows, e) == 1 || size_of(columns, e) == 1 ||
           step_of(of, rows, e) == components || step_of(of, columns, e) == components;
  }

  void multiply(value<T> a, value<T> b, const roles& r, const value<T>& to) {
    layout of;
    of.left = chosen(r.left, a, of.copies_a, to, of.copies_to);
    of.right = chosen(r.right, b, of.copies_b, to, of.copies_to);
    of.summed = chosen(r.summed, a, of.copies_a, b, of.copies_b);
    of.batch = chosen(r.batch, a, of.copies_a, b, of.copies_b);
    of.copies_to = of.copies_to || !spans(to, of.batch, m_whole.extent);
    if (of.copies_a || !is_usual(a, of.left, of.summed, r.columns))
      a = copy(a, joined(joined(of.batch, of.left), of.summed));
    if (of.copies_b || !is_usual(b, of.summed, of.right, r.rows))
      b = copy(b, joined(joined(of.batch, of.summed), of.right));
    const value<T> result = of.copies_to ? temporary(joined(joined(of.batch, of.left), of.right)) : to;
    blas::detail::request what(PRISM_GEMM);
    what.set(what.alpha, T(1)), what.set(what.beta, T(0));
    add(what, a, of.batch, of.left, of.summed, r);
    add(what, b, of.batch, of.summed, of.right, r);
    add(what, result, of.batch, of.left, of.right, r);
    then(blas::detail::run(m_queue, what, m_before));
    if (of.copies_to) sum(result, nullptr, to);
  }
  void add(blas::detail::request& what, const value<T>& of, const labels& batch, const labels& rows,
           const labels& columns, const roles& r) const {
    const int i = what.what.operand_count++;
    const extents& e = m_whole.extent;
    prism_provider_operand& o = what.what.operand[i];
    o.type = blas::detail::type_of<T>::id, o.rank = r.batches == 1 ? 2 : 3;
    o.extent[0] = std::int64_t(size_of(rows, e)), o.extent[1] = std::int64_t(size_of(columns, e));
    o.stride[0] = o.extent[0] == 1 ? o.extent[1] : step_of(of, rows, e) / components;
    o.stride[1] = o.extent[1] == 1 ? 1 : step_of(of, columns, e) / components;
    if (o.extent[1] == 1 && o.stride[0] == 1) o.stride[1] = o.extent[0];
    if (o.rank == 3) o.extent[2] = std::int64_t(r.batches), o.stride[2] = step_of(of, batch, e) / components;
    what.operands[i] = blas::memory_of<T>(of.where);
  }

  sycl::queue& m_queue;
  const expression& m_whole;
  events m_before;
};

std::vector<std::size_t> extents_of(const detail_operand& of) {
  return {of.extent.begin(), of.extent.begin() + std::ptrdiff_t(of.rank)};
}

/// Whether two indices may be at one element; strides that interleave count too.
bool overlaps(const detail_operand& of) {
  std::vector<std::pair<std::size_t, std::size_t>> steps; // stride, extent
  for (std::size_t d = 0; d < of.rank; ++d)
    if (of.extent[d] > 1) steps.emplace_back(static_cast<std::size_t>(std::abs(of.stride[d])), of.extent[d]);
  std::sort(steps.begin(), steps.end());
  std::size_t reach = 0;
  for (const auto& [stride, extent] : steps) {
    if (stride <= reach) return true;
    reach += stride * (extent - 1);
  }
  return false;
}

void check(const std::string& text, const expression& whole, const std::vector<detail_operand>& in,
           const detail_operand& out) {
  const std::string begin = "einsum: \"" + text + "\": ";
  if (out.rank != whole.out.size())
    prism::detail::refuse_view(begin + "the result has " + std::to_string(out.rank) +
                               " dimensions instead of " + std::to_string(whole.out.size()));
  for (std::size_t d = 0; d < out.rank; ++d)
    if (out.extent[d] != whole.extent.at(whole.out[d]))
      prism::detail::refuse_view(begin + "dimension " + std::to_string(d) + " of the result has " +
                                 std::to_string(out.extent[d]) + " elements instead of " +
                                 std::to_string(whole.extent.at(whole.out[d])));
  if (out.empty()) return;
  if (overlaps(out)) prism::detail::refuse_view(begin + "elements of the result overlap");
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i].empty() && blas::coincide(in[i].where, out.where))
      prism::detail::refuse_view(begin + "the result begins where operand " + std::to_string(i) + " does");
}

} // namespace

sycl::event detail::run(sycl::queue& queue, const std::string& text, const std::vector<tensor_operand>& in,
                        const tensor_operand& out, const std::vector<sycl::event>& depends) {
  std::vector<std::vector<std::size_t>> extents;
  for (const tensor_operand& one : in) extents.push_back(extents_of(one));
  const expression whole = parsed(text, extents);
  check(text, whole, in, out);
  prism_provider_operation type{};
  type.operand[0].type = out.type;
  blas::require_type(queue.get_device(), type, "einsum");
  switch (out.type) {
    case PRISM_F32: return call<float>(queue, whole, depends).run(in, out);
    case PRISM_F64: return call<double>(queue, whole, depends).run(in, out);
    case PRISM_C32: return call<std::complex<float>>(queue, whole, depends).run(in, out);
    case PRISM_C64: return call<std::complex<double>>(queue, whole, depends).run(in, out);
    default:
      prism::detail::refuse_view("einsum: elements are float, double or std::complex of them, not type " +
                                 std::to_string(out.type));
  }
}

detail::dimensions detail::dimensions_of(const std::string& text,
                                         const std::vector<std::vector<std::size_t>>& extents) {
  expression whole = parsed(text, extents);
  return {std::move(whole.in), std::move(whole.out), std::move(whole.extent)};
}

std::string detail::explain(const std::string& text, const std::vector<std::vector<std::size_t>>& extents) {
  const expression whole = parsed(text, extents);
  std::vector<labels> names;
  for (std::size_t i = 0; i < whole.in.size(); ++i) {
    names.emplace_back();
    for (std::size_t d = 0; d < whole.in[i].size(); ++d)
      if (extents[i][d] == whole.extent.at(whole.in[i][d]) && !has(names[i], whole.in[i][d]))
        names[i].push_back(whole.in[i][d]);
  }
  if (names.size() == 1) return text_of(whole.in[0]) + "->" + text_of(whole.out) + ": a sum\n";
  std::string out;
  for (const auto& [i, j] : path_of(names, whole)) {
    const labels others = needed_by_others(names, i, j, whole.out);
    const roles r = roles_of(names[i], names[j], others, whole.extent);
    const bool last = names.size() == 2;
    const labels result = last ? whole.out : joined(joined(r.batch, r.left), r.right);
    out += text_of(names[i]) + "," + text_of(names[j]) + "->" + text_of(result) + ": ";
    const auto size = [](std::size_t m, std::size_t n) {
      return std::to_string(m) + " x " + std::to_string(n);
    };
    out += r.is_product()
               ? (r.batches == 1 ? "a product" : std::to_string(r.batches) + " products") +
                     std::string(" of ") + size(r.rows, r.terms) + " and " + size(r.terms, r.columns) + "\n"
               : "sums of " + std::to_string(r.terms) + " products\n";
    names.push_back(result);
    names.erase(names.begin() + std::ptrdiff_t(j)), names.erase(names.begin() + std::ptrdiff_t(i));
  }
  return out;
}

} // namespace prism::einsum
