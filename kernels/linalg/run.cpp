// Runs a call: its checks, then the steps of its decomposition.
#include "kernels/blas/own.hpp"
#include "kernels/linalg/batched.hpp"
#include "kernels/linalg/decompose.hpp"
#include "kernels/linalg/operands.hpp"

#include <prism/linalg.hpp>

#include <algorithm>
#include <array>

namespace prism::linalg {
namespace {

using detail::task;

/// What is known of a task: its operands' names, and which are written (bit i: operand i).
struct facts {
  const char* name;
  std::uint32_t written;
};
constexpr std::array all_facts = std::to_array<facts>({{"transpose", 2},
                                                       {"transpose", 1},
                                                       {"norm", 2},
                                                       {"lu", 7},
                                                       {"lu_solve", 4},
                                                       {"cholesky", 3},
                                                       {"cholesky_solve", 2},
                                                       {"qr", 3},
                                                       {"qr_pivoted", 7},
                                                       {"multiply_q", 4},
                                                       {"form_q", 4},
                                                       {"solve", 6},
                                                       {"solve_positive", 6},
                                                       {"least_squares", 12},
                                                       {"least_squares", 28},
                                                       {"inverse", 6},
                                                       {"determinant", 2},
                                                       {"log_determinant", 6},
                                                       {"exp", 6},
                                                       {"sqrt", 6},
                                                       {"eigh", 14},
                                                       {"eigh", 28},
                                                       {"eig", 14},
                                                       {"eig", 30},
                                                       {"svd", 30}});

const facts& facts_of(const detail::request& r) { return all_facts[static_cast<std::size_t>(r.job)]; }

/// "solve float 3x4, 3x2, 1".
std::string text_of(const detail::request& r) {
  std::string out = std::string(facts_of(r).name) + " " + provider::name_of_type(r.what.operand[0].type);
  for (int i = 0; i < r.what.operand_count; ++i) {
    const prism_provider_operand& o = r.what.operand[i];
    out.append(i == 0 ? " " : ", ").append(std::to_string(o.extent[0]));
    for (int d = 1; d < o.rank; ++d) out.append("x").append(std::to_string(o.extent[d]));
  }
  return out;
}

/// Extents of one request, and what they must be.
class checked {
public:
  explicit checked(const detail::request& r) : m_request(r) {}
  std::int64_t rows(int i) const { return m_request.what.operand[i].extent[0]; }
  std::int64_t columns(int i) const { return m_request.what.operand[i].extent[1]; }
  bool empty(int i) const { return rows(i) == 0 || columns(i) == 0; }
  void square(int i) const {
    if (rows(i) != columns(i)) refuse("operand " + std::to_string(i) + " is not square");
  }
  void size(int i, std::int64_t elements) const {
    if (rows(i) != elements)
      refuse("operand " + std::to_string(i) + " needs " + std::to_string(elements) + " elements");
  }
  void shape(int i, std::int64_t of_rows, std::int64_t of_columns) const {
    if (rows(i) != of_rows || columns(i) != of_columns)
      refuse("operand " + std::to_string(i) + " needs to be " + std::to_string(of_rows) + "x" +
             std::to_string(of_columns));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    prism::detail::refuse_view(text_of(m_request) + ": " + why);
  }

private:
  const detail::request& m_request;
};

void check_results(const detail::request& r, const checked& c) {
  const std::int64_t m = c.rows(0), n = c.columns(0), least = std::min(m, n);
  switch (r.job) {
    case task::eigh:
    case task::eig:
      c.square(0), c.size(1, n), c.size(3, 1);
      if (!c.empty(2)) c.shape(2, n, n);
      return;
    case task::eig_of_both_sides:
      c.square(0), c.size(1, n), c.size(4, 1);
      for (const int i : {2, 3})
        if (!c.empty(i)) c.shape(i, n, n);
      return;
    case task::eigh_generalised:
      c.square(0), c.shape(1, n, n), c.size(2, n), c.size(4, 1);
      if (!c.empty(3)) c.shape(3, n, n);
      return;
    case task::svd:
      c.size(1, least), c.size(4, 1);
      if (c.empty(2) && c.empty(3)) return;
      c.shape(2, m, c.columns(2) == m && c.rows(3) == n ? m : least);
      return c.shape(3, c.columns(2) == m && c.rows(3) == n ? n : least, n);
    default: return;
  }
}

void check_shapes(const detail::request& r) {
  const checked c(r);
  const std::int64_t m = c.rows(0), n = c.columns(0), least = std::min(m, n);
  switch (r.job) {
    case task::transpose: return c.shape(1, n, m);
    case task::transpose_in_place: return;
    case task::norm: return c.size(1, 1);
    case task::lu: return c.size(1, least), c.size(2, 1);
    case task::lu_solve: return c.square(0), c.size(1, n), c.shape(2, n, c.columns(2));
    case task::cholesky: return c.square(0), c.size(1, 1);
    case task::cholesky_solve: return c.square(0), c.shape(1, n, c.columns(1));
    case task::qr: return c.size(1, least);
    case task::qr_pivoted: return c.size(1, n), c.size(2, least);
    case task::multiply_q:
      c.size(1, least);
      return r.right ? c.shape(2, c.rows(2), m) : c.shape(2, m, c.columns(2));
    case task::form_q: return c.size(1, least), c.shape(2, m, std::min(m, c.columns(2)));
    case task::solve:
    case task::solve_positive: return c.square(0), c.shape(1, n, c.columns(1)), c.size(2, 1);
    case task::least_squares_by_svd: c.size(4, 1); [[fallthrough]];
    case task::least_squares: return c.shape(1, m, c.columns(1)), c.shape(2, n, c.columns(1)), c.size(3, 1);
    case task::inverse:
    case task::exp:
    case task::sqrt: return c.square(0), c.shape(1, n, n), c.size(2, 1);
    case task::log_determinant: c.size(2, 1); [[fallthrough]];
    case task::determinant: return c.square(0), c.size(1, 1);
    default: return check_results(r, c);
  }
}

bool has_elements(const prism_provider_operand& o) {
  return std::all_of(o.extent, o.extent + o.rank, [](std::int64_t extent) { return extent != 0; });
}

bool is_batch(const detail::request& r) { return r.what.operand[0].rank == 3; }
/// Matrices, and vectors and numbers next to them.
int own_rank(const detail::request& r, int operand) {
  return r.what.operand[operand].rank - (is_batch(r) ? 1 : 0);
}
std::int64_t batch_of(const detail::request& r) { return r.what.operand[0].extent[2]; }

void check_batch(const detail::request& r) {
  const checked c(r);
  for (int i = 0; i < r.what.operand_count; ++i)
    if (const std::int64_t count = r.what.operand[i].extent[own_rank(r, i)]; count != batch_of(r))
      c.refuse("operand " + std::to_string(i) + " has a batch of " + std::to_string(count) + " instead of " +
               std::to_string(batch_of(r)));
  if (r.job != task::svd || (c.empty(2) && c.empty(3))) return;
  const std::int64_t least = std::min(c.rows(0), c.columns(0));
  c.shape(2, c.rows(0), least), c.shape(3, least, c.columns(0));
}

/// Two operands of which one is written must not begin at one element, and a written one not overlap itself.
void check_memory(const detail::request& r) {
  const std::uint32_t written = facts_of(r).written;
  const checked c(r);
  const int count = r.what.operand_count;
  for (int i = 0; i < count; ++i) {
    const prism_provider_operand& o = r.what.operand[i];
    const bool is_written = (written >> i & 1u) != 0;
    if (is_written && provider::overlaps(o))
      c.refuse("operand " + std::to_string(i) + " is written and its elements overlap");
    for (int j = 0; is_written && j < count; ++j)
      if (i != j && has_elements(o) && has_elements(r.what.operand[j]) &&
          blas::coincide(r.operands[i], r.operands[j]))
        c.refuse("operand " + std::to_string(i) + " is written and begins where operand " +
                 std::to_string(j) + " does");
  }
}

/// The tasks of one element type, as sequences of steps.
template <typename T>
class call {
public:
  call(sycl::queue& queue, const detail::request& r, const events& depends)
      : m_request(r), m_steps{queue, depends} {}

