// Decompositions by the LAPACK's drivers (Anderson et al. 1999, LAPACK Users' Guide): getrf, potrf, geqrf,
// geqp3, syevd/heevd, geev, gesdd. They take columns that are contiguous; operands of other layouts pass
// through memory of the call, in blocks, as a Hermitian matrix of rows is the conjugate of one of columns.
#include "providers/cblas/level.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace prism_cblas {
namespace {

template <typename T>
bool is_finite(const T& value) {
  if constexpr (is_complex<T>) return std::isfinite(value.real()) && std::isfinite(value.imag());
  else return std::isfinite(value);
}

/// An operand of two dimensions where it lies.
template <typename T>
struct placed {
  T* data;
  std::int64_t rows, columns, down, across;
  placed(const call& c, std::byte* const* first, int i) : data(at<T>(first, i)) {
    const operand& o = c.described.operand[i];
    rows = o.extent[0], columns = o.extent[1], down = o.stride[0], across = o.stride[1];
  }
  bool empty() const { return rows == 0 || columns == 0; }
};

/// Blocks of 32 x 32, so that both sides stay in the cache whichever way they lie.
template <typename From, typename To>
void copy_blocks(From* from, std::int64_t from_down, std::int64_t from_across, To* to, std::int64_t to_down,
                 std::int64_t to_across, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t side = 32;
  for (std::int64_t jj = 0; jj < columns; jj += side)
    for (std::int64_t ii = 0; ii < rows; ii += side)
      for (std::int64_t j = jj; j < std::min(jj + side, columns); ++j)
        for (std::int64_t i = ii; i < std::min(ii + side, rows); ++i)
          to[i * to_down + j * to_across] = from[i * from_down + j * from_across];
}

/// Contiguous columns that stand for an operand while one call runs: the operand itself where it can be.
template <typename T>
class columns_of {
public:
  columns_of(const placed<T>& of, bool reads, bool may_be_itself = true) : m_of(of) {
    const bool contiguous =
        (of.rows < 2 || of.down == 1) && (of.columns < 2 || (of.across >= of.rows && of.across <= INT_MAX));
    if (may_be_itself && contiguous) {
      m_data = of.data, m_leading = of.columns < 2 ? std::max<int>(1, int(of.rows)) : int(of.across);
      return;
    }
    m_leading = std::max<int>(1, int(of.rows));
    m_own.resize(std::size_t(of.rows) * std::size_t(of.columns));
    m_data = m_own.data();
    if (reads) copy_blocks(of.data, of.down, of.across, m_data, 1, m_leading, of.rows, of.columns);
  }
  T* data() { return m_data; }
  const int* leading() const { return &m_leading; }
  /// Brings results to where the operand lies; with `uplo` one triangle of them.
  void write_back(int uplo = 0) {
    if (m_own.empty()) return;
    if (uplo == 0)
      return copy_blocks(m_data, 1, m_leading, m_of.data, m_of.down, m_of.across, m_of.rows, m_of.columns);
    for (std::int64_t j = 0; j < m_of.columns; ++j)
      for (std::int64_t i = uplo == lower ? j : 0; i < (uplo == lower ? m_of.rows : j + 1); ++i)
        m_of.data[i * m_of.down + j * m_of.across] = m_data[i + j * m_leading];
  }
  bool finite(int uplo = 0) const {
    for (std::int64_t j = 0; j < m_of.columns; ++j)
      for (std::int64_t i = uplo == lower ? j : 0; i < (uplo == upper ? j + 1 : m_of.rows); ++i)
        if (!is_finite(m_data[i + j * m_leading])) return false;
    return true;
  }

private:
  placed<T> m_of;
  std::vector<T> m_own;
  T* m_data = nullptr;
  int m_leading = 1;
};

template <typename T>
void put_vector(const call& c, std::byte* const* first, int i, const T* from) {
  const operand& o = c.described.operand[i];
  for (std::int64_t k = 0; k < o.extent[0]; ++k) at<T>(first, i)[k * o.stride[0]] = from[k];
}
void put_info(std::byte* const* first, int i, std::int64_t value) { *at<std::int64_t>(first, i) = value; }
template <typename T>
void put_nan(const call& c, std::byte* const* first, int i) {
  placed<T> to(c, first, i);
  if (c.described.operand[i].rank == 1 || to.rows == 0) to.columns = c.described.operand[i].rank == 1;
  for (std::int64_t j = 0; j < to.columns; ++j)
    for (std::int64_t k = 0; k < to.rows; ++k)
      to.data[k * to.down + j * to.across] = T(std::numeric_limits<real<T>>::quiet_NaN());
}

template <typename T>
int best_work(const T& answer) {
  if constexpr (is_complex<T>) return std::max(1, int(answer.real()));
  else return std::max(1, int(answer));
}

template <typename T>
void run_getrf(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  const placed<T> a(c, first, 0);
  const int m = int(a.rows), n = int(a.columns);
  columns_of<T> columns(a, true);
  std::vector<int> pivots(std::size_t(std::min(m, n)));
  int info = 0;
  l.lapack<T>().getrf(&m, &n, columns.data(), columns.leading(), pivots.data(), &info);
  columns.write_back();
  std::vector<std::int64_t> from_zero(pivots.begin(), pivots.end());
  for (std::int64_t& each : from_zero) --each;
  put_vector(c, first, 1, from_zero.data());
  put_info(first, 2, info);
}

template <typename T>
void run_potrf(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  placed<T> a(c, first, 0);
  int uplo = c.uplo;
  if (a.down != 1 && a.across == 1) std::swap(a.down, a.across), uplo = other_uplo(uplo); // L^T is its U
  const int n = int(a.rows);
  columns_of<T> columns(a, true);
  int info = 0;
  l.lapack<T>().potrf(uplo == lower ? "L" : "U", &n, columns.data(), columns.leading(), &info, 1);
  for (int j = 0; info == 0 && j < n; ++j) // not every library stops at a NaN
    if (!is_finite(columns.data()[j + std::int64_t(j) * *columns.leading()])) info = j + 1;
  columns.write_back(uplo);
  put_info(first, 1, info);
}

template <typename T>
void run_geqrf(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  const placed<T> a(c, first, 0);
  const int m = int(a.rows), n = int(a.columns), ask = -1;
  columns_of<T> columns(a, true);
  std::vector<T> tau(std::size_t(std::min(m, n))), work(1);
  int info = 0;
  const auto call_it = [&](const int* size) {
    l.lapack<T>().geqrf(&m, &n, columns.data(), columns.leading(), tau.data(), work.data(), size, &info);
  };
  call_it(&ask);
  const int size = best_work(work[0]);
  work.resize(std::size_t(size));
  call_it(&size);
  columns.write_back();
  put_vector(c, first, 1, tau.data());
}

template <typename T>
void run_geqp3(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  using R = real<T>;
  const placed<T> a(c, first, 0);
  const int m = int(a.rows), n = int(a.columns), ask = -1;
  columns_of<T> columns(a, true);
  std::vector<T> tau(std::size_t(std::min(m, n))), work(1);
  std::vector<R> norms(is_complex<T> ? 2 * std::size_t(n) : 0);
  std::vector<int> order(std::size_t(n), 0);
  int info = 0;
  const auto call_it = [&](const int* size) {
    if constexpr (is_complex<T>)
      reinterpret_cast<void (*)(const int*, const int*, T*, const int*, int*, T*, T*, const int*, R*, int*)>(
          l.lapack<T>().geqp3)(&m, &n, columns.data(), columns.leading(), order.data(), tau.data(),
                               work.data(), size, norms.data(), &info);
    else
      reinterpret_cast<void (*)(const int*, const int*, T*, const int*, int*, T*, T*, const int*, int*)>(
          l.lapack<T>().geqp3)(&m, &n, columns.data(), columns.leading(), order.data(), tau.data(),
                               work.data(), size, &info);
  };
  call_it(&ask);
  const int size = best_work(work[0]);
  work.resize(std::size_t(size));
  call_it(&size);
  columns.write_back();
  std::vector<std::int64_t> from_zero(order.begin(), order.end());
  for (std::int64_t& each : from_zero) --each;
  put_vector(c, first, 1, from_zero.data());
  put_vector(c, first, 2, tau.data());
}

template <typename T>
void run_heev(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  using R = real<T>;
  placed<T> a(c, first, 0);
  int uplo = c.uplo;
  const int n = int(a.rows), ask = -1;
  columns_of<T> columns(a, true, false);
  if (!columns.finite(uplo)) {
    put_nan<R>(c, first, 1), put_nan<T>(c, first, 2), put_info(first, 3, -1);
    return;
  }
  const placed<T> v(c, first, 2);
  const char* const job = v.empty() ? "N" : "V";
  std::vector<R> w(std::size_t(n), R(0)), real_work(1);
  std::vector<T> work(1);
  std::vector<int> integers(1);
  int info = 0;
  const auto call_it = [&](const int* size, const int* reals, const int* whole) {
    const char* const which = uplo == lower ? "L" : "U";
    if constexpr (is_complex<T>)
      reinterpret_cast<void (*)(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*,
                                const int*, int*, const int*, int*, std::size_t, std::size_t)>(
          l.lapack<T>().heevd)(job, which, &n, columns.data(), columns.leading(), w.data(), work.data(), size,
                               real_work.data(), reals, integers.data(), whole, &info, 1, 1);
    else
      reinterpret_cast<void (*)(const char*, const char*, const int*, T*, const int*, R*, T*, const int*,
                                int*, const int*, int*, std::size_t, std::size_t)>(l.lapack<T>().heevd)(
          job, which, &n, columns.data(), columns.leading(), w.data(), work.data(), size, integers.data(),
          whole, &info, 1, 1);
  };
  call_it(&ask, &ask, &ask);
  const int size = best_work(work[0]), reals = std::max(1, int(real_work[0])), whole = integers[0];
  work.resize(std::size_t(size)), real_work.resize(std::size_t(reals)),
      integers.resize(std::size_t(std::max(1, whole)));
  call_it(&size, &reals, &whole);
  put_vector(c, first, 1, w.data());
  if (!v.empty()) copy_blocks(columns.data(), 1, *columns.leading(), v.data, v.down, v.across, n, n);
  put_info(first, 3, info);
}

/// geev of real types gives pairs of eigenvectors as their real and imaginary parts.
template <typename R>
void put_pairs(const placed<std::complex<R>>& v, const std::vector<R>& im, const std::vector<R>& vectors) {
  const std::int64_t n = v.rows;
  for (std::int64_t j = 0; j < n; ++j) {
    const bool pair = im[std::size_t(j)] != 0 && j + 1 < n;
    for (std::int64_t i = 0; i < n; ++i) {
      const R re = vectors[std::size_t(i + j * n)],
              other = pair ? vectors[std::size_t(i + (j + 1) * n)] : R(0);
      v.data[i * v.down + j * v.across] = {re, other};
      if (pair) v.data[i * v.down + (j + 1) * v.across] = {re, -other};
    }
    if (pair) ++j;
  }
}

template <typename T>
void run_geev(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  using R = real<T>;
  using C = std::complex<R>;
  columns_of<T> columns(placed<T>(c, first, 0), true, false);
  const int n = int(c.described.operand[0].extent[0]), ask = -1, one = 1;
  if (!columns.finite()) {
    put_nan<C>(c, first, 1), put_nan<C>(c, first, 2), put_info(first, 3, -1);
    return;
  }
  const placed<C> v(c, first, 2);
  const bool wanted = !v.empty();
  const auto count = std::size_t(n);
  std::vector<T> vectors(wanted ? count * count : 1), work(1);
  std::vector<C> values(count);
  std::vector<R> re(count), im(is_complex<T> ? 2 * count : count);
  int info = 0;
  const auto call_it = [&](const int* size) {
    const char* const job = wanted ? "V" : "N";
    if constexpr (is_complex<T>)
      reinterpret_cast<void (*)(const char*, const char*, const int*, T*, const int*, C*, T*, const int*, T*,
                                const int*, T*, const int*, R*, int*, std::size_t, std::size_t)>(
          l.lapack<T>().geev)("N", job, &n, columns.data(), columns.leading(), values.data(), nullptr, &one,
                              vectors.data(), wanted ? &n : &one, work.data(), size, im.data(), &info, 1, 1);
    else
      reinterpret_cast<void (*)(const char*, const char*, const int*, T*, const int*, R*, R*, T*, const int*,
                                T*, const int*, T*, const int*, int*, std::size_t, std::size_t)>(
          l.lapack<T>().geev)("N", job, &n, columns.data(), columns.leading(), re.data(), im.data(), nullptr,
                              &one, vectors.data(), wanted ? &n : &one, work.data(), size, &info, 1, 1);
  };
  call_it(&ask);
  const int size = best_work(work[0]);
  work.resize(std::size_t(size));
  call_it(&size);
  if constexpr (is_complex<T>) {
    if (wanted) copy_blocks(vectors.data(), 1, n, v.data, v.down, v.across, n, n);
  } else {
    for (std::size_t i = 0; i < count; ++i) values[i] = C(re[i], im[i]);
    if (wanted) put_pairs(v, im, vectors);
  }
  put_vector(c, first, 1, values.data());
  put_info(first, 3, info);
}

template <typename T>
void run_gesvd(const call& c, const library& l, std::byte* const* first, const double*, const double*) {
  using R = real<T>;
  const placed<T> a(c, first, 0), u(c, first, 2), w(c, first, 3);
  const int m = int(a.rows), n = int(a.columns), least = std::min(m, n), ask = -1;
  columns_of<T> columns(a, true, false);
  if (!columns.finite()) {
    put_nan<R>(c, first, 1), put_nan<T>(c, first, 2), put_nan<T>(c, first, 3), put_info(first, 4, -1);
    return;
  }
  const bool wanted = !u.empty() || !w.empty(), full = u.columns > least || w.rows > least;
  const int of_u = full ? m : least, of_w = full ? n : least, one = 1;
  std::vector<T> left(wanted ? std::size_t(m) * std::size_t(of_u) : 1),
      right(wanted ? std::size_t(of_w) * std::size_t(n) : 1), work(1);
  const std::size_t most = std::size_t(std::max(m, n)), few = std::size_t(least);
  std::vector<R> s(few),
      reals(is_complex<T> ? std::max(5 * few * few + 7 * few, 2 * most * few + 2 * few * few + few) + 1 : 1);
  std::vector<int> integers(8 * few);
  int info = 0;
  const auto call_it = [&](const int* size) {
    const char* const job = !wanted ? "N" : full ? "A" : "S";
    const int *const ldu = wanted ? &m : &one, *const ldw = wanted ? &of_w : &one;
    if constexpr (is_complex<T>)
      reinterpret_cast<void (*)(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*,
                                const int*, T*, const int*, R*, int*, int*, std::size_t)>(
          l.lapack<T>().gesdd)(job, &m, &n, columns.data(), columns.leading(), s.data(), left.data(), ldu,
                               right.data(), ldw, work.data(), size, reals.data(), integers.data(), &info, 1);
    else
      reinterpret_cast<void (*)(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*,
                                const int*, T*, const int*, int*, int*, std::size_t)>(l.lapack<T>().gesdd)(
          job, &m, &n, columns.data(), columns.leading(), s.data(), left.data(), ldu, right.data(), ldw,
          work.data(), size, integers.data(), &info, 1);
  };
  call_it(&ask);
  const int size = best_work(work[0]);
  work.resize(std::size_t(size));
  call_it(&size);
  put_vector(c, first, 1, s.data());
  if (!u.empty()) copy_blocks(left.data(), 1, m, u.data, u.down, u.across, m, u.columns);
  if (!w.empty()) copy_blocks(right.data(), 1, of_w, w.data, w.down, w.across, w.rows, n);
  put_info(first, 4, info);
}

} // namespace

