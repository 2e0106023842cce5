// Eigenvalues and vectors of general matrices.
#include "step.hpp"

using namespace prism::netlib;

namespace {

/// Of real matrices LAPACK returns a pair of vectors as their real and imaginary parts.
template <typename T>
void copy_vectors(full<std::complex<real_of<T>>>& from, const std::vector<std::complex<real_of<T>>>& w,
                  const matrix<T>& to) {
  for_elements(to, [&](int i, int j, T& value) {
    if constexpr (is_complex<T>) value = from(i, j);
    else value = w[std::size_t(j)].imag() < 0 ? -from(i, j).imag() : from(i, j).real();
  });
}

/// A matrix that is not finite: LAPACK's iteration does not converge.
template <typename T, typename Store>
void geev(const char* name, const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* vl,
          const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* info, int first_number,
          const Store& store) {
  using C = std::complex<real_of<T>>;
  const bool wants_left = is_letter(jobvl, 'V'), wants_right = is_letter(jobvr, 'V');
  arguments all(name);
  const int needed = std::max(1, is_complex<T> ? 2 * *n : (wants_left || wants_right ? 4 : 3) * *n);
  const bool asks = asks_for_size(lwork, work, needed);
  all.letter(1, jobvl, "NV"), all.letter(2, jobvr, "NV"), all.require(3, *n >= 0);
  all.require(5, *lda >= std::max(1, *n));
  all.require(first_number, *ldvl >= (wants_left ? std::max(1, *n) : 1));
  all.require(first_number + 2, *ldvr >= (wants_right ? std::max(1, *n) : 1));
  all.require(first_number + 4, asks || *lwork >= needed);
  if (all.are_wrong(info, asks) || asks) return;
  std::vector<C> w(static_cast<std::size_t>(*n));
  full<C> left(wants_left ? *n : 0, wants_left ? *n : 0), right(wants_right ? *n : 0, wants_right ? *n : 0);
  std::int64_t state = 0;
  step of(name, wants_left ? task::eig_of_both_sides : task::eig);
  of.add(columns_of(a, *n, *n, *lda)).add(all_of(w));
  if (wants_left) of.add(left.view());
  of.add(right.view()).add(one(state)).run();
  *info = state < 0 ? *n : int(state);
  for (int i = 0; i < *n; ++i) store(i, w[std::size_t(i)]);
  if (wants_left) copy_vectors(left, w, columns_of(vl, *n, *n, *ldvl));
  if (wants_right) copy_vectors(right, w, columns_of(vr, *n, *n, *ldvr));
}

} // namespace

extern "C" {

#define PRISM_GENERAL_REAL(p, P, T)                                                                          \
  void p##geev_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* wr, T* wi,      \
                T* vl, const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* info) {      \
    geev(#P "GEEV", jobvl, jobvr, n, a, lda, vl, ldvl, vr, ldvr, work, lwork, info, 9,                       \
         [=](int i, const std::complex<T>& w) { wr[i] = w.real(), wi[i] = w.imag(); });                      \
  }
PRISM_FOR_REAL(PRISM_GENERAL_REAL)

#define PRISM_GENERAL_COMPLEX(p, P, T)                                                                       \
  void p##geev_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* w, T* vl,       \
                const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, real_of<T>*,             \
                int* info) {                                                                                 \
    geev(#P "GEEV", jobvl, jobvr, n, a, lda, vl, ldvl, vr, ldvr, work, lwork, info, 8,                       \
         [=](int i, const T& value) { w[i] = value; });                                                      \
  }
PRISM_FOR_COMPLEX(PRISM_GENERAL_COMPLEX)

} // extern "C"