  sycl::event run() {
    const std::int64_t m = m_request.what.operand[0].extent[0], n = m_request.what.operand[0].extent[1];
    if (m == 0 || n == 0) run_without_elements();
    else if (m_request.job >= task::solve) run_systems();
    else run_factors();
    return m_steps.end();
  }

private:
  using R = real_of<T>;
  using C = complex_of<T>;
  matrix<T> at(int i) const { return matrix<T>(m_request, i); }
  vector<T> line(int i) const { return vector<T>(m_request, i); }
  indices index(int i) const { return indices(m_request, i); }
  vector<R> reals(int i) const { return vector<R>(m_request, i); }
  matrix<T> copy_of(const matrix<T>& a) {
    const matrix<T> out = temporary<T>(a.rows, a.columns);
    copy(m_steps, a, out);
    return out;
  }
  /// An operand for code without conjugates.
  matrix<T> plain(int i, part which = part::all) {
    const matrix<T> a = at(i);
    if (!a.conjugate) return a;
    const matrix<T> out = temporary<T>(a.rows, a.columns);
    copy(m_steps, a, out, which);
    return out;
  }
  matrix<T> copy_of_hermitian(matrix<T> a) {
    a.kind = blas::form::hermitian, a.lower = m_request.lower;
    return copy_of(a);
  }

