// Factorisations, systems and eigenvalues of arrays (<prism/array/linalg.hpp>), by the requests of
// <prism/linalg.hpp>. A stack of matrices is an array of (count, rows, columns) here.
#include "kernels/array/node.hpp"

#include <prism/array/linalg.hpp>
#include <prism/linalg.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <limits>

namespace prism::linalg {

using array_detail::device_state;
using array_detail::refuse;
using detail::task;

namespace {

std::int32_t lapack_type(dtype type) {
  switch (type) {
    case dtype::float32: return PRISM_F32;
    case dtype::float64: return PRISM_F64;
    case dtype::complex64: return PRISM_C32;
    case dtype::complex128: return PRISM_C64;
    default: return PRISM_S64;
  }
}
dtype real_type(dtype type) {
  return type == dtype::complex64 ? dtype::float32 : type == dtype::complex128 ? dtype::float64 : type;
}
dtype complex_type(dtype type) {
  return type == dtype::float32 ? dtype::complex64 : type == dtype::float64 ? dtype::complex128 : type;
}
dtype floating_type(dtype type) { return type < dtype::float32 ? dtype::float64 : type; }
double epsilon_of(dtype type) {
  return real_type(type) == dtype::float32 ? double(std::numeric_limits<float>::epsilon())
                                           : std::numeric_limits<double>::epsilon();
}

/// An array's matrices as one stack, and the dimensions before them.
struct matrices {
  any_array all; // (count, rows, columns)
  extents lead;
  std::int64_t count, rows, columns;

  matrices(const any_array& a, const char* what) {
    const int rank = a.ndim();
    if (rank < 2)
      refuse(std::string(what) + ": an array of shape " + text_of(a.shape()) + " has no matrices");
    lead = extents(a.shape().begin(), std::size_t(rank - 2));
    count = lead.product(), rows = a.shape()[rank - 2], columns = a.shape()[rank - 1];
    all = a.astype(floating_type(a.type())).reshape({count, rows, columns});
  }
  dtype type() const { return all.type(); }
  void require_square(const char* what) const {
    if (rows != columns)
      refuse(std::string(what) + ": matrices of " + std::to_string(rows) + " x " + std::to_string(columns) +
             " are not square");
  }
  any_array made(const extents& each, dtype of) const {
    extents shape{count};
    for (const std::int64_t e : each) shape.push_back(e);
    return empty(shape, of, all.device());
  }
  any_array made(const extents& each) const { return made(each, type()); }
  /// With the dimensions of the caller's array instead of the count.
  any_array restored(const any_array& made) const {
    extents shape = lead;
    for (int d = 1; d < made.ndim(); ++d) shape.push_back(made.shape()[d]);
    return made.reshape(shape);
  }
};

/// A request for each matrix of some stacks, or one for all.
class call {
public:
  explicit call(task job) : m_request(job) {}
  detail::request& options() { return m_request; }
  /// An operand: matrices (count, rows, columns), vectors (count, elements).
  call& with(const any_array& each) {
    m_operands.push_back(each);
    return *this;
  }
  void run(std::int64_t count, bool has_batches) {
    if (count == 0) return;
    for (const any_array& each : m_operands) each.evaluate();
    device_state& device = m_operands[0].node().device;
    const std::lock_guard guard(device.lock);
    device.busy = true;
    if (has_batches && count > 1) return submit(device, 0, true);
    for (std::int64_t i = 0; i < count; ++i) submit(device, i, false);
  }

private:
  void submit(device_state& device, std::int64_t at, bool is_batch) {
    detail::request r = m_request;
    for (const any_array& each : m_operands) {
      const extents &shape = each.shape(), &strides = each.strides();
      prism_provider_operand& o = r.what.operand[r.what.operand_count];
      o.type = lapack_type(each.type());
      for (int d = 1; d < shape.size(); ++d, ++o.rank)
        o.extent[o.rank] = shape[d], o.stride[o.rank] = strides[d];
      if (is_batch) o.extent[o.rank] = shape[0], o.stride[o.rank] = strides[0], ++o.rank;
      r.operands[r.what.operand_count++].pointer =
          static_cast<char*>(each.data()) + at * strides[0] * std::int64_t(each.itemsize());
    }
    detail::run(device.queue, r, {});
  }

