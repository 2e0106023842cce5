// Level 3 of the Fortran BLAS: checks of arguments in the order of the reference, then one operation.
#include "call.hpp"

using namespace prism::netlib;

namespace {

template <typename T>
void product(const char* name, const char* ta, const char* tb, const int* m, const int* n, const int* k,
             const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,
             const int* ldc) {
  const bool a_plain = is_letter(ta, 'N'), b_plain = is_letter(tb, 'N');
  arguments all(name);
  all.letter(1, ta, "NTC"), all.letter(2, tb, "NTC");
  all.require(3, *m >= 0), all.require(4, *n >= 0), all.require(5, *k >= 0);
  all.require(8, *lda >= std::max(1, a_plain ? *m : *k)),
      all.require(10, *ldb >= std::max(1, b_plain ? *k : *n));
  all.require(13, *ldc >= std::max(1, *m));
  if (all.are_wrong() || *m == 0 || *n == 0 || ((*alpha == T(0) || *k == 0) && *beta == T(1))) return;
  call(name, PRISM_GEMM)
      .alpha(*alpha)
      .beta(*beta)
      .add(columns_of(a, a_plain ? *m : *k, a_plain ? *k : *m, *lda).by(ta))
      .add(columns_of(b, b_plain ? *k : *n, b_plain ? *n : *k, *ldb).by(tb))
      .add(columns_of(c, *m, *n, *ldc))
      .run();
}
template <typename T>
void mirrored(const char* name, std::int32_t operation, const char* side, const char* uplo, const int* m,
              const int* n, const T* alpha, const T* a, const int* lda, const T* b, const int* ldb,
              const T* beta, T* c, const int* ldc) {
  const int order = is_letter(side, 'L') ? *m : *n;
  arguments all(name);
  all.letter(1, side, "LR"), all.letter(2, uplo, "UL"), all.require(3, *m >= 0), all.require(4, *n >= 0);
  all.require(7, *lda >= std::max(1, order)), all.require(9, *ldb >= std::max(1, *m));
  all.require(12, *ldc >= std::max(1, *m));
  if (all.are_wrong() || *m == 0 || *n == 0 || (*alpha == T(0) && *beta == T(1))) return;
  call(name, operation)
      .alpha(*alpha)
      .beta(*beta)
      .side(side)
      .uplo(triangle(uplo))
      .add(columns_of(a, order, order, *lda))
      .add(columns_of(b, *m, *n, *ldb))
      .add(columns_of(c, *m, *n, *ldc))
      .run();
}
/// `letters`: those that trans may be.
template <typename T, typename S>
void update(const char* name, std::int32_t operation, const char* letters, const char* uplo,
            const char* trans, const int* n, const int* k, const S* alpha, const T* a, const int* lda,
            const S* beta, T* c, const int* ldc) {
  const bool plain = is_letter(trans, 'N');
  arguments all(name);
  all.letter(1, uplo, "UL"), all.letter(2, trans, letters), all.require(3, *n >= 0), all.require(4, *k >= 0);
  all.require(7, *lda >= std::max(1, plain ? *n : *k)), all.require(10, *ldc >= std::max(1, *n));
  if (all.are_wrong() || *n == 0 || ((*alpha == S(0) || *k == 0) && *beta == S(1))) return;
  call(name, operation)
      .alpha(*alpha)
      .beta(*beta)
      .uplo(triangle(uplo))
      .add(columns_of(a, plain ? *n : *k, plain ? *k : *n, *lda).by(trans))
      .add(columns_of(c, *n, *n, *ldc))
      .run();
}
template <typename T, typename S>
void update_twice(const char* name, std::int32_t operation, const char* letters, const char* uplo,
                  const char* trans, const int* n, const int* k, const T* alpha, const T* a, const int* lda,
                  const T* b, const int* ldb, const S* beta, T* c, const int* ldc) {
  const bool plain = is_letter(trans, 'N');
  arguments all(name);
  all.letter(1, uplo, "UL"), all.letter(2, trans, letters), all.require(3, *n >= 0), all.require(4, *k >= 0);
  all.require(7, *lda >= std::max(1, plain ? *n : *k)), all.require(9, *ldb >= std::max(1, plain ? *n : *k));
  all.require(12, *ldc >= std::max(1, *n));
  if (all.are_wrong() || *n == 0 || ((*alpha == T(0) || *k == 0) && *beta == S(1))) return;
  const int rows = plain ? *n : *k, columns = plain ? *k : *n;
  call(name, operation)
      .alpha(*alpha)
      .beta(*beta)
      .uplo(triangle(uplo))
      .add(columns_of(a, rows, columns, *lda).by(trans))
      .add(columns_of(b, rows, columns, *ldb).by(trans))
      .add(columns_of(c, *n, *n, *ldc))
      .run();
}
template <typename T>
void triangular(const char* name, std::int32_t operation, const char* side, const char* uplo,
                const char* trans, const char* diag, const int* m, const int* n, const T* alpha, const T* a,
                const int* lda, T* b, const int* ldb) {
  const int order = is_letter(side, 'L') ? *m : *n;
  arguments all(name);
  all.letter(1, side, "LR"), all.letter(2, uplo, "UL"), all.letter(3, trans, "NTC"),
      all.letter(4, diag, "UN");
  all.require(5, *m >= 0), all.require(6, *n >= 0), all.require(9, *lda >= std::max(1, order));
  all.require(11, *ldb >= std::max(1, *m));
  if (all.are_wrong() || *m == 0 || *n == 0) return;
  call(name, operation)
      .alpha(*alpha)
      .side(side)
      .diag(diag)
      .uplo(triangle(uplo, trans))
      .add(columns_of(a, order, order, *lda).by(trans))
      .add(columns_of(b, *m, *n, *ldb))
      .run();
}

} // namespace

