// Linear systems: LU, Cholesky and triangles; norms of matrices.
#include "step.hpp"

using namespace prism::netlib;

namespace {

/// A = P L U in place.
template <typename T>
int factor(const char* name, const matrix<T>& a, int* pivots) {
  std::vector<std::int64_t> order(std::size_t(std::min(a.rows, a.columns)));
  std::int64_t info = 0;
  step(name, task::lu).add(a).add(all_of(order)).add(one(info)).run();
  for (std::size_t i = 0; i < order.size(); ++i) pivots[i] = int(order[i]) + 1;
  return int(info);
}
/// X = inv(op(A)) X by the factors.
template <typename T>
void solve(const char* name, const char* op, const matrix<T>& a, const int* pivots, const matrix<T>& x) {
  std::vector<std::int64_t> order(std::size_t(a.rows));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = pivots[i] - 1;
  step(name, task::lu_solve)
      .option(is_letter(op, 'N')   ? 0
              : is_letter(op, 'T') ? 1
                                   : 2)
      .add(a)
      .add(all_of(order))
      .add(x)
      .run();
}
template <typename T>
int factor_positive(const char* name, const char* uplo, const matrix<T>& a) {
  std::int64_t info = 0;
  step(name, task::cholesky).lower(is_letter(uplo, 'L')).add(a).add(one(info)).run();
  return int(info);
}
template <typename T>
void solve_positive(const char* name, const char* uplo, const matrix<T>& a, const matrix<T>& x) {
  step(name, task::cholesky_solve).lower(is_letter(uplo, 'L')).add(a).add(x).run();
}

template <typename T>
void getrf(const char* name, const int* m, const int* n, T* a, const int* lda, int* pivots, int* info) {
  arguments all(name);
  all.require(1, *m >= 0), all.require(2, *n >= 0), all.require(4, *lda >= std::max(1, *m));
  if (!all.are_wrong(info)) *info = factor(name, columns_of(a, *m, *n, *lda), pivots);
}
template <typename T>
void getrs(const char* name, const char* trans, const int* n, const int* nrhs, const T* a, const int* lda,
           const int* pivots, T* b, const int* ldb, int* info) {
  arguments all(name);
  all.letter(1, trans, "NTC"), all.require(2, *n >= 0), all.require(3, *nrhs >= 0);
  all.require(5, *lda >= std::max(1, *n)), all.require(8, *ldb >= std::max(1, *n));
  if (!all.are_wrong(info))
    solve(name, trans, columns_of(a, *n, *n, *lda), pivots, columns_of(b, *n, *nrhs, *ldb));
}
template <typename T>
void gesv(const char* name, const int* n, const int* nrhs, T* a, const int* lda, int* pivots, T* b,
          const int* ldb, int* info) {
  arguments all(name);
  all.require(1, *n >= 0), all.require(2, *nrhs >= 0), all.require(4, *lda >= std::max(1, *n));
  all.require(7, *ldb >= std::max(1, *n));
  if (all.are_wrong(info)) return;
  *info = factor(name, columns_of(a, *n, *n, *lda), pivots);
  if (*info == 0) solve(name, "N", columns_of(a, *n, *n, *lda), pivots, columns_of(b, *n, *nrhs, *ldb));
}
/// The rows x of inv(A) solve x A = e, as in LAPACK: the residual of inv(A) A is small.
template <typename T>
void getri(const char* name, const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork,
           int* info) {
  arguments all(name);
  const bool asks = asks_for_size(lwork, work, std::max(1, *n));
  all.require(1, *n >= 0), all.require(3, *lda >= std::max(1, *n));
  all.require(6, asks || *lwork >= std::max(1, *n));
  if (all.are_wrong(info, asks) || asks) return;
  const matrix<T> factors = columns_of(a, *n, *n, *lda);
  if ((*info = first_zero(factors)) != 0) return;
  full<T> inverse = identity<T>(*n);
  solve(name, "T", factors, pivots, inverse.view().transposed());
  copy(inverse.view(), factors);
}

template <typename T>
void potrf(const char* name, const char* uplo, const int* n, T* a, const int* lda, int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(4, *lda >= std::max(1, *n));
  if (!all.are_wrong(info)) *info = factor_positive(name, uplo, columns_of(a, *n, *n, *lda));
}
template <typename T>
void potrs(const char* name, const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda,
           T* b, const int* ldb, int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(3, *nrhs >= 0);
  all.require(5, *lda >= std::max(1, *n)), all.require(7, *ldb >= std::max(1, *n));
  if (!all.are_wrong(info))
    solve_positive(name, uplo, columns_of(a, *n, *n, *lda), columns_of(b, *n, *nrhs, *ldb));
}
template <typename T>
void posv(const char* name, const char* uplo, const int* n, const int* nrhs, T* a, const int* lda, T* b,
          const int* ldb, int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(3, *nrhs >= 0);
  all.require(5, *lda >= std::max(1, *n)), all.require(7, *ldb >= std::max(1, *n));
  if (all.are_wrong(info)) return;
  *info = factor_positive(name, uplo, columns_of(a, *n, *n, *lda));
  if (*info == 0) solve_positive(name, uplo, columns_of(a, *n, *n, *lda), columns_of(b, *n, *nrhs, *ldb));
}
/// The triangle `uplo` of `from`.
template <typename T>
void copy_triangle(const char* uplo, full<T>& from, const matrix<T>& to) {
  const bool is_upper = is_letter(uplo, 'U');
  for_elements(to, [&](int i, int j, T& value) {
    if (is_upper ? i <= j : i >= j) value = from(i, j);
  });
}
template <typename T>
void potri(const char* name, const char* uplo, const int* n, T* a, const int* lda, int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(4, *lda >= std::max(1, *n));
  if (all.are_wrong(info)) return;
  const matrix<T> factor = columns_of(a, *n, *n, *lda);
  if ((*info = first_zero(factor)) != 0) return;
  full<T> inverse = identity<T>(*n);
  solve_positive(name, uplo, factor, inverse.view());
  copy_triangle(uplo, inverse, factor);
}

template <typename T>
void trtrs(const char* name, const char* uplo, const char* trans, const char* diag, const int* n,
           const int* nrhs, const T* a, const int* lda, T* b, const int* ldb, int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.letter(2, trans, "NTC"), all.letter(3, diag, "UN");
  all.require(4, *n >= 0), all.require(5, *nrhs >= 0);
  all.require(7, *lda >= std::max(1, *n)), all.require(9, *ldb >= std::max(1, *n));
  if (all.are_wrong(info)) return;
  const matrix<T> triangle = columns_of(a, *n, *n, *lda);
  if (is_letter(diag, 'N') && (*info = first_zero(triangle)) != 0) return;
  solve_triangle(name, uplo, trans, diag, triangle, columns_of(b, *n, *nrhs, *ldb));
}
template <typename T>
void trtri(const char* name, const char* uplo, const char* diag, const int* n, T* a, const int* lda,
           int* info) {
  arguments all(name);
  all.letter(1, uplo, "UL"), all.letter(2, diag, "UN"), all.require(3, *n >= 0);
  all.require(5, *lda >= std::max(1, *n));
  if (all.are_wrong(info)) return;
  const matrix<T> triangle = columns_of(a, *n, *n, *lda);
  const bool is_unit = is_letter(diag, 'U');
  if (!is_unit && (*info = first_zero(triangle)) != 0) return;
  full<T> inverse = identity<T>(*n);
  solve_triangle(name, uplo, "N", diag, triangle, inverse.view());
  for (int i = 0; is_unit && i < *n; ++i) inverse(i, i) = at(triangle, i, i); // is not touched
  copy_triangle(uplo, inverse, triangle);
}

template <typename T>
real_of<T> norm(const char* name, const char* kind, const matrix<T>& a) {
  service::of_process().count(name);
  const int which = is_letter(kind, 'M')                   ? 3
                    : is_letter(kind, 'O') || *kind == '1' ? 0
                    : is_letter(kind, 'I')                 ? 1
                                                           : 2;
  real_of<T> out = 0;
  step(name, task::norm).option(which).add(a).add(one(out)).run();
  return out;
}
/// What the triangle stands for: a symmetric or Hermitian matrix, or itself.
enum class form { symmetric, hermitian, triangular, unit_triangular };
template <typename T>
real_of<T> norm(const char* name, const char* kind, const char* uplo, form of, const matrix<T>& a) {
  full<T> all(a.rows, a.columns);
  const bool is_upper = is_letter(uplo, 'U'), is_square = of < form::triangular;
  for_elements(all.view(), [&](int i, int j, T& value) {
    if (i == j && of == form::unit_triangular) value = T(1);
    else if (i == j || (is_upper ? i < j : i > j)) value = at(a, i, j);
    else if (is_square) value = of == form::hermitian ? conjugate_of(at(a, j, i)) : at(a, j, i);
    if constexpr (is_complex<T>)
      if (i == j && of == form::hermitian) value = value.real();
  });
  return norm(name, kind, all.view());
}

} // namespace