template <typename T>
bool make_lapack(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& all = from.lapack<T>();
  const auto have = [](auto routine) { return reinterpret_cast<const void*>(routine); };
  const std::int64_t m = what.operand[0].extent[0], n = what.operand[0].extent[1];
  out.described = what;
  out.work = double(m) * double(n) * double(std::min(m, n)) / 3;
  out.nothing = m == 0 || n == 0;
  if (out.nothing) return refuse(why, "a matrix without elements");
  switch (what.operation) {
    case PRISM_GETRF: return take(out, have(all.getrf), run_getrf<T>, why);
    case PRISM_POTRF: return take(out, have(all.potrf), run_potrf<T>, why);
    case PRISM_GEQRF: return take(out, have(all.geqrf), run_geqrf<T>, why);
    case PRISM_GEQP3: return take(out, all.geqp3, run_geqp3<T>, why);
    case PRISM_HEEV: return take(out, all.heevd, run_heev<T>, why);
    case PRISM_GEEV: return take(out, all.geev, run_geev<T>, why);
    case PRISM_GESVD: return take(out, all.gesdd, run_gesvd<T>, why);
    default: return refuse(why, "the LAPACK's operation is not known");
  }
}

template bool make_lapack<float>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_lapack<double>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_lapack<std::complex<float>>(const library&, const prism_provider_operation&, call&,
                                               const char*&);
template bool make_lapack<std::complex<double>>(const library&, const prism_provider_operation&, call&,
                                                const char*&);

} // namespace prism_cblas
