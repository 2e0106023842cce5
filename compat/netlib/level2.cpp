// Level 2 of the Fortran BLAS: checks of arguments in the order of the reference, then one operation.
#include "stored.hpp"

using namespace prism::netlib;

namespace {

template <typename T>
void general(const char* name, const char* trans, const matrix<T>& a, const T* alpha, const T* x, int incx,
             const T* beta, T* y, int incy) {
  const matrix<T> used = a.by(trans);
  if (a.rows == 0 || a.columns == 0 || (*alpha == T(0) && *beta == T(1))) return;
  call(name, PRISM_GEMV)
      .alpha(*alpha)
      .beta(*beta)
      .add(used)
      .add(elements(x, used.columns, incx))
      .add(elements(y, used.rows, incy))
      .run();
}
template <typename T>
void mirrored(const char* name, const char* uplo, const matrix<T>& a, const T* alpha, const T* x, int incx,
              const T* beta, T* y, int incy) {
  if (a.rows == 0 || (*alpha == T(0) && *beta == T(1))) return;
  call(name, is_complex<T> ? PRISM_HEMV : PRISM_SYMV)
      .alpha(*alpha)
      .beta(*beta)
      .uplo(triangle(uplo))
      .add(a)
      .add(elements(x, a.rows, incx))
      .add(elements(y, a.rows, incy))
      .run();
}
template <typename T>
void triangular(const char* name, bool solves, const char* uplo, const char* trans, const char* diag,
                const matrix<T>& a, T* x, int incx) {
  if (a.rows == 0) return;
  call(name, solves ? PRISM_TRSV : PRISM_TRMV)
      .uplo(triangle(uplo, trans))
      .diag(diag)
      .add(a.by(trans))
      .add(elements(x, a.rows, incx))
      .run();
}
template <typename T>
void updated(const char* name, const char* uplo, real_of<T> alpha, const T* x, int incx, const matrix<T>& a) {
  if (a.rows == 0 || alpha == real_of<T>(0)) return;
  call(name, is_complex<T> ? PRISM_HER : PRISM_SYR)
      .alpha(alpha)
      .uplo(triangle(uplo))
      .add(elements(x, a.rows, incx))
      .add(a)
      .run();
}
template <typename T>
void updated_twice(const char* name, const char* uplo, const T* alpha, const T* x, int incx, const T* y,
                   int incy, const matrix<T>& a) {
  if (a.rows == 0 || *alpha == T(0)) return;
  call(name, is_complex<T> ? PRISM_HER2 : PRISM_SYR2)
      .alpha(*alpha)
      .uplo(triangle(uplo))
      .add(elements(x, a.rows, incx))
      .add(elements(y, a.rows, incy))
      .add(a)
      .run();
}
template <typename T>
void outer(const char* name, bool conjugate, const int* m, const int* n, const T* alpha, const T* x,
           const int* incx, const T* y, const int* incy, T* a, const int* lda) {
  arguments all(name);
  all.require(1, *m >= 0), all.require(2, *n >= 0), all.require(5, *incx != 0), all.require(7, *incy != 0);
  all.require(9, *lda >= std::max(1, *m));
  if (all.are_wrong() || *m == 0 || *n == 0 || *alpha == T(0)) return;
  call(name, PRISM_GER)
      .alpha(*alpha)
      .add(elements(x, *m, *incx))
      .add(elements(y, *n, *incy), conjugate)
      .add(columns_of(a, *m, *n, *lda))
      .run();
}

/// uplo, trans and diag are arguments 1 to 3, n the fourth.
void check_triangle(arguments& all, const char* uplo, const char* trans, const char* diag, const int* n) {
  all.letter(1, uplo, "UL"), all.letter(2, trans, "NTC"), all.letter(3, diag, "UN"), all.require(4, *n >= 0);
}

} // namespace

