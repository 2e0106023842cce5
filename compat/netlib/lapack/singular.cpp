// Singular values, and least squares by them.
#include "step.hpp"

#include <cmath>

using namespace prism::netlib;

namespace {

/// A = U diag(s) W; U and W are as large as the letters A, S, O and N of LAPACK's jobs ask for.
template <typename T>
struct factors {
  full<T> u, w;
  int info;
  factors(const char* name, const matrix<T>& a, real_of<T>* s, bool wants_all, bool wants_vectors)
      : u(wants_vectors ? a.rows : 0, wants_all       ? a.rows
                                      : wants_vectors ? std::min(a.rows, a.columns)
                                                      : 0),
        w(wants_all       ? a.columns
          : wants_vectors ? std::min(a.rows, a.columns)
                          : 0,
          wants_vectors ? a.columns : 0) {
    std::int64_t state = 0;
    step(name, task::svd)
        .add(a)
        .add(elements(s, std::min(a.rows, a.columns), 1))
        .add(u.view())
        .add(w.view())
        .add(one(state))
        .run();
    info = int(state);
  }
};

/// A matrix that is not finite: LAPACK's iteration does not converge.
template <typename T>
void gesvd(const char* name, const char* jobu, const char* jobvt, const int* m, const int* n, T* a,
           const int* lda, real_of<T>* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work,
           const int* lwork, int* info) {
  const int least = std::min(*m, *n);
  const auto is_u = [&](char letter) { return is_letter(jobu, letter); };
  const auto is_w = [&](char letter) { return is_letter(jobvt, letter); };
  arguments all(name);
  const bool asks = asks_for_size(
      lwork, work, std::max({1, (is_complex<T> ? 2 : 3) * least + std::max(*m, *n), 5 * least}));
  all.letter(1, jobu, "ASON"), all.letter(2, jobvt, "ASON"), all.require(2, !(is_u('O') && is_w('O')));
  all.require(3, *m >= 0), all.require(4, *n >= 0), all.require(6, *lda >= std::max(1, *m));
  all.require(9, *ldu >= (is_u('A') || is_u('S') ? std::max(1, *m) : 1));
  all.require(11, *ldvt >= std::max(1, is_w('A') ? *n : is_w('S') ? least : 1));
  all.require(13, asks || *lwork >= std::max(1, (is_complex<T> ? 3 : 5) * least));
  if (all.are_wrong(info, asks) || asks) return;
  const matrix<T> given = columns_of(a, *m, *n, *lda);
  factors<T> found(name, given, s, is_u('A') || is_w('A'), !is_u('N') || !is_w('N'));
  *info = found.info < 0 ? std::max(1, least) : found.info;
  if (is_u('O')) copy(found.u.view(), block(given, 0, 0, *m, least));
  else if (!is_u('N')) copy(found.u.view(), columns_of(u, *m, is_u('A') ? *m : least, *ldu));
  if (is_w('O')) copy(found.w.view(), block(given, 0, 0, least, *n));
  else if (!is_w('N')) copy(found.w.view(), columns_of(vt, is_w('A') ? *n : least, *n, *ldvt));
}

template <typename T>
void gesdd(const char* name, const char* jobz, const int* m, const int* n, T* a, const int* lda,
           real_of<T>* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork,
           int* info) {
  const int least = std::min(*m, *n);
  const bool is_all = is_letter(jobz, 'A'), is_some = is_letter(jobz, 'S'), overwrites = is_letter(jobz, 'O'),
             is_tall = *m >= *n;
  arguments all(name);
  const bool asks =
      asks_for_size(lwork, work, std::max(1, least * (6 + 4 * least) + std::max(*m, *n))); // real, job A
  all.letter(1, jobz, "ASON"), all.require(2, *m >= 0), all.require(3, *n >= 0);
  all.require(5, *lda >= std::max(1, *m));
  const bool writes_u = is_all || is_some || (overwrites && !is_tall),
             writes_w = is_all || is_some || (overwrites && is_tall);
  all.require(8, *ldu >= (writes_u ? std::max(1, *m) : 1));
  all.require(10, *ldvt >= std::max(1, !writes_w ? 1 : is_some ? least : *n));
  all.require(12, asks || *lwork >= std::max(1, least));
  if (all.are_wrong(info, asks) || asks) return;
  const matrix<T> given = columns_of(a, *m, *n, *lda);
  factors<T> found(name, given, s, is_all, !is_letter(jobz, 'N'));
  *info = found.info < 0 ? -4 : found.info; // the matrix is not finite
  if (writes_u) copy(found.u.view(), columns_of(u, *m, is_all ? *m : least, *ldu));
  else if (overwrites) copy(found.u.view(), block(given, 0, 0, *m, least));
  if (writes_w) copy(found.w.view(), columns_of(vt, is_all ? *n : least, *n, *ldvt));
  else if (overwrites) copy(found.w.view(), block(given, 0, 0, least, *n));
}

/// What LAPACK returns besides the solution: singular values, their right vectors in A (xGELSS), and below X
/// numbers whose sum of squares is that of the residual.
template <typename T>
void gelss(const char* name, const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b,
           const int* ldb, real_of<T>* s, const real_of<T>* rcond, int* rank, T* work, const int* lwork,
           int* info) {
  const int least = std::min(*m, *n), most = std::max(*m, *n),
            needed = std::max(1, is_complex<T> ? 2 * least + std::max(most, *nrhs)
                                               : 3 * least + std::max({2 * least, most, *nrhs}));
  arguments all(name);
  const bool asks = asks_for_size(lwork, work, needed);
  all.require(1, *m >= 0), all.require(2, *n >= 0), all.require(3, *nrhs >= 0);
  all.require(5, *lda >= std::max(1, *m)), all.require(7, *ldb >= std::max(1, most));
  all.require(12, asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  const matrix<T> given = columns_of(a, *m, *n, *lda), right = columns_of(b, *m, *nrhs, *ldb);
  const bool has_tolerance = *rcond >= 0;
  full<T> x(*n, *nrhs);
  std::int64_t of_rank = 0, state = 0;
  step(name, task::least_squares_by_svd)
      .tolerance(has_tolerance ? double(*rcond) : double(std::numeric_limits<real_of<T>>::epsilon()) / 2)
      .add(given)
      .add(right)
      .add(x.view())
      .add(one(of_rank))
      .add(one(state))
      .run();
  *rank = int(of_rank), *info = state < 0 ? std::max(1, least) : int(state);
  if (*info != 0) return;
  factors<T> found(name, given, s, false, true);
  if (*m > *n) {
    full<T> reflectors = copy_of(given);
    std::vector<T> tau(static_cast<std::size_t>(least));
    step(name, task::qr).add(reflectors.view()).add(all_of(tau)).run();
    step(name, task::multiply_q).adjoint(true).add(reflectors.view()).add(all_of(tau)).add(right).run();
  }
  copy(x.view(), columns_of(b, *n, *nrhs, *ldb));
  copy(found.w.view(), block(given, 0, 0, least, *n));
}

/// The sizes of the real and integer workspaces of xGELSD that LAPACK documents. PRISM needs none, but
/// programs that ask for the sizes, Netlib's testers among them, use the memory for other calls too.
int real_size_of_gelsd(int m, int n, int nrhs) {
  const int least = std::max(1, std::min(m, n)), small = 25,
            levels = std::max(0, int(std::log2(double(least) / (small + 1))) + 1);
  return least * (10 + 2 * small + 8 * levels) + 3 * small * nrhs +
         std::max((small + 1) * (small + 1), least * (1 + nrhs) + 2 * nrhs);
}
int integer_size_of_gelsd(int m, int n) {
  const int least = std::max(1, std::min(m, n)), levels = std::max(0, int(std::log2(double(least) / 26)) + 1);
  return least * (3 * levels + 11);
}

} // namespace

extern "C" {

#define PRISM_SINGULAR_REAL(p, P, T)                                                                         \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* lda,      \
                 T* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* info) { \
    gesvd(#P "GESVD", jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);                    \
  }                                                                                                          \
  void p##gesdd_(const char* jobz, const int* m, const int* n, T* a, const int* lda, T* s, T* u,             \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int*, int* info) {       \
    gesdd(#P "GESDD", jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);                           \
  }                                                                                                          \
  void p##gelss_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb,    \
                 T* s, const T* rcond, int* rank, T* work, const int* lwork, int* info) {                    \
    gelss(#P "GELSS", m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info);                        \
  }                                                                                                          \
  void p##gelsd_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb,    \
                 T* s, const T* rcond, int* rank, T* work, const int* lwork, int* iwork, int* info) {        \
    iwork[0] = integer_size_of_gelsd(*m, *n);                                                                \
    gelss(#P "GELSD", m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info);                        \
  }
PRISM_FOR_REAL(PRISM_SINGULAR_REAL)

#define PRISM_SINGULAR_COMPLEX(p, P, T)                                                                      \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* lda,      \
                 real_of<T>* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork,     \
                 real_of<T>*, int* info) {                                                                   \
    gesvd(#P "GESVD", jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);                    \
  }                                                                                                          \
  void p##gesdd_(const char* jobz, const int* m, const int* n, T* a, const int* lda, real_of<T>* s, T* u,    \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, real_of<T>*, int*,       \
                 int* info) {                                                                                \
    gesdd(#P "GESDD", jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info);                           \
  }                                                                                                          \
  void p##gelss_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb,    \
                 real_of<T>* s, const real_of<T>* rcond, int* rank, T* work, const int* lwork, real_of<T>*,  \
                 int* info) {                                                                                \
    gelss(#P "GELSS", m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info);                        \
  }                                                                                                          \
  void p##gelsd_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb,    \
                 real_of<T>* s, const real_of<T>* rcond, int* rank, T* work, const int* lwork,               \
                 real_of<T>* rwork, int* iwork, int* info) {                                                 \
    rwork[0] = real_of<T>(real_size_of_gelsd(*m, *n, *nrhs)), iwork[0] = integer_size_of_gelsd(*m, *n);      \
    gelss(#P "GELSD", m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info);                        \
  }
PRISM_FOR_COMPLEX(PRISM_SINGULAR_COMPLEX)

} // extern "C"
