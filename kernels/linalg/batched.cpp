// Kernels over batches of small matrices.
#include "kernels/linalg/batched.hpp"
#include "kernels/linalg/small.hpp"

namespace prism::linalg {
namespace {

using detail::task;

/// Matrices that are interleaved with each other: what a vector of work-items does at once, and few enough
/// that a group of them stays in the cache.
constexpr std::size_t group = 16;

/// A batch in temporary memory, in groups of interleaved matrices; the last group is filled up.
template <typename T>
struct interleaved {
  sycl::buffer<real_of<T>, 1> memory;
  std::size_t rows, columns, count;
  interleaved(std::size_t m, std::size_t n, std::size_t matrices)
      : memory(sycl::range<1>(std::max<std::size_t>(1, groups_of(matrices) * m * n * parts_of<T> * group))),
        rows(m), columns(n), count(matrices) {}
  static std::size_t groups_of(std::size_t matrices) { return (matrices + group - 1) / group; }
  std::size_t groups() const { return groups_of(count); }
};
template <typename T>
struct lanes {
  real_of<T>* data;
  std::size_t columns, size; // reals of a group
  /// The matrix of a work-item (group, number in the group).
  small<number<T>> of(sycl::id<2> at) const { return {data + at[0] * size, columns, group, at[1]}; }
};
template <typename T>
lanes<T> lanes_of(const interleaved<T>& a, sycl::handler& h) {
  return {place<real_of<T>>(a.memory).read_write(h), a.columns, a.rows * a.columns * parts_of<T> * group};
}
struct index_lanes {
  std::int64_t* data;
  std::size_t size;
  small_indices of(sycl::id<2> at) const { return {data + at[0] * size, group, at[1]}; }
};
index_lanes lanes_of(const interleaved<std::int64_t>& a, sycl::handler& h) {
  return {place<std::int64_t>(a.memory).read_write(h), a.rows * a.columns * group};
}

/// Matrices of the request's operand as a batch: vectors as matrices of one column.
template <typename T>
matrix<T> batch_of(const detail::request& what, int operand, int own_rank) {
  const prism_provider_operand& o = what.what.operand[operand];
  constexpr std::ptrdiff_t parts = parts_of<T>;
  matrix<T> out(place<real_of<T>>(what.operands[operand], parts_of<T>), std::size_t(o.extent[0]),
                own_rank == 2 ? std::size_t(o.extent[1]) : 1, o.stride[0] * parts,
                own_rank == 2 ? o.stride[1] * parts : parts);
  out.between = o.stride[own_rank] * parts;
  out.conjugate = (o.flags & PRISM_CONJUGATED) != 0;
  return out;
}

template <typename T>
interleaved<T> packed(sequence& s, const matrix<T>& from, std::size_t count) {
  const interleaved<T> out(from.rows, from.columns, count);
  if (from.size() == 0) return out;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto source = from.read(h);
    const lanes<T> to = lanes_of(out, h);
    const std::ptrdiff_t between = from.between;
    const std::size_t columns = from.columns;
    h.parallel_for(sycl::range<3>(out.groups(), from.size(), group), [=](sycl::id<3> at) {
      const std::size_t i = at[1] / columns, j = at[1] % columns, which = at[0] * group + at[2];
      real_of<T> value[parts_of<T>] = {real_of<T>(i == j)}; // what fills the last group is an identity
      if (which < count) {
        auto one = source.placed();
        one.data += static_cast<std::ptrdiff_t>(which) * between;
        one.read(i, j, value);
      }
      const small<number<T>> there = to.of({at[0], at[2]});
      if constexpr (parts_of<T> == 2) there.set(i, j, number<T>(value[0], value[1]));
      else there.set(i, j, value[0]);
    });
  }));
  return out;
}