extern "C" {

#define PRISM_MIRRORED(p, P, T, sy, SY, operation)                                                           \
  void p##sy##mm_(const char* side, const char* uplo, const int* m, const int* n, const T* alpha,            \
                  const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,               \
                  const int* ldc) {                                                                          \
    mirrored(#P #SY "MM", operation, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                 \
  }
#define PRISM_UPDATE(p, P, T, S, sy, SY, one, two, letters)                                                  \
  void p##sy##rk_(const char* uplo, const char* trans, const int* n, const int* k, const S* alpha,           \
                  const T* a, const int* lda, const S* beta, T* c, const int* ldc) {                         \
    update(#P #SY "RK", one, letters, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                       \
  }                                                                                                          \
  void p##sy##r2k_(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha,          \
                   const T* a, const int* lda, const T* b, const int* ldb, const S* beta, T* c,              \
                   const int* ldc) {                                                                         \
    update_twice(#P #SY "R2K", two, letters, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);        \
  }
#define PRISM_LEVEL3(p, P, T)                                                                                \
  void p##gemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,    \
                const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,                 \
                const int* ldc) {                                                                            \
    product(#P "GEMM", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
  }                                                                                                          \
  PRISM_MIRRORED(p, P, T, sy, SY, PRISM_SYMM)                                                                \
  PRISM_UPDATE(p, P, T, T, sy, SY, PRISM_SYRK, PRISM_SYR2K, is_complex<T> ? "NT" : "NTC")                    \
  void p##trmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,       \
                const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {            \
    triangular(#P "TRMM", PRISM_TRMM, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);                 \
  }                                                                                                          \
  void p##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,       \
                const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb) {            \
    triangular(#P "TRSM", PRISM_TRSM, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);                 \
  }
PRISM_FOR_ALL(PRISM_LEVEL3)
#define PRISM_LEVEL3_HERMITIAN(p, P, T)                                                                      \
  PRISM_MIRRORED(p, P, T, he, HE, PRISM_HEMM)                                                                \
  PRISM_UPDATE(p, P, T, real_of<T>, he, HE, PRISM_HERK, PRISM_HER2K, "NC")
PRISM_FOR_COMPLEX(PRISM_LEVEL3_HERMITIAN)

} // extern "C"
