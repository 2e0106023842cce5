// The products and triangular systems of decompositions: by the provider that is chosen for them, or by the
// library's own kernels.
#include "kernels/linalg/operands.hpp"

namespace prism::linalg {

template <typename T>
void multiply(sequence& s, real_of<T> alpha, const matrix<T>& a, const matrix<T>& b, real_of<T> beta,
              const matrix<T>& c) {
  using F = factor<real_of<T>>;
  if (c.size() == 0) return;
  const bool has_products = a.columns != 0;
  if (has_products && described(PRISM_GEMM).by(alpha, beta).add(a).add(b).add(c).run_by_provider(s)) return;
  s.then(blas::multiply<T>(s.queue, {F(alpha), a, b, F(beta), c}, s.before));
}

template <typename T>
void solve_triangle(sequence& s, const matrix<T>& a, bool lower, bool unit, const matrix<T>& b) {
  using real = real_of<T>;
  if (b.size() == 0) return;
  described system(PRISM_TRSM);
  if (system.triangle(lower, unit).by(real(1), real(0)).add(a).add(b).run_by_provider(s)) return;
  matrix<T> triangle = a;
  triangle.kind = blas::form::triangular, triangle.lower = lower, triangle.unit = unit;
  s.then(blas::triangular<T>(s.queue, true, factor<real>(real(1)), triangle, b, s.before));
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template void multiply<T>(sequence&, real_of<T>, const matrix<T>&, const matrix<T>&, real_of<T>,           \
                            const matrix<T>&);                                                               \
  template void solve_triangle<T>(sequence&, const matrix<T>&, bool, bool, const matrix<T>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg
