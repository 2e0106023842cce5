#include "providers/cblas/level.hpp"

namespace prism_cblas {
namespace {

template <typename T>
void run_copy(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  l.of<T>().copy(c.n, at<T>(f, 0), c.incx, at<T>(f, 1), c.incy);
}
template <typename T>
void run_swap(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  l.of<T>().swap(c.n, at<T>(f, 0), c.incx, at<T>(f, 1), c.incy);
}
template <typename T>
void run_scal(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  const T a = value_of<T>(alpha);
  l.of<T>().scal(c.n, pass(a), at<T>(f, 0), c.incx);
}
template <typename T>
void run_axpy(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  const T a = value_of<T>(alpha);
  l.of<T>().axpy(c.n, pass(a), at<T>(f, 0), c.incx, at<T>(f, 1), c.incy);
}
template <typename T>
void run_dot(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  const auto& from = l.of<T>();
  if constexpr (!is_complex<T>) *at<T>(f, 2) = from.dot(c.n, at<T>(f, 0), c.incx, at<T>(f, 1), c.incy);
  else (c.conjugated ? from.dotc : from.dotu)(c.n, at<T>(f, 0), c.incx, at<T>(f, 1), c.incy, at<T>(f, 2));
}
template <typename T>
void run_nrm2(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  *at<real<T>>(f, 1) = l.of<T>().nrm2(c.n, at<T>(f, 0), c.incx);
}
template <typename T>
void run_asum(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  *at<real<T>>(f, 1) = l.of<T>().asum(c.n, at<T>(f, 0), c.incx);
}
template <typename T>
void run_iamax(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
  *at<std::int64_t>(f, 1) = c.n == 0 ? -1 : std::int64_t(l.of<T>().iamax(c.n, at<T>(f, 0), c.incx));
}
template <typename T>
void run_rot(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  l.of<T>().rot(c.n, at<T>(f, 0), c.incx, at<T>(f, 1), c.incy, real<T>(alpha[0]), real<T>(beta[0]));
}

constexpr std::int32_t real_of(std::int32_t type) {
  return type == PRISM_C32 ? PRISM_F32 : type == PRISM_C64 ? PRISM_F64 : type;
}

template <typename T>
bool one_vector(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& routines = from.of<T>();
  const std::int32_t type = what.operand[0].type;
  if (what.operation == PRISM_SCAL)
    return take(out, reinterpret_cast<const void*>(routines.scal), run_scal<T>, why);
  const std::int32_t result = what.operand[1].type;
  if (what.operation == PRISM_IAMAX) {
    if (result != PRISM_S64) return refuse(why, "the result of iamax is a 64-bit integer");
    if (what.operand[0].extent[0] > 1 && what.operand[0].stride[0] < 0)
      return refuse(why, "iamax of a vector read backwards");
    return take(out, reinterpret_cast<const void*>(routines.iamax), run_iamax<T>, why);
  }
  if (result != real_of(type)) return refuse(why, "the result of a norm has the real type of the vector");
  if (what.operation == PRISM_ASUM && !routines.adds_absolutes)
    return refuse(why, "this version of the library computes asum of the type wrongly on this processor");
  return what.operation == PRISM_NRM2
             ? take(out, reinterpret_cast<const void*>(routines.nrm2), run_nrm2<T>, why)
             : take(out, reinterpret_cast<const void*>(routines.asum), run_asum<T>, why);
}

} // namespace

template <typename T>
bool make_level1(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& routines = from.of<T>();
  const bool one = what.operation == PRISM_SCAL || what.operation == PRISM_NRM2 ||
                   what.operation == PRISM_ASUM || what.operation == PRISM_IAMAX;
  const operand &x = what.operand[0], &y = what.operand[1];
  for (int i = 0; i < what.operand_count; ++i) {
    const bool may = what.operation == PRISM_DOT && i == 0;
    if (is_complex<T> && is_conjugated(what.operand[i]) && !may) return refuse(why, "a conjugated vector");
  }
  if (!vector_of<T>(x, 0, out, out.incx, one, why)) return false;
  out.n = int(x.extent[0]);
  out.work = double(out.n);
  if (one)
    return out.nothing = out.n == 0 && what.operation == PRISM_SCAL, one_vector<T>(from, what, out, why);
  if (!vector_of<T>(y, 1, out, out.incy, false, why)) return false;
  out.nothing = out.n == 0 && what.operation != PRISM_DOT;
  switch (what.operation) {
    case PRISM_COPY: return take(out, reinterpret_cast<const void*>(routines.copy), run_copy<T>, why);
    case PRISM_SWAP: return take(out, reinterpret_cast<const void*>(routines.swap), run_swap<T>, why);
    case PRISM_AXPY: return take(out, reinterpret_cast<const void*>(routines.axpy), run_axpy<T>, why);
    case PRISM_ROT: return take(out, reinterpret_cast<const void*>(routines.rot), run_rot<T>, why);
    case PRISM_DOT:
      out.conjugated = is_conjugated(x);
      if constexpr (is_complex<T>)
        return take(out, reinterpret_cast<const void*>(out.conjugated ? routines.dotc : routines.dotu),
                    run_dot<T>, why);
      else return take(out, reinterpret_cast<const void*>(routines.dot), run_dot<T>, why);
    default: return refuse(why, "an operation of level 1 that the CBLAS does not have");
  }
}

template bool make_level1<float>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level1<double>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level1<std::complex<float>>(const library&, const prism_provider_operation&, call&,
                                               const char*&);
template bool make_level1<std::complex<double>>(const library&, const prism_provider_operation&, call&,
                                                const char*&);

} // namespace prism_cblas