extern "C" {

#define PRISM_SYSTEMS(p, P, T)                                                                               \
  void p##getrf_(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info) {                   \
    getrf(#P "GETRF", m, n, a, lda, ipiv, info);                                                             \
  }                                                                                                          \
  void p##getf2_(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info) {                   \
    getrf(#P "GETF2", m, n, a, lda, ipiv, info);                                                             \
  }                                                                                                          \
  void p##getrs_(const char* trans, const int* n, const int* nrhs, const T* a, const int* lda,               \
                 const int* ipiv, T* b, const int* ldb, int* info) {                                         \
    getrs(#P "GETRS", trans, n, nrhs, a, lda, ipiv, b, ldb, info);                                           \
  }                                                                                                          \
  void p##gesv_(const int* n, const int* nrhs, T* a, const int* lda, int* ipiv, T* b, const int* ldb,        \
                int* info) {                                                                                 \
    gesv(#P "GESV", n, nrhs, a, lda, ipiv, b, ldb, info);                                                    \
  }                                                                                                          \
  void p##getri_(const int* n, T* a, const int* lda, const int* ipiv, T* work, const int* lwork,             \
                 int* info) {                                                                                \
    getri(#P "GETRI", n, a, lda, ipiv, work, lwork, info);                                                   \
  }                                                                                                          \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info) {                          \
    potrf(#P "POTRF", uplo, n, a, lda, info);                                                                \
  }                                                                                                          \
  void p##potf2_(const char* uplo, const int* n, T* a, const int* lda, int* info) {                          \
    potrf(#P "POTF2", uplo, n, a, lda, info);                                                                \
  }                                                                                                          \
  void p##potrs_(const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda, T* b,          \
                 const int* ldb, int* info) {                                                                \
    potrs(#P "POTRS", uplo, n, nrhs, a, lda, b, ldb, info);                                                  \
  }                                                                                                          \
  void p##posv_(const char* uplo, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb, \
                int* info) {                                                                                 \
    posv(#P "POSV", uplo, n, nrhs, a, lda, b, ldb, info);                                                    \
  }                                                                                                          \
  void p##potri_(const char* uplo, const int* n, T* a, const int* lda, int* info) {                          \
    potri(#P "POTRI", uplo, n, a, lda, info);                                                                \
  }                                                                                                          \
  void p##trtrs_(const char* uplo, const char* trans, const char* diag, const int* n, const int* nrhs,       \
                 const T* a, const int* lda, T* b, const int* ldb, int* info) {                              \
    trtrs(#P "TRTRS", uplo, trans, diag, n, nrhs, a, lda, b, ldb, info);                                     \
  }                                                                                                          \
  void p##trtri_(const char* uplo, const char* diag, const int* n, T* a, const int* lda, int* info) {        \
    trtri(#P "TRTRI", uplo, diag, n, a, lda, info);                                                          \
  }                                                                                                          \
  real_of<T> p##lange_(const char* kind, const int* m, const int* n, const T* a, const int* lda,             \
                       real_of<T>*) {                                                                        \
    return norm(#P "LANGE", kind, columns_of(a, *m, *n, *lda));                                              \
  }                                                                                                          \
  real_of<T> p##lansy_(const char* kind, const char* uplo, const int* n, const T* a, const int* lda,         \
                       real_of<T>*) {                                                                        \
    return norm(#P "LANSY", kind, uplo, form::symmetric, columns_of(a, *n, *n, *lda));                       \
  }                                                                                                          \
  real_of<T> p##lantr_(const char* kind, const char* uplo, const char* diag, const int* m, const int* n,     \
                       const T* a, const int* lda, real_of<T>*) {                                            \
    return norm(#P "LANTR", kind, uplo, is_letter(diag, 'U') ? form::unit_triangular : form::triangular,     \
                columns_of(a, *m, *n, *lda));                                                                \
  }
PRISM_FOR_ALL(PRISM_SYSTEMS)

#define PRISM_NORM_HERMITIAN(p, P, T)                                                                        \
  real_of<T> p##lanhe_(const char* kind, const char* uplo, const int* n, const T* a, const int* lda,         \
                       real_of<T>*) {                                                                        \
    return norm(#P "LANHE", kind, uplo, form::hermitian, columns_of(a, *n, *n, *lda));                       \
  }
PRISM_FOR_COMPLEX(PRISM_NORM_HERMITIAN)

} // extern "C"