template <typename T>
void unpack(sequence& s, const interleaved<T>& from, const matrix<T>& to, part which = part::all) {
  if (to.size() == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const real_of<T>* const source = place<real_of<T>>(from.memory).read_only(h);
    real_of<T>* const first = to.where.read_write(h);
    const std::ptrdiff_t offset = to.where.offset, between = to.between, down = to.row_stride,
                         across = to.column_stride;
    const std::size_t columns = to.columns, size = to.size() * parts_of<T> * group, count = from.count;
    h.parallel_for(sycl::range<3>(from.groups(), to.size(), group), [=](sycl::id<3> at) {
      const std::size_t i = at[1] / columns, j = at[1] % columns, number = at[0] * group + at[2];
      if (number >= count || (which == part::lower && j > i) || (which == part::upper && i > j)) return;
      const real_of<T>* const here = source + at[0] * size + at[1] * parts_of<T> * group + at[2];
      real_of<T>* const there =
          first + (offset + static_cast<std::ptrdiff_t>(number) * between +
                   static_cast<std::ptrdiff_t>(i) * down + static_cast<std::ptrdiff_t>(j) * across);
      for (int p = 0; p < parts_of<T>; ++p) there[p] = here[static_cast<std::size_t>(p) * group];
    });
  }));
}

template <typename Work>
void for_each_matrix(sequence& s, std::size_t count, const Work& work) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    h.parallel_for(sycl::range<2>(interleaved<float>::groups_of(count), group), work(h));
  }));
}

template <typename T>
struct lu_of_each {
  lanes<T> a, b, determinant;
  index_lanes pivots, info;
  std::size_t rows;
  bool wants_determinant;
  void operator()(sycl::id<2> i) const {
    const small<number<T>> matrix = a.of(i);
    const small_indices order = pivots.of(i);
    info.of(i)[0] = small_lu(matrix, rows, matrix.columns, order);
    if (b.columns > 0) small_solve(matrix, rows, order, b.of(i));
    if (!wants_determinant) return;
    number<T> product(real_of<T>(1));
    for (std::size_t k = 0; k < rows; ++k)
      product = order[k] == static_cast<std::int64_t>(k) ? product * matrix.get(k, k)
                                                         : -(product * matrix.get(k, k));
    determinant.of(i).set(0, 0, product);
  }
};
template <typename T>
struct cholesky_of_each {
  lanes<T> a;
  index_lanes info;
  std::size_t n;
  void operator()(sycl::id<2> i) const { info.of(i)[0] = small_cholesky(a.of(i), n); }
};
template <typename T>
struct qr_of_each {
  lanes<T> a, tau;
  std::size_t rows;
  void operator()(sycl::id<2> i) const { small_qr(a.of(i), rows, a.columns, tau.of(i)); }
};

template <typename E>
bool all_finite(const small<E>& a, std::size_t m, std::size_t n) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!is_finite(a.get(i, j))) return false;
  return true;
}
template <typename E>
void set_all(const small<E>& a, std::size_t m, std::size_t n, E other, E diagonal) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) a.set(i, j, i == j ? diagonal : other);
}
template <typename E>
void exchange_columns(const small<E>& a, std::size_t rows, std::size_t p, std::size_t q) {
  for (std::size_t i = 0; i < rows; ++i) {
    const E old = a.get(i, p);
    a.set(i, p, a.get(i, q)), a.set(i, q, old);
  }
}

/// An iteration takes three kernels: what is before it, sweeps, and what is after it. `info` is 1 between
/// them, or -1 where a matrix has no result.
template <typename T>
struct begin_eigen {
  lanes<T> a, v;
  index_lanes info;
  std::size_t n;
  void operator()(sycl::id<2> at) const {
    const bool finite = all_finite(a.of(at), n, n);
    const real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
    if (v.columns > 0) set_all(v.of(at), n, n, number<T>(finite ? 0 : nan), number<T>(finite ? 1 : nan));
    info.of(at)[0] = finite ? 1 : -1;
  }
};
template <typename T>
struct sweep_eigen {
  lanes<T> a, v;
  index_lanes info;
  std::size_t n;
  int sweeps;
  void operator()(sycl::id<2> at) const {
    std::int64_t& state = info.of(at)[0];
    if (state == 1) state = small_eigen(a.of(at), n, v.of(at), sweeps);
  }
};
template <typename T>
struct end_eigen {
  lanes<T> a, v;
  lanes<real_of<T>> w;
  index_lanes info;
  std::size_t n;
  void operator()(sycl::id<2> at) const {
    const bool finite = info.of(at)[0] >= 0;
    const real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
    const small<real_of<T>> values = w.of(at);
    for (std::size_t i = 0; i < n; ++i) values.set(i, 0, finite ? re_of(a.of(at).get(i, i)) : nan);
    for (std::size_t i = 0; finite && i + 1 < n; ++i) { // ascending
      std::size_t least = i;
      for (std::size_t j = i + 1; j < n; ++j)
        if (values.get(j, 0) < values.get(least, 0)) least = j;
      const real_of<T> old = values.get(i, 0);
      values.set(i, 0, values.get(least, 0)), values.set(least, 0, old);
      if (v.columns > 0) exchange_columns(v.of(at), n, i, least);
    }
  }
};

