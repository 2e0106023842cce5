#include "providers/cblas/level.hpp"

namespace prism_cblas {
namespace {

/// y = beta y, for a matrix without columns: the CBLAS would leave y unchanged.
template <typename T>
void scale_only(const call& c, T* y, T beta) {
  if (c.incy < 0) y -= std::int64_t(c.m - 1) * c.incy;
  for (std::int64_t i = 0; i < c.m; ++i) {
    T& one = y[i * c.incy];
    one = beta == T(0) ? T(0) : beta * one;
  }
}

template <typename T>
void run_scale(const call& c, const library&, std::byte* const* f, const double*, const double* beta) {
  scale_only(c, at<T>(f, 2), value_of<T>(beta));
}
template <typename T>
void run_gemv(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().gemv(c.layout, c.trans_a, c.m, c.n, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.incx, pass(b),
                 at<T>(f, 2), c.incy);
}
template <typename T>
void run_gbmv(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().gbmv(c.layout, c.trans_a, c.m, c.n, c.below, c.above, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1),
                 c.incx, pass(b), at<T>(f, 2), c.incy);
}
template <typename T>
void run_ger(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  const T a = value_of<T>(alpha);
  (c.conjugated ? l.of<T>().gerc : l.of<T>().ger)(c.layout, c.m, c.n, pass(a), at<T>(f, 0), c.incx,
                                                  at<T>(f, 1), c.incy, at<T>(f, 2), c.lda);
}
template <typename T>
void run_hemv(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().hemv(c.layout, c.uplo, c.n, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.incx, pass(b),
                 at<T>(f, 2), c.incy);
}
template <typename T>
void run_hbmv(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().hbmv(c.layout, c.uplo, c.n, c.k, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.incx, pass(b),
                 at<T>(f, 2), c.incy);
}
template <typename T>
void run_hpmv(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().hpmv(c.layout, c.uplo, c.n, pass(a), at<T>(f, 0), at<T>(f, 1), c.incx, pass(b), at<T>(f, 2),
                 c.incy);
}
template <typename T>
void run_her(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  l.of<T>().her(c.layout, c.uplo, c.n, real<T>(alpha[0]), at<T>(f, 0), c.incx, at<T>(f, 1), c.lda);
}
template <typename T>
void run_hpr(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  l.of<T>().hpr(c.layout, c.uplo, c.n, real<T>(alpha[0]), at<T>(f, 0), c.incx, at<T>(f, 1));
}
template <typename T>
void run_her2(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  const T a = value_of<T>(alpha);
  l.of<T>().her2(c.layout, c.uplo, c.n, pass(a), at<T>(f, 0), c.incx, at<T>(f, 1), c.incy, at<T>(f, 2),
                 c.lda);
}
template <typename T>
void run_hpr2(const call& c, const library& l, std::byte* const* f, const double* alpha, const double*) {
  const T a = value_of<T>(alpha);
  l.of<T>().hpr2(c.layout, c.uplo, c.n, pass(a), at<T>(f, 0), c.incx, at<T>(f, 1), c.incy, at<T>(f, 2));
}
template <typename T, auto Full, auto Banded, auto Packed>
struct triangular {
  static void full(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
    (l.of<T>().*Full)(c.layout, c.uplo, c.trans_a, c.diag, c.n, at<T>(f, 0), c.lda, at<T>(f, 1), c.incx);
  }
  static void banded(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
    (l.of<T>().*Banded)(c.layout, c.uplo, c.trans_a, c.diag, c.n, c.k, at<T>(f, 0), c.lda, at<T>(f, 1),
                        c.incx);
  }
  static void packed(const call& c, const library& l, std::byte* const* f, const double*, const double*) {
    (l.of<T>().*Packed)(c.layout, c.uplo, c.trans_a, c.diag, c.n, at<T>(f, 0), at<T>(f, 1), c.incx);
  }
  static bool take(const library& from, const operand& a, call& out, const char*& why) {
    const auto& all = from.of<T>();
    if (a.storage == PRISM_STORED_FULL)
      return prism_cblas::take(out, reinterpret_cast<const void*>(all.*Full), full, why);
    if (a.storage == PRISM_STORED_BANDED)
      return prism_cblas::take(out, reinterpret_cast<const void*>(all.*Banded), banded, why);
    return prism_cblas::take(out, reinterpret_cast<const void*>(all.*Packed), packed, why);
  }
};

/// A full matrix times a vector. Either layout works, and the conjugate is the conjugate transpose in the
/// other layout.
bool set_general(const operand& a, call& out, const char*& why) {
  const triangle seen = free_triangle(a, 0);
  if (!seen.ld) return refuse(why, "neither rows nor columns of the matrix are contiguous");
  out.layout = seen.layout, out.trans_a = seen.trans, out.lda = seen.ld;
  // For a full matrix, free_triangle changed the layout exactly if it transposes. The CBLAS then sees columns
  // x rows.
  const bool swapped = a.storage == PRISM_STORED_FULL && seen.trans != no_transpose;
  out.m = int(a.extent[swapped ? 1 : 0]), out.n = int(a.extent[swapped ? 0 : 1]);
  out.below = int(a.lower), out.above = int(a.upper);
  if (a.storage == PRISM_STORED_BANDED && seen.layout == row_major) {
    out.m = int(a.extent[1]), out.n = int(a.extent[0]);
    out.below = int(a.upper), out.above = int(a.lower);
  }
  return true;
}

template <typename T>
bool make_gemv(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& all = from.of<T>();
  const operand& a = what.operand[0];
  if (is_complex<T> && (is_conjugated(what.operand[1]) || is_conjugated(what.operand[2])))
    return refuse(why, "a conjugated vector");
  if (a.storage == PRISM_STORED_PACKED) return refuse(why, "a general matrix is not packed");
  if (!vector_of<T>(what.operand[1], 1, out, out.incx, false, why) ||
      !vector_of<T>(what.operand[2], 2, out, out.incy, false, why))
    return false;
  out.work = double(a.extent[0]) * double(a.extent[1]);
  if (what.operand[2].extent[0] == 0) return out.nothing = true;
  if (what.operand[1].extent[0] == 0)
    return out.m = int(what.operand[2].extent[0]), take(out, "", run_scale<T>, why);
  if (!set_general(a, out, why)) return false;
  if (a.storage == PRISM_STORED_BANDED)
    return take(out, reinterpret_cast<const void*>(all.gbmv), run_gbmv<T>, why);
  return take(out, reinterpret_cast<const void*>(all.gemv), run_gemv<T>, why);
}

template <typename T>
bool make_ger(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const operand& a = what.operand[2];
  out.conjugated = is_complex<T> && is_conjugated(what.operand[1]);
  if (is_complex<T> && (is_conjugated(what.operand[0]) || is_conjugated(a)))
    return refuse(why, "a conjugated x or A");
  if (a.storage != PRISM_STORED_FULL) return refuse(why, "the updated matrix is not stored in full");
  const triangle seen = free_triangle(a, 0);
  if (!seen.ld) return refuse(why, "neither rows nor columns of the matrix are contiguous");
  out.layout = seen.layout, out.lda = seen.ld, out.m = int(a.extent[0]), out.n = int(a.extent[1]);
  out.work = double(out.m) * double(out.n);
  out.nothing = out.m == 0 || out.n == 0;
  return vector_of<T>(what.operand[0], 0, out, out.incx, false, why) &&
         vector_of<T>(what.operand[1], 1, out, out.incy, false, why) &&
         take(out, reinterpret_cast<const void*>(out.conjugated ? from.of<T>().gerc : from.of<T>().ger),
              run_ger<T>, why);
}

bool set_hermitian(const operand& a, int uplo, bool is_complex_type, call& out, const char*& why) {
  const triangle seen = free_hermitian(a, uplo, is_complex_type);
  if (!seen.ld) return refuse(why, "neither rows nor columns of the matrix are contiguous");
  out.layout = seen.layout, out.uplo = seen.uplo, out.lda = seen.ld, out.n = int(a.extent[0]);
  out.k = int(a.lower > a.upper ? a.lower : a.upper), out.work = double(out.n) * double(out.n);
  return true;
}

template <typename T>
bool make_hemv(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& all = from.of<T>();
  const operand& a = what.operand[0];
  if (is_complex<T> && (is_conjugated(what.operand[1]) || is_conjugated(what.operand[2])))
    return refuse(why, "a conjugated vector");
  if (!set_hermitian(a, out.uplo, is_complex<T>, out, why)) return false;
  if (!vector_of<T>(what.operand[1], 1, out, out.incx, false, why) ||
      !vector_of<T>(what.operand[2], 2, out, out.incy, false, why))
    return false;
  out.nothing = out.n == 0;
  if (a.storage == PRISM_STORED_BANDED)
    return take(out, reinterpret_cast<const void*>(all.hbmv), run_hbmv<T>, why);
  if (a.storage == PRISM_STORED_PACKED)
    return take(out, reinterpret_cast<const void*>(all.hpmv), run_hpmv<T>, why);
  return take(out, reinterpret_cast<const void*>(all.hemv), run_hemv<T>, why);
}

template <typename T>
bool make_her(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const auto& all = from.of<T>();
  const bool two = what.operation == PRISM_SYR2 || what.operation == PRISM_HER2;
  const operand& a = what.operand[two ? 2 : 1];
  for (int i = 0; i < what.operand_count; ++i)
    if (is_complex<T> && is_conjugated(what.operand[i]))
      return refuse(why, "a conjugated operand of a rank update");
  if (a.storage == PRISM_STORED_BANDED) return refuse(why, "the updated matrix is banded");
  if (!set_hermitian(a, out.uplo, is_complex<T>, out, why) ||
      !vector_of<T>(what.operand[0], 0, out, out.incx, false, why))
    return false;
  out.nothing = out.n == 0;
  const bool packed = a.storage == PRISM_STORED_PACKED;
  if (!two)
    return take(out, packed ? reinterpret_cast<const void*>(all.hpr) : reinterpret_cast<const void*>(all.her),
                packed ? run_hpr<T> : run_her<T>, why);
  return vector_of<T>(what.operand[1], 1, out, out.incy, false, why) &&
         take(out, packed ? reinterpret_cast<const void*>(all.hpr2) : reinterpret_cast<const void*>(all.her2),
              packed ? run_hpr2<T> : run_her2<T>, why);
}

template <typename T>
bool make_triangular(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const operand& a = what.operand[0];
  if (is_complex<T> && is_conjugated(what.operand[1])) return refuse(why, "a conjugated vector");
  const triangle seen = free_triangle(a, out.uplo);
  if (!seen.ld) return refuse(why, "neither rows nor columns of the matrix are contiguous");
  out.layout = seen.layout, out.uplo = seen.uplo, out.trans_a = seen.trans, out.lda = seen.ld,
  out.n = int(a.extent[0]);
  out.k = int(a.lower > a.upper ? a.lower : a.upper);
  out.work = double(out.n) * double(out.n) / 2;
  out.nothing = out.n == 0;
  if (!vector_of<T>(what.operand[1], 1, out, out.incx, false, why)) return false;
  using F = functions<T>;
  if (what.operation == PRISM_TRMV)
    return triangular<T, &F::trmv, &F::tbmv, &F::tpmv>::take(from, a, out, why);
  return triangular<T, &F::trsv, &F::tbsv, &F::tpsv>::take(from, a, out, why);
}

} // namespace

template <typename T>
bool make_level2(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  switch (what.operation) {
    case PRISM_GEMV: return make_gemv<T>(from, what, out, why);
    case PRISM_GER: return make_ger<T>(from, what, out, why);
    case PRISM_SYMV:
    case PRISM_SYR:
    case PRISM_SYR2:
      if (is_complex<T>) return refuse(why, "the CBLAS has no symmetric complex routine of level 2");
      return what.operation == PRISM_SYMV ? make_hemv<T>(from, what, out, why)
                                          : make_her<T>(from, what, out, why);
    case PRISM_HEMV: return make_hemv<T>(from, what, out, why);
    case PRISM_HER:
    case PRISM_HER2: return make_her<T>(from, what, out, why);
    case PRISM_TRMV:
    case PRISM_TRSV: return make_triangular<T>(from, what, out, why);
    default: return refuse(why, "an operation of level 2 that the CBLAS does not have");
  }
}

template bool make_level2<float>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level2<double>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level2<std::complex<float>>(const library&, const prism_provider_operation&, call&,
                                               const char*&);
template bool make_level2<std::complex<double>>(const library&, const prism_provider_operation&, call&,
                                                const char*&);

} // namespace prism_cblas