extern "C" {

#define PRISM_LEVEL2(p, P, T)                                                                                \
  void p##gemv_(const char* trans, const int* m, const int* n, const T* alpha, const T* a, const int* lda,   \
                const T* x, const int* incx, const T* beta, T* y, const int* incy) {                         \
    arguments all(#P "GEMV");                                                                                \
    all.letter(1, trans, "NTC"), all.require(2, *m >= 0), all.require(3, *n >= 0);                           \
    all.require(6, *lda >= std::max(1, *m)), all.require(8, *incx != 0), all.require(11, *incy != 0);        \
    if (!all.are_wrong())                                                                                    \
      general(#p "gemv", trans, columns_of(a, *m, *n, *lda), alpha, x, *incx, beta, y, *incy);               \
  }                                                                                                          \
  void p##gbmv_(const char* trans, const int* m, const int* n, const int* kl, const int* ku, const T* alpha, \
                const T* a, const int* lda, const T* x, const int* incx, const T* beta, T* y,                \
                const int* incy) {                                                                           \
    arguments all(#P "GBMV");                                                                                \
    all.letter(1, trans, "NTC"), all.require(2, *m >= 0), all.require(3, *n >= 0);                           \
    all.require(4, *kl >= 0), all.require(5, *ku >= 0), all.require(8, *lda >= *kl + *ku + 1);               \
    all.require(10, *incx != 0), all.require(13, *incy != 0);                                                \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_band(a, *m, *n, *kl, *ku, *lda);                                                    \
    general(#p "gbmv", trans, whole.view(), alpha, x, *incx, beta, y, *incy);                                \
  }
PRISM_FOR_ALL(PRISM_LEVEL2)

// sy and sp of real numbers, he and hp of complex ones.
#define PRISM_MIRRORED(p, P, T, sy, SY, sb, SB, sp, SP)                                                      \
  void p##sy##mv_(const char* uplo, const int* n, const T* alpha, const T* a, const int* lda, const T* x,    \
                  const int* incx, const T* beta, T* y, const int* incy) {                                   \
    arguments all(#P #SY "MV");                                                                              \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(5, *lda >= std::max(1, *n));             \
    all.require(7, *incx != 0), all.require(10, *incy != 0);                                                 \
    if (!all.are_wrong())                                                                                    \
      mirrored(#p #sy "mv", uplo, columns_of(a, *n, *n, *lda), alpha, x, *incx, beta, y, *incy);             \
  }                                                                                                          \
  void p##sb##mv_(const char* uplo, const int* n, const int* k, const T* alpha, const T* a, const int* lda,  \
                  const T* x, const int* incx, const T* beta, T* y, const int* incy) {                       \
    arguments all(#P #SB "MV");                                                                              \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(3, *k >= 0), all.require(6, *lda > *k);  \
    all.require(8, *incx != 0), all.require(11, *incy != 0);                                                 \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_band(uplo, a, *n, *k, *lda);                                                        \
    mirrored(#p #sb "mv", uplo, whole.view(), alpha, x, *incx, beta, y, *incy);                              \
  }                                                                                                          \
  void p##sp##mv_(const char* uplo, const int* n, const T* alpha, const T* ap, const T* x, const int* incx,  \
                  const T* beta, T* y, const int* incy) {                                                    \
    arguments all(#P #SP "MV");                                                                              \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(6, *incx != 0),                          \
        all.require(9, *incy != 0);                                                                          \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_packed(uplo, ap, *n);                                                               \
    mirrored(#p #sp "mv", uplo, whole.view(), alpha, x, *incx, beta, y, *incy);                              \
  }                                                                                                          \
  void p##sy##r_(const char* uplo, const int* n, const real_of<T>* alpha, const T* x, const int* incx, T* a, \
                 const int* lda) {                                                                           \
    arguments all(#P #SY "R");                                                                               \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(5, *incx != 0);                          \
    all.require(7, *lda >= std::max(1, *n));                                                                 \
    if (!all.are_wrong()) updated(#p #sy "r", uplo, *alpha, x, *incx, columns_of(a, *n, *n, *lda));          \
  }                                                                                                          \
  void p##sp##r_(const char* uplo, const int* n, const real_of<T>* alpha, const T* x, const int* incx,       \
                 T* ap) {                                                                                    \
    arguments all(#P #SP "R");                                                                               \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(5, *incx != 0);                          \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_packed(uplo, ap, *n);                                                               \
    updated(#p #sp "r", uplo, *alpha, x, *incx, whole.view());                                               \
    to_packed(uplo, whole, ap);                                                                              \
  }                                                                                                          \
  void p##sy##r2_(const char* uplo, const int* n, const T* alpha, const T* x, const int* incx, const T* y,   \
                  const int* incy, T* a, const int* lda) {                                                   \
    arguments all(#P #SY "R2");                                                                              \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(5, *incx != 0),                          \
        all.require(7, *incy != 0);                                                                          \
    all.require(9, *lda >= std::max(1, *n));                                                                 \
    if (!all.are_wrong())                                                                                    \
      updated_twice(#p #sy "r2", uplo, alpha, x, *incx, y, *incy, columns_of(a, *n, *n, *lda));              \
  }                                                                                                          \
  void p##sp##r2_(const char* uplo, const int* n, const T* alpha, const T* x, const int* incx, const T* y,   \
                  const int* incy, T* ap) {                                                                  \
    arguments all(#P #SP "R2");                                                                              \
    all.letter(1, uplo, "UL"), all.require(2, *n >= 0), all.require(5, *incx != 0),                          \
        all.require(7, *incy != 0);                                                                          \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_packed(uplo, ap, *n);                                                               \
    updated_twice(#p #sp "r2", uplo, alpha, x, *incx, y, *incy, whole.view());                               \
    to_packed(uplo, whole, ap);                                                                              \
  }
#define PRISM_MIRRORED_REAL(p, P, T) PRISM_MIRRORED(p, P, T, sy, SY, sb, SB, sp, SP)
#define PRISM_MIRRORED_COMPLEX(p, P, T) PRISM_MIRRORED(p, P, T, he, HE, hb, HB, hp, HP)
PRISM_FOR_REAL(PRISM_MIRRORED_REAL)
PRISM_FOR_COMPLEX(PRISM_MIRRORED_COMPLEX)

#define PRISM_TRIANGULAR(p, P, T, mv, MV, solves)                                                            \
  void p##tr##mv##_(const char* uplo, const char* trans, const char* diag, const int* n, const T* a,         \
                    const int* lda, T* x, const int* incx) {                                                 \
    arguments all(#P "TR" #MV);                                                                              \
    check_triangle(all, uplo, trans, diag, n);                                                               \
    all.require(6, *lda >= std::max(1, *n)), all.require(8, *incx != 0);                                     \
    if (!all.are_wrong())                                                                                    \
      triangular(#p "tr" #mv, solves, uplo, trans, diag, columns_of(a, *n, *n, *lda), x, *incx);             \
  }                                                                                                          \
  void p##tb##mv##_(const char* uplo, const char* trans, const char* diag, const int* n, const int* k,       \
                    const T* a, const int* lda, T* x, const int* incx) {                                     \
    arguments all(#P "TB" #MV);                                                                              \
    check_triangle(all, uplo, trans, diag, n);                                                               \
    all.require(5, *k >= 0), all.require(7, *lda > *k), all.require(9, *incx != 0);                          \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_band(uplo, a, *n, *k, *lda);                                                        \
    triangular(#p "tb" #mv, solves, uplo, trans, diag, whole.view(), x, *incx);                              \
  }                                                                                                          \
  void p##tp##mv##_(const char* uplo, const char* trans, const char* diag, const int* n, const T* ap, T* x,  \
                    const int* incx) {                                                                       \
    arguments all(#P "TP" #MV);                                                                              \
    check_triangle(all, uplo, trans, diag, n);                                                               \
    all.require(7, *incx != 0);                                                                              \
    if (all.are_wrong()) return;                                                                             \
    full<T> whole = from_packed(uplo, ap, *n);                                                               \
    triangular(#p "tp" #mv, solves, uplo, trans, diag, whole.view(), x, *incx);                              \
  }
#define PRISM_TRIANGULAR_BOTH(p, P, T)                                                                       \
  PRISM_TRIANGULAR(p, P, T, mv, MV, false) PRISM_TRIANGULAR(p, P, T, sv, SV, true)
PRISM_FOR_ALL(PRISM_TRIANGULAR_BOTH)

#define PRISM_OUTER(p, name, NAME, T, conjugate)                                                             \
  void name##_(const int* m, const int* n, const T* alpha, const T* x, const int* incx, const T* y,          \
               const int* incy, T* a, const int* lda) {                                                      \
    outer(#NAME, conjugate, m, n, alpha, x, incx, y, incy, a, lda);                                          \
  }
PRISM_OUTER(s, sger, SGER, float, false)
PRISM_OUTER(d, dger, DGER, double, false)
PRISM_OUTER(c, cgeru, CGERU, std::complex<float>, false)
PRISM_OUTER(z, zgeru, ZGERU, std::complex<double>, false)
PRISM_OUTER(c, cgerc, CGERC, std::complex<float>, true)
PRISM_OUTER(z, zgerc, ZGERC, std::complex<double>, true)

} // extern "C"
