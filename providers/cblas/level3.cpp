#include "providers/cblas/level.hpp"

namespace prism_cblas {
namespace {

template <typename T>
void run_gemm(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().gemm(c.layout, c.trans_a, c.trans_b, c.m, c.n, c.k, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1),
                 c.ldb, pass(b), at<T>(f, 2), c.ldc);
}
template <typename T, auto Routine>
void run_symm(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  (l.of<T>().*Routine)(c.layout, c.side, c.uplo, c.m, c.n, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.ldb,
                       pass(b), at<T>(f, 2), c.ldc);
}
template <typename T>
void run_syrk(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().syrk(c.layout, c.uplo, c.trans_a, c.n, c.k, pass(a), at<T>(f, 0), c.lda, pass(b), at<T>(f, 1),
                 c.ldc);
}
template <typename T>
void run_herk(const call& c, const library& l, std::byte* const* f, const double* alpha, const double* beta) {
  l.of<T>().herk(c.layout, c.uplo, c.trans_a, c.n, c.k, real<T>(alpha[0]), at<T>(f, 0), c.lda,
                 real<T>(beta[0]), at<T>(f, 1), c.ldc);
}
template <typename T>
void run_syr2k(const call& c, const library& l, std::byte* const* f, const double* alpha,
               const double* beta) {
  const T a = value_of<T>(alpha), b = value_of<T>(beta);
  l.of<T>().syr2k(c.layout, c.uplo, c.trans_a, c.n, c.k, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.ldb,
                  pass(b), at<T>(f, 2), c.ldc);
}
template <typename T>
void run_her2k(const call& c, const library& l, std::byte* const* f, const double* alpha,
               const double* beta) {
  const T a = value_of<T>(alpha);
  l.of<T>().her2k(c.layout, c.uplo, c.trans_a, c.n, c.k, pass(a), at<T>(f, 0), c.lda, at<T>(f, 1), c.ldb,
                  real<T>(beta[0]), at<T>(f, 2), c.ldc);
}
template <typename T, auto Routine>
void run_triangular(const call& c, const library& l, std::byte* const* f, const double* alpha,
                    const double*) {
  const T a = value_of<T>(alpha);
  (l.of<T>().*Routine)(c.layout, c.side, c.uplo, c.trans_a, c.diag, c.m, c.n, pass(a), at<T>(f, 0), c.lda,
                       at<T>(f, 1), c.ldb);
}

constexpr const char* no_layout =
    "the matrices are not contiguous in a common layout that the CBLAS can express";

bool set_gemm(const library& from, const prism_provider_operation& what, int layout, call& out) {
  const operand& c = what.operand[2];
  const factor a = factor_of(from, what.operand[0], layout), b = factor_of(from, what.operand[1], layout);
  out.layout = layout, out.ldc = leading(c, layout);
  out.trans_a = a.trans, out.lda = a.ld, out.trans_b = b.trans, out.ldb = b.ld;
  out.m = int(c.extent[0]), out.n = int(c.extent[1]), out.k = int(what.operand[0].extent[1]);
  out.work = double(out.m) * out.n * out.k;
  return out.ldc && out.lda && out.ldb;
}

/// A symmetric or Hermitian factor: in the layout, or its transpose, which equals the matrix or its
/// conjugate.
bool set_symm(const prism_provider_operation& what, bool hermitian, int layout, int uplo, call& out) {
  const operand &a = what.operand[0], &b = what.operand[1], &c = what.operand[2];
  const int straight = leading(a, layout), turned = leading(a, other_layout(layout));
  const bool use_straight = hermitian ? straight && !is_conjugated(a) : straight != 0;
  const bool use_turned = !use_straight && (hermitian ? turned && is_conjugated(a) : turned != 0);
  out.layout = layout,
  out.lda = use_straight ? straight
            : use_turned ? turned
                         : 0,
  out.uplo = use_straight ? uplo : other_uplo(uplo);
  out.ldb = is_conjugated(b) ? 0 : leading(b, layout), out.ldc = leading(c, layout);
  out.m = int(c.extent[0]), out.n = int(c.extent[1]);
  out.work = double(out.m) * out.n * double(a.extent[0]);
  return out.lda && out.ldb && out.ldc;
}

/// The factors of a rank update are either all untransposed or all transposed; for Hermitian updates
/// transposed and conjugated together.
bool set_rank(const prism_provider_operation& what, bool hermitian, int layout, int uplo, call& out) {
  const int factors = what.operand_count - 1;
  const operand &a = what.operand[0], &b = what.operand[factors - 1], &c = what.operand[factors];
  out.layout = layout, out.uplo = uplo, out.ldc = leading(c, layout), out.n = int(c.extent[0]),
  out.k = int(a.extent[1]);
  out.work = double(out.n) * out.n * out.k * factors / 2;
  if (!out.ldc) return false;
  const bool conjugated = is_conjugated(a);
  if (conjugated != is_conjugated(b) || (conjugated && !hermitian)) return false;
  const int straight = conjugated ? 0 : leading(a, layout), straight_b = leading(b, layout);
  if (straight && straight_b)
    return out.trans_a = no_transpose, out.lda = straight, out.ldb = straight_b, true;
  if (hermitian && !conjugated) return false;
  out.trans_a = hermitian ? conjugate_transpose : transpose;
  out.lda = leading(a, other_layout(layout)), out.ldb = leading(b, other_layout(layout));
  return out.lda && out.ldb;
}

bool set_triangular(const library& from, const prism_provider_operation& what, int layout, int uplo,
                    call& out) {
  const operand &a = what.operand[0], &b = what.operand[1];
  const factor seen = factor_of(from, a, layout);
  const bool turned = seen.trans == transpose || seen.trans == conjugate_transpose;
  out.layout = layout, out.trans_a = seen.trans, out.lda = seen.ld,
  out.uplo = turned ? other_uplo(uplo) : uplo;
  out.ldb = leading(b, layout), out.m = int(b.extent[0]), out.n = int(b.extent[1]);
  out.work = double(out.m) * out.n * double(a.extent[0]) / 2;
  return out.lda && out.ldb;
}

/// A real type's Hermitian operation is the symmetric one. Its flags have no meaning.
prism_provider_operation plain(const prism_provider_operation& what) {
  prism_provider_operation out = what;
  for (operand& each : out.operand) each.flags = 0;
  return out;
}

template <typename T>
bool set_one(const library& from, const prism_provider_operation& what, int layout, int uplo, call& out) {
  constexpr bool c = is_complex<T>;
  switch (what.operation) {
    case PRISM_GEMM: return set_gemm(from, what, layout, out);
    case PRISM_SYMM:
    case PRISM_HEMM: return set_symm(what, c && what.operation == PRISM_HEMM, layout, uplo, out);
    case PRISM_SYRK:
    case PRISM_SYR2K: return set_rank(what, false, layout, uplo, out);
    case PRISM_HERK:
    case PRISM_HER2K: return set_rank(what, c, layout, uplo, out);
    default: return set_triangular(from, what, layout, uplo, out);
  }
}

template <typename T>
bool take_routine(const library& from, std::int32_t operation, call& out, const char*& why) {
  using F = functions<T>;
  const auto& all = from.of<T>();
  const auto have = [](auto routine) { return reinterpret_cast<const void*>(routine); };
  switch (operation) {
    case PRISM_GEMM: return take(out, have(all.gemm), run_gemm<T>, why);
    case PRISM_SYMM: return take(out, have(all.symm), run_symm<T, &F::symm>, why);
    case PRISM_HEMM: return take(out, have(all.hemm), run_symm<T, &F::hemm>, why);
    case PRISM_SYRK: return take(out, have(all.syrk), run_syrk<T>, why);
    case PRISM_HERK: return take(out, have(all.herk), run_herk<T>, why);
    case PRISM_SYR2K: return take(out, have(all.syr2k), run_syr2k<T>, why);
    case PRISM_HER2K: return take(out, have(all.her2k), run_her2k<T>, why);
    case PRISM_TRMM: return take(out, have(all.trmm), run_triangular<T, &F::trmm>, why);
    case PRISM_TRSM: return take(out, have(all.trsm), run_triangular<T, &F::trsm>, why);
    default: return refuse(why, "an operation of level 3 that the CBLAS does not have");
  }
}

} // namespace

template <typename T>
bool make_level3(const library& from, const prism_provider_operation& given, call& out, const char*& why) {
  const prism_provider_operation what = is_complex<T> ? given : plain(given);
  const operand& written = what.operand[what.operand_count - 1];
  if (is_conjugated(written)) return refuse(why, "a conjugated operand that is written");
  for (int i = 0; i < what.operand_count; ++i)
    if (what.operand[i].storage != PRISM_STORED_FULL)
      return refuse(why, "a matrix of level 3 that is not stored in full");
  const int uplo = out.uplo;
  if (!take_routine<T>(from, what.operation, out, why)) return false;
  if (!set_one<T>(from, what, column_major, uplo, out) && !set_one<T>(from, what, row_major, uplo, out))
    return refuse(why, no_layout);
  out.nothing = written.extent[0] == 0 || written.extent[1] == 0;
  return true;
}

template bool make_level3<float>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level3<double>(const library&, const prism_provider_operation&, call&, const char*&);
template bool make_level3<std::complex<float>>(const library&, const prism_provider_operation&, call&,
                                               const char*&);
template bool make_level3<std::complex<double>>(const library&, const prism_provider_operation&, call&,
                                                const char*&);

} // namespace prism_cblas
