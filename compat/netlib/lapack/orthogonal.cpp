// QR, LQ, QL and RQ factorisations and what is computed with their factors. PRISM has QR; the other three are
// QR of the matrix that is turned: LQ of the adjoint, QL of the reversed rows and columns, RQ of both. The
// reflectors that LAPACK stores are those of the turned matrix in its places, of complex LQ and RQ
// conjugated.
#include "step.hpp"

using namespace prism::netlib;

namespace {

enum class kind { qr, lq, ql, rq };
constexpr bool is_adjoint(kind k) { return k == kind::lq || k == kind::rq; }
constexpr bool is_reversed(kind k) { return k == kind::ql || k == kind::rq; }

/// The turned matrix without the conjugates.
template <typename T>
matrix<T> turned(kind k, const matrix<T>& a) {
  const matrix<T> out = is_adjoint(k) ? a.transposed() : a;
  return is_reversed(k) ? reversed(out) : out;
}
template <typename T>
vector<T> turned(kind k, const vector<T>& tau) {
  return is_reversed(k) ? reversed(tau) : tau;
}

template <typename T>
void factor(const char* name, kind k, const matrix<T>& a, T* tau) {
  if (is_adjoint(k)) conjugate(a);
  step(name, task::qr).add(turned(k, a)).add(turned(k, elements(tau, std::min(a.rows, a.columns), 1))).run();
  if (is_adjoint(k)) conjugate(a);
}
/// C = op(Q) C or C op(Q) for the Q of `reflectors`, as LAPACK defines it for the kind.
template <typename T>
void multiply(const char* name, kind k, bool right, bool adjoint, const matrix<T>& reflectors, const T* tau,
              int count, const matrix<T>& c) {
  const matrix<T> a = turned(k, reflectors);
  matrix<T> to = c;
  if (is_reversed(k)) to = right ? reversed_rows(c.transposed()).transposed() : reversed_rows(c);
  step(name, task::multiply_q)
      .right(right)
      .adjoint(adjoint != is_adjoint(k))
      .add(is_adjoint(k) ? a.conjugated() : a)
      .add(turned(k, elements(tau, count, 1)))
      .add(to)
      .run();
}
/// A = the columns of Q (QR, QL) or its rows, of which `count` reflectors are in A.
template <typename T>
void form(const char* name, kind k, const matrix<T>& a, const T* tau, int count) {
  const matrix<T> to = turned(k, a);
  full<T> q(to.rows, to.columns);
  matrix<T> reflectors = block(to, 0, 0, to.rows, count);
  step(name, task::form_q)
      .add(is_adjoint(k) ? reflectors.conjugated() : reflectors)
      .add(turned(k, elements(tau, count, 1)))
      .add(q.view())
      .run();
  copy(is_adjoint(k) ? q.view().conjugated() : q.view(), to);
}

/// Without `lwork` it is the routine for a block of its own, whose name ends in 2.
template <typename T>
void geqrf(const char* name, kind k, const int* m, const int* n, T* a, const int* lda, T* tau, T* work,
           const int* lwork, int* info) {
  arguments all(name);
  const int least = is_adjoint(k) ? *m : *n, needed = std::min(*m, *n) <= 0 ? 1 : least;
  const bool asks = lwork != nullptr && asks_for_size(lwork, work, needed);
  all.require(1, *m >= 0), all.require(2, *n >= 0), all.require(4, *lda >= std::max(1, *m));
  all.require(7, lwork == nullptr || asks || *lwork >= needed);
  if (!all.are_wrong(info, asks) && !asks) factor(name, k, columns_of(a, *m, *n, *lda), tau);
}

template <typename T>
void orgqr(const char* name, kind k, const int* m, const int* n, const int* count, T* a, const int* lda,
           const T* tau, T* work, const int* lwork, int* info) {
  arguments all(name);
  const bool by_rows = is_adjoint(k);
  const int length = by_rows ? *n : *m, vectors = by_rows ? *m : *n, needed = std::max(1, vectors);
  const bool asks = lwork != nullptr && asks_for_size(lwork, work, needed);
  all.require(1, *m >= 0);
  all.require(2, *n >= 0 && vectors <= length);
  all.require(3, *count >= 0 && *count <= vectors), all.require(5, *lda >= std::max(1, *m));
  all.require(8, lwork == nullptr || asks || *lwork >= needed);
  if (!all.are_wrong(info, asks) && !asks) form(name, k, columns_of(a, *m, *n, *lda), tau, *count);
}

template <typename T>
void ormqr(const char* name, kind k, const char* side, const char* trans, const int* m, const int* n,
           const int* count, const T* a, const int* lda, const T* tau, T* c, const int* ldc, T* work,
           const int* lwork, int* info) {
  arguments all(name);
  const bool is_left = is_letter(side, 'L');
  const int order = is_left ? *m : *n, needed = std::max(1, is_left ? *n : *m),
            rows = is_adjoint(k) ? *count : order;
  const bool asks = lwork != nullptr && asks_for_size(lwork, work, needed);
  all.letter(1, side, "LR"), all.letter(2, trans, is_complex<T> ? "NC" : "NT");
  all.require(3, *m >= 0), all.require(4, *n >= 0), all.require(5, *count >= 0 && *count <= order);
  all.require(7, *lda >= std::max(1, rows)), all.require(10, *ldc >= std::max(1, *m));
  all.require(12, lwork == nullptr || asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  multiply(name, k, !is_left, !is_letter(trans, 'N'),
           columns_of(a, rows, is_adjoint(k) ? order : *count, *lda), tau, *count,
           columns_of(c, *m, *n, *ldc));
}

template <typename T>
void exchange_columns(const matrix<T>& a, int i, int j) {
  for (int row = 0; row < a.rows; ++row) std::swap(at(a, row, i), at(a, row, j));
}
/// Columns with a number in `order` come first, as they are: QR of them, then QR with exchanges of the rest.
template <typename T>
void pivoted(const char* name, const matrix<T>& a, int* order, T* tau) {
  int fixed = 0;
  for (int j = 0; j < a.columns; ++j) {
    const bool is_fixed = order[j] != 0;
    order[j] = j + 1;
    if (!is_fixed) continue;
    if (j != fixed) exchange_columns(a, j, fixed), order[j] = order[fixed], order[fixed] = j + 1;
    ++fixed;
  }
  const int first = std::min(a.rows, fixed), rows = a.rows - first, columns = a.columns - first;
  const matrix<T> left = block(a, 0, 0, a.rows, first);
  if (first > 0) {
    factor(name, kind::qr, left, tau);
    multiply(name, kind::qr, false, true, left, tau, first, block(a, 0, first, a.rows, columns));
  }
  if (fixed > first) return; // no row is left
  const matrix<T> rest = block(a, first, first, rows, columns);
  std::vector<std::int64_t> found(static_cast<std::size_t>(columns));
  step(name, task::qr_pivoted)
      .add(rest)
      .add(all_of(found))
      .add(elements(tau + first, std::min(rows, columns), 1))
      .run();
  full<T> above = copy_of(block(a, 0, first, first, columns));
  const std::vector<int> before(order + first, order + first + columns);
  for (int j = 0; j < columns; ++j) {
    const int from = int(found[std::size_t(j)]);
    order[first + j] = before[std::size_t(from)];
    for (int i = 0; i < first; ++i) at(a, i, first + j) = above(i, from);
  }
}
template <typename T>
void geqp3(const char* name, const int* m, const int* n, T* a, const int* lda, int* order, T* tau, T* work,
           const int* lwork, int* info) {
  arguments all(name);
  const int needed = std::min(*m, *n) <= 0 ? 1 : is_complex<T> ? *n + 1 : 3 * *n + 1;
  const bool asks = asks_for_size(lwork, work, needed);
  all.require(1, *m >= 0), all.require(2, *n >= 0), all.require(4, *lda >= std::max(1, *m));
  all.require(8, asks || *lwork >= needed);
  if (!all.are_wrong(info, asks) && !asks) pivoted(name, columns_of(a, *m, *n, *lda), order, tau);
}

/// The solution by least_squares; what else LAPACK returns, the factors and the residuals, by QR or LQ.
template <typename T>
void gels(const char* name, const char* trans, const int* m, const int* n, const int* nrhs, T* a,
          const int* lda, T* b, const int* ldb, T* work, const int* lwork, int* info) {
  arguments all(name);
  const int least = std::min(*m, *n), needed = std::max(1, least + std::max(least, *nrhs));
  const bool asks = asks_for_size(lwork, work, needed), plain = is_letter(trans, 'N');
  all.letter(1, trans, is_complex<T> ? "NC" : "NT"), all.require(2, *m >= 0), all.require(3, *n >= 0);
  all.require(4, *nrhs >= 0), all.require(6, *lda >= std::max(1, *m));
  all.require(8, *ldb >= std::max({1, *m, *n})), all.require(10, asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  const int rows = plain ? *m : *n, unknowns = plain ? *n : *m;
  const matrix<T> given = columns_of(a, *m, *n, *lda), right = columns_of(b, rows, *nrhs, *ldb);
  full<T> x(unknowns, *nrhs), old = copy_of(given);
  std::int64_t state = 0;
  step(name, task::least_squares)
      .add(plain ? old.view() : old.view().by("C"))
      .add(right)
      .add(x.view())
      .add(one(state))
      .run();
  std::vector<T> tau(static_cast<std::size_t>(least));
  const kind k = *m >= *n ? kind::qr : kind::lq;
  factor(name, k, given, tau.data());
  if ((*info = int(state)) != 0) return;
  if (rows >= unknowns) multiply(name, k, false, k == kind::qr, given, tau.data(), least, right);
  copy(x.view(), columns_of(b, unknowns, *nrhs, *ldb));
}

} // namespace

extern "C" {

#define PRISM_FACTOR(p, P, T, qrf, QRF, qr2, QR2, which)                                                     \
  void p##qrf##_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,        \
                 int* info) {                                                                                \
    geqrf(#P #QRF, kind::which, m, n, a, lda, tau, work, lwork, info);                                       \
  }                                                                                                          \
  void p##qr2##_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, int* info) {             \
    geqrf(#P #QR2, kind::which, m, n, a, lda, tau, work, static_cast<const int*>(nullptr), info);            \
  }
#define PRISM_FORM(p, P, T, gqr, GQR, g2r, G2R, which)                                                       \
  void p##gqr##_(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,      \
                 const int* lwork, int* info) {                                                              \
    orgqr(#P #GQR, kind::which, m, n, k, a, lda, tau, work, lwork, info);                                    \
  }                                                                                                          \
  void p##g2r##_(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,      \
                 int* info) {                                                                                \
    orgqr(#P #G2R, kind::which, m, n, k, a, lda, tau, work, static_cast<const int*>(nullptr), info);         \
  }
#define PRISM_MULTIPLY(p, P, T, mqr, MQR, m2r, M2R, which)                                                   \
  void p##mqr##_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,  \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info) { \
    ormqr(#P #MQR, kind::which, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info);               \
  }                                                                                                          \
  void p##m2r##_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,  \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, int* info) {                   \
    ormqr(#P #M2R, kind::which, side, trans, m, n, k, a, lda, tau, c, ldc, work,                             \
          static_cast<const int*>(nullptr), info);                                                           \
  }
#define PRISM_ORTHOGONAL(p, P, T)                                                                            \
  PRISM_FACTOR(p, P, T, geqrf, GEQRF, geqr2, GEQR2, qr)                                                      \
  PRISM_FACTOR(p, P, T, gelqf, GELQF, gelq2, GELQ2, lq)                                                      \
  PRISM_FACTOR(p, P, T, geqlf, GEQLF, geql2, GEQL2, ql)                                                      \
  PRISM_FACTOR(p, P, T, gerqf, GERQF, gerq2, GERQ2, rq)                                                      \
  void p##gels_(const char* trans, const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b,  \
                const int* ldb, T* work, const int* lwork, int* info) {                                      \
    gels(#P "GELS", trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info);                                   \
  }
PRISM_FOR_ALL(PRISM_ORTHOGONAL)

#define PRISM_REAL(p, P, T)                                                                                  \
  PRISM_FORM(p, P, T, orgqr, ORGQR, org2r, ORG2R, qr)                                                        \
  PRISM_FORM(p, P, T, orglq, ORGLQ, orgl2, ORGL2, lq)                                                        \
  PRISM_FORM(p, P, T, orgql, ORGQL, org2l, ORG2L, ql)                                                        \
  PRISM_FORM(p, P, T, orgrq, ORGRQ, orgr2, ORGR2, rq)                                                        \
  PRISM_MULTIPLY(p, P, T, ormqr, ORMQR, orm2r, ORM2R, qr)                                                    \
  PRISM_MULTIPLY(p, P, T, ormlq, ORMLQ, orml2, ORML2, lq)                                                    \
  PRISM_MULTIPLY(p, P, T, ormql, ORMQL, orm2l, ORM2L, ql)                                                    \
  PRISM_MULTIPLY(p, P, T, ormrq, ORMRQ, ormr2, ORMR2, rq)                                                    \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* jpvt, T* tau, T* work,               \
                 const int* lwork, int* info) {                                                              \
    geqp3(#P "GEQP3", m, n, a, lda, jpvt, tau, work, lwork, info);                                           \
  }
PRISM_FOR_REAL(PRISM_REAL)

#define PRISM_COMPLEX(p, P, T)                                                                               \
  PRISM_FORM(p, P, T, ungqr, UNGQR, ung2r, UNG2R, qr)                                                        \
  PRISM_FORM(p, P, T, unglq, UNGLQ, ungl2, UNGL2, lq)                                                        \
  PRISM_FORM(p, P, T, ungql, UNGQL, ung2l, UNG2L, ql)                                                        \
  PRISM_FORM(p, P, T, ungrq, UNGRQ, ungr2, UNGR2, rq)                                                        \
  PRISM_MULTIPLY(p, P, T, unmqr, UNMQR, unm2r, UNM2R, qr)                                                    \
  PRISM_MULTIPLY(p, P, T, unmlq, UNMLQ, unml2, UNML2, lq)                                                    \
  PRISM_MULTIPLY(p, P, T, unmql, UNMQL, unm2l, UNM2L, ql)                                                    \
  PRISM_MULTIPLY(p, P, T, unmrq, UNMRQ, unmr2, UNMR2, rq)                                                    \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* jpvt, T* tau, T* work,               \
                 const int* lwork, real_of<T>*, int* info) {                                                 \
    geqp3(#P "GEQP3", m, n, a, lda, jpvt, tau, work, lwork, info);                                           \
  }
PRISM_FOR_COMPLEX(PRISM_COMPLEX)

} // extern "C"