/// Of m >= n: left vectors replace A, `right` has V. s[0] is the power of 2 by which A was divided.
template <typename T>
struct begin_singular {
  lanes<T> a, right;
  lanes<real_of<T>> s;
  index_lanes info;
  std::size_t m, n;
  void operator()(sycl::id<2> at) const {
    using R = real_of<T>;
    const small<number<T>> matrix = a.of(at);
    const bool finite = all_finite(matrix, m, n);
    const R nan = std::numeric_limits<R>::quiet_NaN();
    if (right.columns > 0)
      set_all(right.of(at), n, n, number<T>(finite ? 0 : nan), number<T>(finite ? 1 : nan));
    info.of(at)[0] = finite ? 1 : -1;
    R largest = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) largest = sycl::max(largest, abs1(matrix.get(i, j)));
    const R scale = !finite ? nan : largest > 0 ? sycl::exp2(sycl::floor(sycl::log2(largest))) : R(1);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) matrix.set(i, j, matrix.get(i, j) / scale);
    s.of(at).set(0, 0, scale);
  }
};
template <typename T>
struct sweep_singular {
  lanes<T> a, right;
  index_lanes info;
  std::size_t m, n;
  int sweeps;
  void operator()(sycl::id<2> at) const {
    std::int64_t& state = info.of(at)[0];
    if (state == 1) state = small_orthogonalise(a.of(at), m, n, right.of(at), sweeps);
  }
};
template <typename T>
struct end_singular {
  using E = number<T>;
  using R = real_of<T>;
  lanes<T> a, right;
  lanes<R> s;
  index_lanes info;
  std::size_t m, n;
  void operator()(sycl::id<2> at) const {
    const small<E> matrix = a.of(at);
    const small<R> values = s.of(at);
    const R scale = values.get(0, 0);
    if (info.of(at)[0] < 0) return set_all(values, n, 1, scale, scale);
    sort(matrix, right.of(at), values);
    for (std::size_t j = 0; j < n; ++j) divide(matrix, values, j);
    for (std::size_t j = 0; j < n; ++j) values.set(j, 0, values.get(j, 0) * scale);
  }
  void sort(const small<E>& matrix, const small<E>& v, const small<R>& values) const {
    constexpr R tiny = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
    for (std::size_t j = 0; j < n; ++j) {
      R sum = 0;
      for (std::size_t i = 0; i < m; ++i) sum += square(matrix.get(i, j));
      values.set(j, 0, sum < tiny ? R(0) : sycl::sqrt(sum));
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      std::size_t most = i;
      for (std::size_t j = i + 1; j < n; ++j)
        if (values.get(j, 0) > values.get(most, 0)) most = j;
      const R old = values.get(i, 0);
      values.set(i, 0, values.get(most, 0)), values.set(most, 0, old);
      exchange_columns(matrix, m, i, most);
      if (right.columns > 0) exchange_columns(v, n, i, most);
    }
  }
  /// Column j by its norm. One of norm 0 becomes the axis that is farthest from the columns before it, made
  /// orthogonal to them: of m axes one has at least (m - j) / m of its square outside of their span.
  void divide(const small<E>& matrix, const small<R>& values, std::size_t j) const {
    if (const R norm = values.get(j, 0); norm > 0) {
      for (std::size_t i = 0; i < m; ++i) matrix.set(i, j, matrix.get(i, j) / norm);
      return;
    }
    std::size_t axis = 0;
    R least = 2;
    for (std::size_t i = 0; i < m; ++i) {
      R inside = 0;
      for (std::size_t p = 0; p < j; ++p) inside += square(matrix.get(i, p));
      if (inside < least) least = inside, axis = i;
    }
    for (std::size_t i = 0; i < m; ++i) matrix.set(i, j, E(R(i == axis)));
    R sum = 0;
    for (std::size_t p = 0; p < j; ++p) {
      const E product = conj(matrix.get(axis, p));
      for (std::size_t i = 0; i < m; ++i) matrix.set(i, j, matrix.get(i, j) - product * matrix.get(i, p));
    }
    for (std::size_t i = 0; i < m; ++i) sum += square(matrix.get(i, j));
    const R length = sycl::sqrt(sum);
    for (std::size_t i = 0; i < m; ++i) matrix.set(i, j, matrix.get(i, j) / length);
  }
};