  void run_without_elements();
  void run_factors();
  void run_systems();
  void run_decompositions();
  void transpose_in_place();
  void least_squares();
  void least_squares_by_svd();
  void generalised();
  /// Factors a copy; B = its solution.
  void solve(const matrix<T>& b, const indices& info) {
    if (solve_here(m_steps, at(0), b, info)) return;
    const matrix<T> factors = copy_of(at(0));
    const indices pivots = temporary_vector<std::int64_t>(factors.rows);
    lu(m_steps, factors, pivots, info);
    if (b.size() != 0) solve_by_lu(m_steps, operation::plain, factors, pivots, b);
  }
  void determinant(const vector<R>& log) {
    const matrix<T> factors = copy_of(at(0));
    const indices pivots = temporary_vector<std::int64_t>(factors.rows);
    lu(m_steps, factors, pivots, temporary_vector<std::int64_t>(1));
    determinant_of_lu(m_steps, factors, pivots, line(1), log);
  }

  const detail::request& m_request;
  sequence m_steps;
};

template <typename T>
void call<T>::run_without_elements() {
  const int last = m_request.what.operand_count - 1;
  switch (m_request.job) {
    case task::norm: return linalg::norm(m_steps, norm_kind(m_request.option), at(0), reals(1));
    case task::log_determinant: fill(m_steps, matrix<R>(reals(2)), R(0), R(0)); [[fallthrough]];
    case task::determinant: return fill(m_steps, matrix<T>(line(1)), R(1), R(1));
    case task::form_q:
      if (at(2).size() != 0) fill(m_steps, at(2), R(0), R(1));
      return;
    case task::qr_pivoted: return set(m_steps, index(1), 0, 1);
    case task::svd: // the bases of the side that has elements
      for (const int i : {2, 3})
        if (at(i).size() != 0) fill(m_steps, at(i), R(0), R(1));
      return set(m_steps, index(last), 0, 0);
    case task::least_squares_by_svd: set(m_steps, index(3), 0, 0); [[fallthrough]];
    case task::least_squares:
      if (at(2).size() != 0) fill(m_steps, at(2), R(0), R(0));
      return set(m_steps, index(last), 0, 0);
    case task::transpose:
    case task::transpose_in_place:
    case task::lu_solve:
    case task::cholesky_solve:
    case task::qr:
    case task::multiply_q: return;
    default: return set(m_steps, index(last), 0, 0);
  }
}

template <typename T>
void call<T>::transpose_in_place() {
  const matrix<T> a = at(0);
  if (a.rows == a.columns) return transpose_square(m_steps, a);
  constexpr std::ptrdiff_t parts = parts_of<T>;
  const auto rows = std::ptrdiff_t(a.rows) * parts, columns = std::ptrdiff_t(a.columns) * parts;
  const bool by_rows =
                 (a.column_stride == parts || a.columns == 1) && (a.row_stride == columns || a.rows == 1),
             by_columns =
                 (a.row_stride == parts || a.rows == 1) && (a.column_stride == rows || a.columns == 1);
  if (!by_rows && !by_columns)
    checked(m_request).refuse(
        "a matrix that is not square is transposed in place where it is contiguous only");
  const matrix<T> old = copy_of(a);
  copy(m_steps, old.transposed(),
       by_rows ? matrix<T>(a.where, a.columns, a.rows, rows, parts)
               : matrix<T>(a.where, a.columns, a.rows, parts, columns));
}

template <typename T>
void call<T>::run_factors() {
  sequence& s = m_steps;
  switch (m_request.job) {
    case task::transpose: return copy(s, at(0).transposed(), at(1));
    case task::transpose_in_place: return transpose_in_place();
    case task::norm: return linalg::norm(s, norm_kind(m_request.option), at(0), reals(1));
    case task::lu: return lu(s, at(0), index(1), index(2));
    case task::lu_solve:
      if (at(2).size() != 0) solve_by_lu(s, operation(m_request.option), at(0), index(1), at(2));
      return;
    case task::cholesky: return cholesky(s, m_request.lower, at(0), index(1));
    case task::cholesky_solve:
      if (at(1).size() != 0) solve_by_cholesky(s, m_request.lower, at(0), at(1));
      return;
    case task::qr: return qr(s, at(0), line(1));
    case task::qr_pivoted: return qr_pivoted(s, at(0), index(1), line(2));
    case task::multiply_q:
      if (at(2).size() != 0) multiply_by_q(s, m_request.right, m_request.adjoint, at(0), line(1), at(2));
      return;
    default: // form_q
      if (at(2).size() == 0) return;
      fill(s, at(2), R(0), R(1));
      return multiply_by_q(s, false, false, at(0), line(1), at(2));
  }
}

template <typename T>
void call<T>::least_squares() {
  sequence& s = m_steps;
  const matrix<T> a = at(0), b = at(1), x = at(2);
  const bool tall = a.rows >= a.columns;
  const matrix<T> factors = copy_of(tall ? a : adjoint(a));
  const std::size_t least = factors.columns;
  const vector<T> tau = temporary_vector<T>(least);
  qr(s, factors, tau);
  const matrix<T> r = factors.block(0, 0, least, least);
  first_zero(s, r, index(3));
  if (x.size() == 0) return;
  if (tall) {
    const matrix<T> right = copy_of(b);
    multiply_by_q(s, false, true, factors, tau, right);
    solve_triangle(s, r, false, false, right.block(0, 0, least, b.columns));
    return copy(s, right.block(0, 0, least, b.columns), x);
  }
  fill(s, x, R(0), R(0));
  const matrix<T> top = x.block(0, 0, least, x.columns);
  copy(s, b, top);
  solve_triangle(s, adjoint(r), true, false, top);
  multiply_by_q(s, false, false, factors, tau, x);
}

template <typename T>
void call<T>::least_squares_by_svd() {
  sequence& s = m_steps;
  const matrix<T> a = plain(0), b = at(1), x = at(2);
  const std::size_t least = std::min(a.rows, a.columns);
  const matrix<T> u = temporary<T>(a.rows, least), w = temporary<T>(least, a.columns),
                  c = temporary<T>(least, b.columns);
  const vector<R> values = temporary_vector<R>(least);
  singular_values(s, a, values, u, w, index(4));
  if (b.columns != 0) multiply<T>(s, 1, adjoint(u), b, 0, c);
  divide_rows(s, c, values, R(m_request.tolerance), index(3));
  if (b.columns != 0) multiply<T>(s, 1, adjoint(w), c, 0, x);
}

/// By Cholesky of B (xSYGV, xHEGV): inv(L) A inv(L)^H Y = Y diag(w), V = inv(L)^H Y.
template <typename T>
void call<T>::generalised() {
  sequence& s = m_steps;
  const matrix<T> a = at(0), v = at(3), l = copy_of_hermitian(at(1)), half = copy_of_hermitian(a);
  const indices of_b = temporary_vector<std::int64_t>(1), of_a = temporary_vector<std::int64_t>(1);
  cholesky(s, true, l, of_b);
  solve_triangle(s, l, true, false, half);
  const matrix<T> reduced = copy_of(adjoint(half));
  solve_triangle(s, l, true, false, reduced);
  const matrix<T> y = temporary<T>(v.rows, v.columns);
  hermitian_eigen(s, true, reduced, reals(2), y, of_a);
  if (v.size() != 0) solve_triangle(s, adjoint(l), false, false, y);
  copy(s, y, v);
  combine(s, of_b, std::int64_t(a.rows), of_a, index(4));
}

template <typename T>
void call<T>::run_decompositions() {
  sequence& s = m_steps;
  switch (m_request.job) {
    case task::eigh:
      return hermitian_eigen(s, m_request.lower, plain(0, m_request.lower ? part::lower : part::upper),
                             reals(1), at(2), index(3));
    case task::eigh_generalised: return generalised();
    case task::eig:
      return general_eigen(s, at(0), vector<C>(m_request, 1), temporary<C>(0, 0), matrix<C>(m_request, 2),
                           index(3));
    case task::eig_of_both_sides:
      return general_eigen(s, at(0), vector<C>(m_request, 1), matrix<C>(m_request, 2),
                           matrix<C>(m_request, 3), index(4));
    default: return singular_values(s, plain(0), reals(1), at(2), at(3), index(4));
  }
}

template <typename T>
void call<T>::run_systems() {
  sequence& s = m_steps;
  switch (m_request.job) {
    case task::solve: return solve(at(1), index(2));
    case task::solve_positive: {
      const matrix<T> factor = copy_of_hermitian(at(0));
      cholesky(s, true, factor, index(2));
      if (at(1).size() != 0) solve_by_cholesky(s, true, factor, at(1));
      return;
    }
    case task::least_squares: return least_squares();
    case task::least_squares_by_svd: return least_squares_by_svd();
    case task::inverse: {
      const matrix<T> to = at(1);
      fill(s, to, R(0), R(1));
      return solve(to, index(2));
    }
    case task::determinant: return determinant({});
    case task::log_determinant: return determinant(reals(2));
    case task::exp: return exponential(s, at(0), at(1), index(2));
    case task::sqrt: return square_root(s, at(0), at(1), index(2));
    default: return run_decompositions();
  }
}

/// One matrix of a batch.
detail::request number(const detail::request& r, std::int64_t i) {
  detail::request out = r;
  for (int o = 0; o < r.what.operand_count; ++o) {
    const int rank = own_rank(r, o);
    out.what.operand[o].rank = rank;
    out.operands[o].offset += static_cast<std::uint64_t>(i * r.what.operand[o].stride[rank]);
  }
  return out;
}

/// A provider's batch where one is chosen for the decomposition.
std::optional<sycl::event> batch_by_provider(sycl::queue& queue, const detail::request& r,
                                             const events& depends) {
  blas::detail::request what = r;
  switch (r.job) {
    case task::lu: what.what.operation = PRISM_GETRF; break;
    case task::cholesky: what.what.operation = PRISM_POTRF; break;
    case task::qr: what.what.operation = PRISM_GEQRF; break;
    case task::eigh: what.what.operation = PRISM_HEEV; break;
    case task::svd: what.what.operation = PRISM_GESVD; break;
    default: return {};
  }
  if ((what.what.operand[0].flags & PRISM_CONJUGATED) != 0) return {};
  if (r.job == task::cholesky || r.job == task::eigh)
    what.what.uplo = r.lower ? PRISM_UPLO_LOWER : PRISM_UPLO_UPPER;
  return blas::run_by_provider(queue, what, depends);
}

template <typename T>
sycl::event run_batch(sycl::queue& queue, const detail::request& r, const events& depends) {
  const std::int64_t rows = r.what.operand[0].extent[0], columns = r.what.operand[0].extent[1];
  if (batch_of(r) == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (rows != 0 && columns != 0) {
    if (const std::optional<sycl::event> done = batch_by_provider(queue, r, depends)) return *done;
    if (std::size_t(std::max(rows, columns)) <= most_small) {
      sequence steps{queue, depends};
      run_small_batch<T>(steps, r);
      return steps.end();
    }
  }
  events done;
  for (std::int64_t i = 0; i < batch_of(r); ++i) {
    const detail::request one = number(r, i);
    done.push_back(call<T>(queue, one, depends).run());
  }
  return queue.ext_oneapi_submit_barrier(done);
}

template <typename T>
sycl::event run_typed(sycl::queue& queue, const detail::request& r, const events& depends) {
  return is_batch(r) ? run_batch<T>(queue, r, depends) : call<T>(queue, r, depends).run();
}

} // namespace

sycl::event detail::run(sycl::queue& queue, const request& r, const std::vector<sycl::event>& depends) {
  check_shapes(r);
  if (is_batch(r)) check_batch(r);
  check_memory(r);
  if (!queue.get_device().has(sycl::aspect::fp64)) blas::require_type(queue.get_device(), r.what, text_of(r));
  switch (r.what.operand[0].type) {
    case PRISM_F32: return run_typed<float>(queue, r, depends);
    case PRISM_F64: return run_typed<double>(queue, r, depends);
    case PRISM_C32: return run_typed<std::complex<float>>(queue, r, depends);
    default: return run_typed<std::complex<double>>(queue, r, depends);
  }
}

} // namespace prism::linalg