  detail::request m_request;
  std::vector<any_array> m_operands;
};

/// Waits. `why`: what it means that an info is not 0.
void require_success(const any_array& info, const char* what, const char* why) {
  const std::vector<std::int64_t> all = info.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0) continue;
    const std::string which = all.size() > 1 ? "matrix " + std::to_string(i) : std::string("the matrix");
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                          std::string(what) + ": " + which +
                              (all[i] < 0 ? " has an element that is not finite" : why) + " (info is " +
                              std::to_string(all[i]) + ")");
  }
}

constexpr char is_singular[] = " is singular", no_convergence[] = ": the iteration did not converge";

any_array adjoint(const any_array& a) { return conj(matrix_transpose(a)); }

/// Singular values, with the vectors that u and vh have room for.
any_array singular_values(const matrices& m, const any_array& u, const any_array& vh) {
  const any_array s = m.made({std::min(m.rows, m.columns)}, real_type(m.type())),
                  info = m.made({1}, dtype::int64);
  const bool is_economical = u.shape()[2] <= std::min(m.rows, m.columns) && vh.shape()[1] <= s.shape()[1];
  call(task::svd).with(m.all).with(s).with(u).with(vh).with(info).run(m.count, is_economical);
  require_success(info, "svd", no_convergence);
  return s;
}

/// The largest of each set of singular values times the tolerance, with the dimension of the set.
any_array limit_of(const any_array& s, std::optional<double> tolerance, const any_array& a) {
  const int rank = a.ndim();
  const double usual = double(std::max(a.shape()[rank - 2], a.shape()[rank - 1])) * epsilon_of(s.type());
  return max(s, {{-1}}, true) * tolerance.value_or(usual);
}

/// The same with tolerances of their own.
any_array limit_of(const any_array& s, const any_array& tolerance, const any_array&) {
  if (is_complex(tolerance.type())) refuse("rtol: tolerances are real numbers");
  const extents sets(s.shape().begin(), std::size_t(s.ndim() - 1));
  if (broadcast_shapes(sets, tolerance.shape()) != sets)
    refuse("rtol: tolerances of shape " + text_of(tolerance.shape()) + " for matrices of shape " +
           text_of(sets));
  return max(s, {{-1}}, true) * tolerance.expand_dims(-1);
}

/// Tolerance: a number or none, or an array.
template <typename Tolerance>
any_array pseudo_inverse(const any_array& a, const Tolerance& rtol) {
  const svd_result f = svd(a, false);
  if (f.s.size() == 0) return matrix_transpose(zeros(a.shape(), f.u.type(), a.device()));
  const any_array none = zeros({}, f.s.type(), a.device());
  const any_array inverse = where(f.s > limit_of(f.s, rtol, a), 1 / f.s, none);
  return matmul(adjoint(f.vh) * inverse.expand_dims(-2).astype(f.u.type()), adjoint(f.u));
}

template <typename Tolerance>
any_array rank_above(const any_array& a, const Tolerance& rtol) {
  const any_array s = svdvals(a);
  if (s.size() == 0)
    return zeros(extents(a.shape().begin(), std::size_t(a.ndim() - 2)), dtype::int64, a.device());
  return count_nonzero(s > limit_of(s, rtol, a), {{-1}});
}

} // namespace

any_array matrix_transpose(const any_array& a) {
  if (a.ndim() < 2) refuse("matrix_transpose: an array of shape " + text_of(a.shape()) + " has no matrices");
  return a.swapaxes(-1, -2);
}