/// Vulkan drivers may end a kernel after some 65,000 iterations of its loops (llvmpipe does), so that a
/// kernel does one sweep there; matrices that are done leave it at once.
struct sweep_plan {
  int kernels, sweeps;
  explicit sweep_plan(const sycl::queue& queue) {
    const bool one_by_one = queue.get_device().get_backend() == sycl::backend::ext_prism_vulkan;
    kernels = one_by_one ? 24 : 1, sweeps = one_by_one ? 1 : 40;
  }
};

/// One call on a batch.
template <typename T>
class batch_call {
public:
  batch_call(sequence& s, const detail::request& what, std::size_t count)
      : m_steps(s), m_what(what), m_count(count) {}

  void lu() {
    const matrix<T> a = at(0);
    const interleaved<T> factors = packed(m_steps, a, m_count), none(0, 0, m_count);
    const auto pivots = factor(factors, none, none, 2);
    unpack(m_steps, factors, a), unpack(m_steps, pivots, indices_at(1));
  }
  void solve(bool inverts) {
    const matrix<T> b = at(1);
    const interleaved<T> factors = packed(m_steps, at(0), m_count), none(0, 0, m_count);
    const interleaved<T> right =
        inverts ? packed(m_steps, identity(b.rows), m_count) : packed(m_steps, b, m_count);
    factor(factors, right, none, 2);
    unpack(m_steps, right, b);
  }
  void determinant() {
    const interleaved<T> factors = packed(m_steps, at(0), m_count), none(0, 0, m_count), to(1, 1, m_count);
    factor(factors, none, to, -1);
    unpack(m_steps, to, batch_of<T>(m_what, 1, 1));
  }
  void cholesky() {
    const matrix<T> a = m_what.lower ? at(0) : at(0).transposed();
    const interleaved<T> factors = packed(m_steps, a, m_count);
    const interleaved<std::int64_t> info(1, 1, m_count);
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return cholesky_of_each<T>{lanes_of(factors, h), lanes_of(info, h), a.rows};
    });
    unpack(m_steps, factors, a, part::lower), unpack(m_steps, info, indices_at(1));
  }
  void qr() {
    const matrix<T> a = at(0);
    const interleaved<T> factors = packed(m_steps, a, m_count), tau(std::min(a.rows, a.columns), 1, m_count);
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return qr_of_each<T>{lanes_of(factors, h), lanes_of(tau, h), a.rows};
    });
    unpack(m_steps, factors, a), unpack(m_steps, tau, batch_of<T>(m_what, 1, 1));
  }
  void eigen() {
    matrix<T> a = at(0);
    a.kind = blas::form::hermitian, a.lower = m_what.lower;
    const matrix<T> v = at(2);
    const interleaved<T> all = packed(m_steps, a, m_count), vectors(v.rows, v.columns, m_count);
    const interleaved<real_of<T>> w(a.rows, 1, m_count);
    const interleaved<std::int64_t> info(1, 1, m_count);
    const std::size_t n = a.rows;
    const sweep_plan plan(m_steps.queue);
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return begin_eigen<T>{lanes_of(all, h), lanes_of(vectors, h), lanes_of(info, h), n};
    });
    for (int i = 0; i < plan.kernels; ++i)
      for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
        return sweep_eigen<T>{lanes_of(all, h), lanes_of(vectors, h), lanes_of(info, h), n, plan.sweeps};
      });
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return end_eigen<T>{lanes_of(all, h), lanes_of(vectors, h), lanes_of(w, h), lanes_of(info, h), n};
    });
    unpack(m_steps, w, batch_of<real_of<T>>(m_what, 1, 1)), unpack(m_steps, vectors, v);
    unpack(m_steps, info, indices_at(3));
  }
  void singular() {
    const matrix<T> a = at(0), u = at(2), w = at(3);
    const bool tall = a.rows >= a.columns, wants = u.size() != 0 || w.size() != 0;
    const matrix<T> seen = tall ? a : a.transposed().conjugated();
    const std::size_t m = seen.rows, n = seen.columns;
    const interleaved<T> left = packed(m_steps, seen, m_count), right(wants ? n : 0, wants ? n : 0, m_count);
    const interleaved<real_of<T>> s(n, 1, m_count);
    const interleaved<std::int64_t> info(1, 1, m_count);
    const sweep_plan plan(m_steps.queue);
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return begin_singular<T>{
          lanes_of(left, h), lanes_of(right, h), lanes_of(s, h), lanes_of(info, h), m, n};
    });
    for (int i = 0; i < plan.kernels; ++i)
      for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
        return sweep_singular<T>{lanes_of(left, h), lanes_of(right, h), lanes_of(info, h), m, n, plan.sweeps};
      });
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return end_singular<T>{lanes_of(left, h), lanes_of(right, h), lanes_of(s, h), lanes_of(info, h), m, n};
    });
    unpack(m_steps, s, batch_of<real_of<T>>(m_what, 1, 1)), unpack(m_steps, info, indices_at(4));
    if (!wants) return;
    unpack(m_steps, tall ? left : right, u); // W = V^H
    unpack_adjoint(tall ? right : left, w);
  }

