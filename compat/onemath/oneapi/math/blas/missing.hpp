// Routines of oneMath's BLAS that PRISM lacks: each throws unimplemented with its name. Included in namespace
// column_major and in row_major, as routines.hpp is.

#define PRISM_ONEMATH_MISSING(name)                                                                          \
  template <typename... Arguments>                                                                           \
  sycl::event name(sycl::queue&, Arguments&&...) {                                                           \
    throw unimplemented("blas", #name);                                                                      \
  }
// Level 1.
PRISM_ONEMATH_MISSING(iamin)
PRISM_ONEMATH_MISSING(rotm)
PRISM_ONEMATH_MISSING(rotmg)
PRISM_ONEMATH_MISSING(sdsdot)
// Banded and packed matrices.
PRISM_ONEMATH_MISSING(gbmv)
PRISM_ONEMATH_MISSING(hbmv)
PRISM_ONEMATH_MISSING(hpmv)
PRISM_ONEMATH_MISSING(hpr)
PRISM_ONEMATH_MISSING(hpr2)
PRISM_ONEMATH_MISSING(sbmv)
PRISM_ONEMATH_MISSING(spmv)
PRISM_ONEMATH_MISSING(spr)
PRISM_ONEMATH_MISSING(spr2)
PRISM_ONEMATH_MISSING(tbmv)
PRISM_ONEMATH_MISSING(tbsv)
PRISM_ONEMATH_MISSING(tpmv)
PRISM_ONEMATH_MISSING(tpsv)
// Extensions.
PRISM_ONEMATH_MISSING(dgmm_batch)
PRISM_ONEMATH_MISSING(gemm_bias)
PRISM_ONEMATH_MISSING(gemmt)
PRISM_ONEMATH_MISSING(imatcopy)
PRISM_ONEMATH_MISSING(imatcopy_batch)
PRISM_ONEMATH_MISSING(omatadd)
PRISM_ONEMATH_MISSING(omatadd_batch)
PRISM_ONEMATH_MISSING(omatcopy)
PRISM_ONEMATH_MISSING(omatcopy2)
PRISM_ONEMATH_MISSING(omatcopy_batch)
#undef PRISM_ONEMATH_MISSING
