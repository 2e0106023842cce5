// Eigenvalues of Hermitian matrices, also of pairs.
#include "step.hpp"

using namespace prism::netlib;

namespace {

/// Whether the real and integer workspaces are as large as LAPACK's routine with divide and conquer needs.
struct workspace {
  int main, real, integer;
};
template <typename T>
workspace of_divide_and_conquer(bool wants_vectors, int n) {
  if (n <= 1) return {1, 1, 1};
  if (is_complex<T>)
    return wants_vectors ? workspace{2 * n + n * n, 1 + 5 * n + 2 * n * n, 3 + 5 * n}
                         : workspace{n + 1, n, 1};
  return wants_vectors ? workspace{1 + 6 * n + 2 * n * n, 1, 3 + 5 * n} : workspace{2 * n + 1, 1, 1};
}

template <typename T>
int eigenvalues(const char* name, const char* uplo, bool wants_vectors, const matrix<T>& a, real_of<T>* w) {
  full<T> vectors(wants_vectors ? a.rows : 0, wants_vectors ? a.rows : 0);
  std::int64_t info = 0;
  step(name, task::eigh)
      .lower(is_letter(uplo, 'L'))
      .add(a)
      .add(elements(w, a.rows, 1))
      .add(vectors.view())
      .add(one(info))
      .run();
  if (wants_vectors) copy(vectors.view(), a);
  return int(info);
}

template <typename T>
void syev(const char* name, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,
          real_of<T>* w, T* work, const int* lwork, int* info) {
  arguments all(name);
  const int needed = std::max(1, (is_complex<T> ? 2 : 3) * *n - 1);
  const bool asks = asks_for_size(lwork, work, needed);
  all.letter(1, jobz, "NV"), all.letter(2, uplo, "UL"), all.require(3, *n >= 0);
  all.require(5, *lda >= std::max(1, *n)), all.require(8, asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  *info = eigenvalues(name, uplo, is_letter(jobz, 'V'), columns_of(a, *n, *n, *lda), w);
}
/// `rwork` and `lrwork` are null for real matrices.
template <typename T>
void syevd(const char* name, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,
           real_of<T>* w, T* work, const int* lwork, real_of<T>* rwork, const int* lrwork, int* iwork,
           const int* liwork, int* info) {
  arguments all(name);
  const workspace needed = of_divide_and_conquer<T>(is_letter(jobz, 'V'), *n);
  const bool asks = *lwork == -1 || *liwork == -1 || (lrwork != nullptr && *lrwork == -1);
  all.letter(1, jobz, "NV"), all.letter(2, uplo, "UL"), all.require(3, *n >= 0);
  all.require(5, *lda >= std::max(1, *n)), all.require(8, asks || *lwork >= needed.main);
  if (lrwork != nullptr) all.require(10, asks || *lrwork >= needed.real);
  all.require(lrwork != nullptr ? 12 : 10, asks || *liwork >= needed.integer);
  if (all.are_wrong(info, asks)) return;
  work[0] = T(real_of<T>(needed.main)), iwork[0] = needed.integer;
  if (rwork != nullptr) rwork[0] = real_of<T>(needed.real);
  if (!asks) *info = eigenvalues(name, uplo, is_letter(jobz, 'V'), columns_of(a, *n, *n, *lda), w);
}

/// X = op(A) X (PRISM_TRMM) or inv(op(A)) X (PRISM_TRSM) for a triangle.
template <typename T>
void by_triangle(const char* name, std::int32_t operation, const char* uplo, const char* op,
                 const matrix<T>& a, const matrix<T>& x) {
  call(name, operation, true)
      .alpha(T(1))
      .side("L")
      .diag("N")
      .uplo(triangle(uplo, op))
      .add(a.by(op))
      .add(x)
      .run();
}
/// A B x = w x (type 2) or B A x = w x (type 3) by the factor of B = L L^H: L^H A L y = w y.
template <typename T>
int products_with(const char* name, int type, const char* uplo, bool wants_vectors, const matrix<T>& a,
                  const matrix<T>& b, real_of<T>* w) {
  const bool is_upper = is_letter(uplo, 'U');
  const char *const plain = is_upper ? "C" : "N", *const adjoint = is_upper ? "N" : "C"; // of what is stored
  full<T> middle(a.rows, a.rows);
  for_elements(middle.view(), [&](int i, int j, T& value) {
    const bool is_stored = is_upper ? i <= j : i >= j;
    value = is_stored ? at(a, i, j) : conjugate_of(at(a, j, i));
    if constexpr (is_complex<T>)
      if (i == j) value = value.real();
  });
  by_triangle(name, PRISM_TRMM, uplo, adjoint, b, middle.view());
  full<T> turned = copy_of(middle.view().by("C"));
  by_triangle(name, PRISM_TRMM, uplo, adjoint, b, turned.view());
  const int info = eigenvalues(name, uplo, wants_vectors, turned.view(), w);
  if (!wants_vectors) return info;
  if (type == 2) by_triangle(name, PRISM_TRSM, uplo, adjoint, b, turned.view());
  else by_triangle(name, PRISM_TRMM, uplo, plain, b, turned.view());
  copy(turned.view(), a);
  return info;
}
template <typename T>
int generalised(const char* name, int type, const char* uplo, bool wants_vectors, const matrix<T>& a,
                const matrix<T>& b, real_of<T>* w) {
  full<T> old = copy_of(b);
  std::int64_t info = 0;
  step(name, task::cholesky).lower(is_letter(uplo, 'L')).add(b).add(one(info)).run();
  if (info != 0) return a.rows + int(info);
  if (type != 1) return products_with(name, type, uplo, wants_vectors, a, b, w);
  full<T> vectors(wants_vectors ? a.rows : 0, wants_vectors ? a.rows : 0);
  step(name, task::eigh_generalised)
      .lower(is_letter(uplo, 'L'))
      .add(a)
      .add(old.view())
      .add(elements(w, a.rows, 1))
      .add(vectors.view())
      .add(one(info))
      .run();
  if (wants_vectors) copy(vectors.view(), a);
  return int(info);
}
template <typename T>
void sygv(const char* name, const int* type, const char* jobz, const char* uplo, const int* n, T* a,
          const int* lda, T* b, const int* ldb, real_of<T>* w, T* work, const int* lwork, int* info) {
  arguments all(name);
  const int needed = std::max(1, (is_complex<T> ? 2 : 3) * *n - 1);
  const bool asks = asks_for_size(lwork, work, needed);
  all.require(1, *type >= 1 && *type <= 3), all.letter(2, jobz, "NV"), all.letter(3, uplo, "UL");
  all.require(4, *n >= 0), all.require(6, *lda >= std::max(1, *n)), all.require(8, *ldb >= std::max(1, *n));
  all.require(11, asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  *info = generalised(name, *type, uplo, is_letter(jobz, 'V'), columns_of(a, *n, *n, *lda),
                      columns_of(b, *n, *n, *ldb), w);
}
template <typename T>
void sygvd(const char* name, const int* type, const char* jobz, const char* uplo, const int* n, T* a,
           const int* lda, T* b, const int* ldb, real_of<T>* w, T* work, const int* lwork, real_of<T>* rwork,
           const int* lrwork, int* iwork, const int* liwork, int* info) {
  arguments all(name);
  const workspace needed = of_divide_and_conquer<T>(is_letter(jobz, 'V'), *n);
  const bool asks = *lwork == -1 || *liwork == -1 || (lrwork != nullptr && *lrwork == -1);
  all.require(1, *type >= 1 && *type <= 3), all.letter(2, jobz, "NV"), all.letter(3, uplo, "UL");
  all.require(4, *n >= 0), all.require(6, *lda >= std::max(1, *n)), all.require(8, *ldb >= std::max(1, *n));
  all.require(11, asks || *lwork >= needed.main);
  if (lrwork != nullptr) all.require(13, asks || *lrwork >= needed.real);
  all.require(lrwork != nullptr ? 15 : 13, asks || *liwork >= needed.integer);
  if (all.are_wrong(info, asks)) return;
  work[0] = T(real_of<T>(needed.main)), iwork[0] = needed.integer;
  if (rwork != nullptr) rwork[0] = real_of<T>(needed.real);
  if (!asks)
    *info = generalised(name, *type, uplo, is_letter(jobz, 'V'), columns_of(a, *n, *n, *lda),
                        columns_of(b, *n, *n, *ldb), w);
}

} // namespace

extern "C" {

#define PRISM_SYMMETRIC(p, P, T)                                                                             \
  void p##syev_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,       \
                const int* lwork, int* info) {                                                               \
    syev(#P "SYEV", jobz, uplo, n, a, lda, w, work, lwork, info);                                            \
  }                                                                                                          \
  void p##syevd_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,      \
                 const int* lwork, int* iwork, const int* liwork, int* info) {                               \
    syevd(#P "SYEVD", jobz, uplo, n, a, lda, w, work, lwork, static_cast<T*>(nullptr),                       \
          static_cast<const int*>(nullptr), iwork, liwork, info);                                            \
  }                                                                                                          \
  void p##sygv_(const int* itype, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,    \
                T* b, const int* ldb, T* w, T* work, const int* lwork, int* info) {                          \
    sygv(#P "SYGV", itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, info);                             \
  }                                                                                                          \
  void p##sygvd_(const int* itype, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,   \
                 T* b, const int* ldb, T* w, T* work, const int* lwork, int* iwork, const int* liwork,       \
                 int* info) {                                                                                \
    sygvd(#P "SYGVD", itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, static_cast<T*>(nullptr),        \
          static_cast<const int*>(nullptr), iwork, liwork, info);                                            \
  }
PRISM_FOR_REAL(PRISM_SYMMETRIC)

#define PRISM_HERMITIAN(p, P, T)                                                                             \
  void p##heev_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, real_of<T>* w,       \
                T* work, const int* lwork, real_of<T>*, int* info) {                                         \
    syev(#P "HEEV", jobz, uplo, n, a, lda, w, work, lwork, info);                                            \
  }                                                                                                          \
  void p##heevd_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, real_of<T>* w,      \
                 T* work, const int* lwork, real_of<T>* rwork, const int* lrwork, int* iwork,                \
                 const int* liwork, int* info) {                                                             \
    syevd(#P "HEEVD", jobz, uplo, n, a, lda, w, work, lwork, rwork, lrwork, iwork, liwork, info);            \
  }                                                                                                          \
  void p##hegv_(const int* itype, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,    \
                T* b, const int* ldb, real_of<T>* w, T* work, const int* lwork, real_of<T>*, int* info) {    \
    sygv(#P "HEGV", itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, info);                             \
  }                                                                                                          \
  void p##hegvd_(const int* itype, const char* jobz, const char* uplo, const int* n, T* a, const int* lda,   \
                 T* b, const int* ldb, real_of<T>* w, T* work, const int* lwork, real_of<T>* rwork,          \
                 const int* lrwork, int* iwork, const int* liwork, int* info) {                              \
    sygvd(#P "HEGVD", itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, rwork, lrwork, iwork, liwork,    \
          info);                                                                                             \
  }
PRISM_FOR_COMPLEX(PRISM_HERMITIAN)

} // extern "C"