private:
  matrix<T> at(int i) const { return batch_of<T>(m_what, i, 2); }
  matrix<std::int64_t> indices_at(int i) const { return batch_of<std::int64_t>(m_what, i, 1); }
  matrix<T> identity(std::size_t n) {
    const matrix<T> one = temporary<T>(n, n);
    fill(m_steps, one, real_of<T>(0), real_of<T>(1));
    return one;
  }
  interleaved<std::int64_t> factor(const interleaved<T>& a, const interleaved<T>& b,
                                   const interleaved<T>& determinant, int info_operand) {
    const interleaved<std::int64_t> pivots(std::min(a.rows, a.columns), 1, m_count), info(1, 1, m_count);
    for_each_matrix(m_steps, m_count, [&](sycl::handler& h) {
      return lu_of_each<T>{lanes_of(a, h),    lanes_of(b, h), lanes_of(determinant, h), lanes_of(pivots, h),
                           lanes_of(info, h), a.rows,         determinant.rows != 0};
    });
    if (info_operand >= 0) unpack(m_steps, info, indices_at(info_operand));
    return pivots;
  }
  /// `to` = the adjoint, through a plain batch in temporary memory.
  void unpack_adjoint(const interleaved<T>& from, const matrix<T>& to) {
    matrix<T> plain(temporary<T>(from.rows * from.columns, m_count).where, from.rows, from.columns,
                    parts_of<T>, std::ptrdiff_t(from.rows) * parts_of<T>);
    plain.between = std::ptrdiff_t(from.rows * from.columns) * parts_of<T>;
    unpack(m_steps, from, plain);
    unpack(m_steps, packed(m_steps, plain.transposed().conjugated(), m_count), to);
  }

  sequence& m_steps;
  const detail::request& m_what;
  std::size_t m_count;
};

} // namespace

template <typename T>
void run_small_batch(sequence& s, const detail::request& what) {
  batch_call<T> call(s, what, std::size_t(what.what.operand[0].extent[2]));
  switch (what.job) {
    case task::lu: return call.lu();
    case task::solve: return call.solve(false);
    case task::inverse: return call.solve(true);
    case task::determinant: return call.determinant();
    case task::cholesky: return call.cholesky();
    case task::qr: return call.qr();
    case task::eigh: return call.eigen();
    default: return call.singular();
  }
}

#define PRISM_INSTANTIATE(T) template void run_small_batch<T>(sequence&, const detail::request&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg
