// Level 1 of the Fortran BLAS. rotm, rotmg, dsdot and sdsdot are not PRISM's: the system's BLAS serves them.
#include "call.hpp"

using namespace prism::netlib;

namespace {

template <typename T, typename R>
R reduced(const char* name, std::int32_t operation, const int* n, const T* x, const int* incx) {
  R out{};
  if (*n > 0 && *incx > 0) call(name, operation).add(elements(x, *n, *incx)).add(elements(&out, 1, 1)).run();
  return out;
}
template <typename T>
T product(const char* name, bool conjugate, const int* n, const T* x, const int* incx, const T* y,
          const int* incy) {
  T out{};
  if (*n > 0)
    call(name, PRISM_DOT)
        .add(elements(x, *n, *incx), conjugate)
        .add(elements(y, *n, *incy))
        .add(elements(&out, 1, 1))
        .run();
  return out;
}
/// With an increment of 0 one element takes part n times, in the order of the reference's loop.
template <typename T>
void pair(const call& what, const int* n, const T* x, const int* incx, T* y, const int* incy) {
  const bool repeats = *incx == 0 || *incy == 0;
  const auto from = elements(x, *n, *incx), to = elements(y, *n, *incy);
  for (int i = 0; i < *n; i = repeats ? i + 1 : *n) {
    call one = what;
    one.add(repeats ? vector<T>{from.data + i * from.stride, 1, 1} : from);
    one.add(repeats ? vector<T>{to.data + i * to.stride, 1, 1} : to);
    one.run();
  }
}
template <typename T, typename S>
void scaled(const char* name, const int* n, const S* alpha, T* x, const int* incx) {
  if (*n > 0 && *incx > 0) call(name, PRISM_SCAL).alpha(*alpha).add(elements(x, *n, *incx)).run();
}

} // namespace

extern "C" {

#define PRISM_LEVEL1(p, P, T)                                                                                \
  void p##axpy_(const int* n, const T* alpha, const T* x, const int* incx, T* y, const int* incy) {          \
    if (*n > 0 && *alpha != T(0)) pair(call(#p "axpy", PRISM_AXPY).alpha(*alpha), n, x, incx, y, incy);      \
  }                                                                                                          \
  void p##copy_(const int* n, const T* x, const int* incx, T* y, const int* incy) {                          \
    pair(call(#p "copy", PRISM_COPY), n, x, incx, y, incy);                                                  \
  }                                                                                                          \
  void p##swap_(const int* n, T* x, const int* incx, T* y, const int* incy) {                                \
    pair(call(#p "swap", PRISM_SWAP), n, x, incx, y, incy);                                                  \
  }                                                                                                          \
  void p##scal_(const int* n, const T* alpha, T* x, const int* incx) {                                       \
    scaled(#p "scal", n, alpha, x, incx);                                                                    \
  }                                                                                                          \
  int i##p##amax_(const int* n, const T* x, const int* incx) {                                               \
    return *n > 0 && *incx > 0 ? 1 + int(reduced<T, std::int64_t>("i" #p "amax", PRISM_IAMAX, n, x, incx))   \
                               : 0;                                                                          \
  }                                                                                                          \
  void p##rotg_(T* a, T* b, real_of<T>* c, T* s) {                                                           \
    call(#p "rotg", 0)                                                                                       \
        .add(elements(a, 1, 1))                                                                              \
        .add(elements(b, 1, 1))                                                                              \
        .add(elements(c, 1, 1))                                                                              \
        .add(elements(s, 1, 1))                                                                              \
        .run(true);                                                                                          \
  }
PRISM_FOR_ALL(PRISM_LEVEL1)

#define PRISM_LEVEL1_REAL(p, P, T)                                                                           \
  T p##dot_(const int* n, const T* x, const int* incx, const T* y, const int* incy) {                        \
    return product(#p "dot", false, n, x, incx, y, incy);                                                    \
  }                                                                                                          \
  T p##nrm2_(const int* n, const T* x, const int* incx) {                                                    \
    return reduced<T, T>(#p "nrm2", PRISM_NRM2, n, x, incx);                                                 \
  }                                                                                                          \
  T p##asum_(const int* n, const T* x, const int* incx) {                                                    \
    return reduced<T, T>(#p "asum", PRISM_ASUM, n, x, incx);                                                 \
  }                                                                                                          \
  void p##rot_(const int* n, T* x, const int* incx, T* y, const int* incy, const T* c, const T* s) {         \
    pair(call(#p "rot", PRISM_ROT).alpha(*c).beta(*s), n, x, incx, y, incy);                                 \
  }
PRISM_FOR_REAL(PRISM_LEVEL1_REAL)

#define PRISM_LEVEL1_COMPLEX(p, P, T)                                                                        \
  T p##dotu_(const int* n, const T* x, const int* incx, const T* y, const int* incy) {                       \
    return product(#p "dotu", false, n, x, incx, y, incy);                                                   \
  }                                                                                                          \
  T p##dotc_(const int* n, const T* x, const int* incx, const T* y, const int* incy) {                       \
    return product(#p "dotc", true, n, x, incx, y, incy);                                                    \
  }
PRISM_FOR_COMPLEX(PRISM_LEVEL1_COMPLEX)

#define PRISM_LEVEL1_MIXED(q, T, R)                                                                          \
  void q##scal_(const int* n, const R* alpha, T* x, const int* incx) { scaled(#q "scal", n, alpha, x, incx); }
PRISM_LEVEL1_MIXED(cs, std::complex<float>, float)
PRISM_LEVEL1_MIXED(zd, std::complex<double>, double)
float scnrm2_(const int* n, const std::complex<float>* x, const int* incx) {
  return reduced<std::complex<float>, float>("scnrm2", PRISM_NRM2, n, x, incx);
}
double dznrm2_(const int* n, const std::complex<double>* x, const int* incx) {
  return reduced<std::complex<double>, double>("dznrm2", PRISM_NRM2, n, x, incx);
}
float scasum_(const int* n, const std::complex<float>* x, const int* incx) {
  return reduced<std::complex<float>, float>("scasum", PRISM_ASUM, n, x, incx);
}
double dzasum_(const int* n, const std::complex<double>* x, const int* incx) {
  return reduced<std::complex<double>, double>("dzasum", PRISM_ASUM, n, x, incx);
}

} // extern "C"