any_array solve(const any_array& a, const any_array& b) {
  const dtype type = promote(floating_type(a.type()), floating_type(b.type()));
  const bool is_vector = b.ndim() == 1;
  if (b.ndim() == 0) refuse("solve: the right-hand side is a number");
  const any_array columns = is_vector ? b.expand_dims(1) : b;
  const matrices left(a.astype(type), "solve"), right(columns.astype(type), "solve");
  left.require_square("solve");
  if (left.rows != right.rows)
    refuse("solve: shapes " + text_of(a.shape()) + " and " + text_of(b.shape()) + " have " +
           std::to_string(left.rows) + " and " + std::to_string(right.rows) + " rows");
  extents shape = broadcast_shapes(left.lead, right.lead), all_of_a = shape;
  const std::int64_t count = shape.product(), n = left.rows, k = right.columns;
  for (const std::int64_t e : {n, k}) shape.push_back(e);
  for (const std::int64_t e : {n, n}) all_of_a.push_back(e);
  const any_array x = empty({count, n, k}, type, a.device()),
                  info = empty({count, 1}, dtype::int64, a.device());
  x.reshape(shape).assign(columns);
  const any_array one_each = left.count == 1 ? left.all.broadcast_to({count, n, n})
                                             : a.astype(type).broadcast_to(all_of_a).reshape({count, n, n});
  call(task::solve).with(one_each).with(x).with(info).run(count, true);
  require_success(info, "solve", is_singular);
  const any_array out = x.reshape(shape);
  return is_vector ? out.squeeze({{-1}}) : out;
}

lstsq_result lstsq(const any_array& a, const any_array& b, std::optional<double> rcond) {
  if (a.ndim() != 2 || b.ndim() < 1 || b.ndim() > 2 || a.shape()[0] != b.shape()[0])
    refuse("lstsq: shapes " + text_of(a.shape()) + " and " + text_of(b.shape()) +
           "; they are (m, n), and (m) or (m, k)");
  const std::int64_t n = a.shape()[1], k = b.ndim() == 2 ? b.shape()[1] : 1;
  const dtype type = promote(floating_type(a.type()), floating_type(b.type()));
  const any_array x = a.astype(type), right = (b.ndim() == 1 ? b.expand_dims(1) : b).astype(type);
  lstsq_result out;
  const svd_result f = svd(x, false);
  out.s = f.s;
  any_array best = zeros({n, k}, type, a.device());
  out.rank = zeros({}, dtype::int64, a.device());
  if (f.s.size() > 0) {
    const any_array is_large = f.s > limit_of(f.s, rcond, x);
    const any_array inverse = where(is_large, 1 / f.s, any_array(zeros({}, f.s.type(), a.device())));
    out.rank = count_nonzero(is_large);
    best = matmul(adjoint(f.vh), inverse.expand_dims(1).astype(type) * matmul(adjoint(f.u), right));
  }
  const bool is_determined = out.rank.item<std::int64_t>() == n && a.shape()[0] > n;
  out.residuals = is_determined ? sum(square(abs(right - matmul(x, best))), {{0}})
                                : empty({0}, real_type(type), a.device());
  out.x = b.ndim() == 1 ? best.squeeze({{1}}) : best;
  return out;
}

any_array inv(const any_array& a) {
  const matrices m(a, "inv");
  m.require_square("inv");
  const any_array out = m.made({m.rows, m.rows}), info = m.made({1}, dtype::int64);
  // Of the transposed matrices, whose columns are contiguous as LAPACK takes them.
  call(task::inverse).with(m.all.swapaxes(1, 2)).with(out.swapaxes(1, 2)).with(info).run(m.count, true);
  require_success(info, "inv", is_singular);
  return m.restored(out);
}

any_array pinv(const any_array& a, std::optional<double> rtol) { return pseudo_inverse(a, rtol); }
any_array pinv(const any_array& a, const any_array& rtol) { return pseudo_inverse(a, rtol); }

any_array det(const any_array& a) {
  const matrices m(a, "det");
  m.require_square("det");
  const any_array out = m.made({1});
  call(task::determinant).with(m.all.swapaxes(1, 2)).with(out).run(m.count, true); // as in inv()
  return out.reshape(m.lead);
}

slogdet_result slogdet(const any_array& a) {
  const matrices m(a, "slogdet");
  m.require_square("slogdet");
  const any_array sign = m.made({1}), log = m.made({1}, real_type(m.type()));
  call(task::log_determinant).with(m.all).with(sign).with(log).run(m.count, false);
  return {sign.reshape(m.lead), log.reshape(m.lead)};
}

