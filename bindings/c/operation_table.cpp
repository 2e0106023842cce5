#include "bindings/c/operation_table.hpp"

#include <prism.h>

#include <array>

namespace prism::c_interface {
namespace {

using linalg::detail::task;

constexpr std::array rows = std::to_array<operation_row>({
    {PRISM_COPY, "copy", family::blas, "Vx Vy="},
    {PRISM_SWAP, "swap", family::blas, "Vx= Vy="},
    {PRISM_SCAL, "scal", family::blas, "Vx="},
    {PRISM_AXPY, "axpy", family::blas, "Vx Vy="},
    {PRISM_DOT, "dot", family::blas, "Vx Vy Vr="},
    {PRISM_DOTC, "dotc", family::blas, "Vx Vy Vr="},
    {PRISM_NRM2, "nrm2", family::blas, "Vx Rr="},
    {PRISM_ASUM, "asum", family::blas, "Vx Rr="},
    {PRISM_IAMAX, "iamax", family::blas, "Vx Ir="},
    {PRISM_ROT, "rot", family::blas, "Vx= Vy="},
    {PRISM_ROTG, "rotg", family::blas, "Va= Vb= Rc= Vs="},
    {PRISM_GEMV, "gemv", family::blas, "Ma Vx Vy="},
    {PRISM_GER, "ger", family::blas, "Vx Vy Ma="},
    {PRISM_GERC, "gerc", family::blas, "Vx Vy Ma="},
    {PRISM_SYMV, "symv", family::blas, "Ma Vx Vy=", false, "u"},
    {PRISM_HEMV, "hemv", family::blas, "Ma Vx Vy=", false, "u"},
    {PRISM_SYR, "syr", family::blas, "Vx Ma=", false, "u"},
    {PRISM_HER, "her", family::blas, "Vx Ma=", false, "u"},
    {PRISM_SYR2, "syr2", family::blas, "Vx Vy Ma=", false, "u"},
    {PRISM_HER2, "her2", family::blas, "Vx Vy Ma=", false, "u"},
    {PRISM_TRMV, "trmv", family::blas, "Ma Vx=", false, "ud"},
    {PRISM_TRSV, "trsv", family::blas, "Ma Vx=", false, "ud"},
    {PRISM_GEMM, "gemm", family::blas, "Ma Mb Mc=", true},
    {PRISM_SYMM, "symm", family::blas, "Ma Mb Mc=", false, "us"},
    {PRISM_HEMM, "hemm", family::blas, "Ma Mb Mc=", false, "us"},
    {PRISM_SYRK, "syrk", family::blas, "Ma Mc=", false, "u"},
    {PRISM_HERK, "herk", family::blas, "Ma Mc=", false, "u"},
    {PRISM_SYR2K, "syr2k", family::blas, "Ma Mb Mc=", false, "u"},
    {PRISM_HER2K, "her2k", family::blas, "Ma Mb Mc=", false, "u"},
    {PRISM_TRMM, "trmm", family::blas, "Ma Mb=", false, "usd"},
    {PRISM_TRSM, "trsm", family::blas, "Ma Mb=", false, "usd"},
    {PRISM_FORWARD, "forward", family::transform, "Gin Gout="},
    {PRISM_BACKWARD, "backward", family::transform, "Gin Gout="},
    {PRISM_COSINES, "cosines", family::transform, "Gin Gout="},
    {PRISM_CONVOLVE, "convolve", family::convolution, "Ga Gb Gout="},
    {PRISM_CORRELATE, "correlate", family::convolution, "Ga Gb Gout="},
    {PRISM_TRANSPOSE, "transpose", family::linalg, "Ma Mb=", false, "", task::transpose},
    {PRISM_TRANSPOSE_IN_PLACE, "transpose_in_place", family::linalg, "Ma=", false, "",
     task::transpose_in_place},
    {PRISM_NORM, "norm", family::linalg, "Ma Rnorm=", false, "", task::norm},
    {PRISM_LU, "lu", family::linalg, "Ma= Ipivots= Iinfo=", true, "", task::lu},
    {PRISM_LU_SOLVE, "lu_solve", family::linalg, "Ma Ipivots Mb=", false, "", task::lu_solve},
    {PRISM_CHOLESKY, "cholesky", family::linalg, "Ma= Iinfo=", true, "", task::cholesky},
    {PRISM_CHOLESKY_SOLVE, "cholesky_solve", family::linalg, "Ma Mb=", false, "", task::cholesky_solve},
    {PRISM_QR, "qr", family::linalg, "Ma= Vtau=", true, "", task::qr},
    {PRISM_QR_PIVOTED, "qr_pivoted", family::linalg, "Ma= Iorder= Vtau=", false, "", task::qr_pivoted},
    {PRISM_MULTIPLY_Q, "multiply_q", family::linalg, "Ma Vtau Mc=", false, "", task::multiply_q},
    {PRISM_FORM_Q, "form_q", family::linalg, "Ma Vtau Mq=", false, "", task::form_q},
    {PRISM_SOLVE, "solve", family::linalg, "Ma Mb= Iinfo=", true, "", task::solve},
    {PRISM_SOLVE_POSITIVE, "solve_positive", family::linalg, "Ma Mb= Iinfo=", false, "",
     task::solve_positive},
    {PRISM_LEAST_SQUARES, "least_squares", family::linalg, "Ma Mb Mx= Iinfo=", false, "",
     task::least_squares},
    {PRISM_LEAST_SQUARES_BY_SVD, "least_squares_by_svd", family::linalg, "Ma Mb Mx= Irank= Iinfo=", false, "",
     task::least_squares_by_svd},
    {PRISM_INVERSE, "inverse", family::linalg, "Ma Mto= Iinfo=", true, "", task::inverse},
    {PRISM_DETERMINANT, "determinant", family::linalg, "Ma Vto=", true, "", task::determinant},
    {PRISM_LOG_DETERMINANT, "log_determinant", family::linalg, "Ma Vsign= Rlog=", false, "",
     task::log_determinant},
    {PRISM_MATRIX_EXP, "matrix_exp", family::linalg, "Ma Mto= Iinfo=", false, "", task::exp},
    {PRISM_MATRIX_SQRT, "matrix_sqrt", family::linalg, "Ma Mto= Iinfo=", false, "", task::sqrt},
    {PRISM_EIGH, "eigh", family::linalg, "Ma Rw= Mv= Iinfo=", true, "", task::eigh},
    {PRISM_EIGH_GENERALISED, "eigh_generalised", family::linalg, "Ma Mb Rw= Mv= Iinfo=", false, "",
     task::eigh_generalised},
    {PRISM_EIG, "eig", family::linalg, "Ma Cw= Dv= Iinfo=", false, "", task::eig},
    {PRISM_SVD, "svd", family::linalg, "Ma Rs= Mu= Mw= Iinfo=", true, "", task::svd},
});

} // namespace

const operation_row* find_operation(std::int32_t number) {
  for (const operation_row& each : rows)
    if (each.number == number) return &each;
  return nullptr;
}

const operation_row* find_operation(const std::string& name) {
  for (const operation_row& each : rows)
    if (name == each.name) return &each;
  return nullptr;
}

std::string operation_names() {
  std::string out;
  for (const operation_row& each : rows) out += std::string(out.empty() ? "" : ", ") + each.name;
  return out;
}

} // namespace prism::c_interface