any_array cholesky(const any_array& a, bool upper) {
  const matrices m(a, "cholesky");
  m.require_square("cholesky");
  const any_array out = m.all.copy(), info = m.made({1}, dtype::int64);
  call of(task::cholesky);
  of.options().lower = true;
  of.with(out).with(info).run(m.count, true);
  require_success(info, "cholesky", " is not positive definite");
  const any_array lower = tril(m.restored(out));
  return upper ? adjoint(lower) : lower;
}

qr_result qr(const any_array& a, bool complete) {
  const matrices m(a, "qr");
  const std::int64_t least = std::min(m.rows, m.columns), k = complete ? m.rows : least;
  const any_array factors = m.all.copy(), tau = m.made({least}), q = m.made({m.rows, k});
  call(task::qr).with(factors).with(tau).run(m.count, true);
  call(task::form_q).with(factors).with(tau).with(q).run(m.count, false);
  return {m.restored(q), triu(m.restored(factors[{every, slice{0, k}}]))};
}

namespace {
eig_result hermitian(const any_array& a, bool has_vectors) {
  const matrices m(a, "eigh");
  m.require_square("eigh");
  const std::int64_t n = has_vectors ? m.rows : 0;
  const any_array w = m.made({m.rows}, real_type(m.type())), v = m.made({n, n}),
                  info = m.made({1}, dtype::int64);
  call of(task::eigh);
  of.options().lower = true;
  of.with(m.all).with(w).with(v).with(info).run(m.count, true);
  require_success(info, "eigh", no_convergence);
  return {m.restored(w), has_vectors ? m.restored(v) : any_array()};
}
eig_result general(const any_array& a, bool has_vectors) {
  const matrices m(a, "eig");
  m.require_square("eig");
  const std::int64_t n = has_vectors ? m.rows : 0;
  const any_array w = m.made({m.rows}, complex_type(m.type())), v = m.made({n, n}, complex_type(m.type())),
                  info = m.made({1}, dtype::int64);
  call(task::eig).with(m.all).with(w).with(v).with(info).run(m.count, false);
  require_success(info, "eig", no_convergence);
  return {m.restored(w), has_vectors ? m.restored(v) : any_array()};
}
} // namespace

eig_result eigh(const any_array& a) { return hermitian(a, true); }
any_array eigvalsh(const any_array& a) { return hermitian(a, false).eigenvalues; }
eig_result eig(const any_array& a) { return general(a, true); }
any_array eigvals(const any_array& a) { return general(a, false).eigenvalues; }

svd_result svd(const any_array& a, bool full_matrices) {
  const matrices m(a, "svd");
  const std::int64_t least = std::min(m.rows, m.columns);
  const any_array u = m.made({m.rows, full_matrices ? m.rows : least}),
                  vh = m.made({full_matrices ? m.columns : least, m.columns});
  const any_array s = singular_values(m, u, vh);
  return {m.restored(u), m.restored(s), m.restored(vh)};
}

any_array svdvals(const any_array& a) {
  const matrices m(a, "svdvals");
  return m.restored(singular_values(m, m.made({0, 0}), m.made({0, 0})));
}

any_array matrix_rank(const any_array& a, std::optional<double> rtol) { return rank_above(a, rtol); }
any_array matrix_rank(const any_array& a, const any_array& rtol) { return rank_above(a, rtol); }

any_array matrix_power(const any_array& a, std::int64_t n) {
  const int rank = a.ndim();
  if (rank < 2 || a.shape()[rank - 1] != a.shape()[rank - 2])
    refuse("matrix_power of an array of shape " + text_of(a.shape()));
  any_array factor = n < 0 ? inv(a) : a, out;
  // -(n + 1) + 1: the least number has no opposite.
  for (std::uint64_t rest = n < 0 ? std::uint64_t(-(n + 1)) + 1 : std::uint64_t(n); rest != 0; rest /= 2) {
    if (rest % 2 == 1) out = out.valid() ? matmul(out, factor) : factor;
    if (rest > 1) factor = matmul(factor, factor);
  }
  if (out.valid()) return n == 1 ? a.copy() : out;
  return eye(a.shape()[rank - 1], {}, 0, a.type(), a.device()).broadcast_to(a.shape()).copy();
}

} // namespace prism::linalg
