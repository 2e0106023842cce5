! PRISM for Fortran 2008: devices, queues, memory, BLAS, linear algebra, transforms and arrays over prism.h. docs/fortran.md is the guide.
!
! Fortran has no templates, so the preprocessor makes a module of each type of elements from prism_elements.inc and
! prism_operations.inc. Their procedures have the same generic names, which `prism` merges.

#define MODULE prism_of_real32
#define ELEMENT real(real32)
#define NUMBER prism_f32
#include "prism_elements.inc"

#define MODULE prism_of_real64
#define ELEMENT real(real64)
#define NUMBER prism_f64
#include "prism_elements.inc"

#define MODULE prism_of_complex32
#define ELEMENT complex(real32)
#define NUMBER prism_c32
#include "prism_elements.inc"

#define MODULE prism_of_complex64
#define ELEMENT complex(real64)
#define NUMBER prism_c64
#include "prism_elements.inc"

#define MODULE prism_of_int32
#define ELEMENT integer(int32)
#define NUMBER prism_s32
#include "prism_elements.inc"

#define MODULE prism_of_int64
#define ELEMENT integer(int64)
#define NUMBER prism_s64
#include "prism_elements.inc"

#define MODULE prism_operations_real32
#define OWN prism_of_real32
#define OWN_REAL prism_of_real32
#define OWN_COMPLEX prism_of_complex32
#define ELEMENT real(real32)
#define REAL_ELEMENT real(real32)
#define COMPLEX_ELEMENT complex(real32)
#include "prism_operations.inc"

#define MODULE prism_operations_real64
#define OWN prism_of_real64
#define OWN_REAL prism_of_real64
#define OWN_COMPLEX prism_of_complex64
#define ELEMENT real(real64)
#define REAL_ELEMENT real(real64)
#define COMPLEX_ELEMENT complex(real64)
#include "prism_operations.inc"

#define MODULE prism_operations_complex32
#define OWN prism_of_complex32
#define OWN_REAL prism_of_real32
#define OWN_COMPLEX prism_of_complex32
#define ELEMENT complex(real32)
#define REAL_ELEMENT real(real32)
#define COMPLEX_ELEMENT complex(real32)
#include "prism_operations.inc"

#define MODULE prism_operations_complex64
#define OWN prism_of_complex64
#define OWN_REAL prism_of_real64
#define OWN_COMPLEX prism_of_complex64
#define ELEMENT complex(real64)
#define REAL_ELEMENT real(real64)
#define COMPLEX_ELEMENT complex(real64)
#include "prism_operations.inc"

module prism
  use prism_c, only: prism_view, prism_options
  use prism_c, only: prism_ok, prism_unsupported, prism_invalid, prism_out_of_memory, prism_unavailable, prism_failed, &
    prism_f32, prism_f64, prism_c32, prism_c64, prism_s32, prism_s64, prism_op_copy, prism_op_swap, prism_op_scal, &
    prism_op_axpy, prism_op_dot, prism_op_nrm2, prism_op_asum, prism_op_iamax, prism_op_rot, prism_op_gemv, prism_op_ger, &
    prism_op_symv, prism_op_hemv, prism_op_syr, prism_op_her, prism_op_syr2, prism_op_her2, prism_op_trmv, prism_op_trsv, &
    prism_op_gemm, prism_op_symm, prism_op_hemm, prism_op_syrk, prism_op_herk, prism_op_syr2k, prism_op_her2k, prism_op_trmm, &
    prism_op_trsm, prism_op_rotg, prism_op_dotc, prism_op_gerc, &
    prism_conjugated, prism_uplo_upper, prism_uplo_lower, prism_side_left, prism_side_right, &
    prism_diag_non_unit, prism_diag_unit, prism_bad_handle, prism_bad_pointer, prism_wrong_thread, prism_not_found, &
    prism_too_small, prism_batched, prism_op_forward, prism_op_backward, prism_op_cosines, prism_op_convolve, &
    prism_op_correlate, prism_op_transpose, prism_op_transpose_in_place, prism_op_norm, prism_op_lu, prism_op_lu_solve, &
    prism_op_cholesky, prism_op_cholesky_solve, prism_op_qr, prism_op_qr_pivoted, prism_op_multiply_q, prism_op_form_q, &
    prism_op_solve, prism_op_solve_positive, prism_op_least_squares, prism_op_least_squares_by_svd, prism_op_inverse, &
    prism_op_determinant, prism_op_log_determinant, prism_op_matrix_exp, prism_op_matrix_sqrt, prism_op_eigh, &
    prism_op_eigh_generalised, prism_op_eig, prism_op_svd
  use prism_objects, only: prism_array, prism_device, prism_event, prism_list_backends, prism_list_devices, prism_memory, &
    prism_message, prism_queue, prism_run
  use prism_of_real32
  use prism_of_real64
  use prism_of_complex32
  use prism_of_complex64
  use prism_of_int32
  use prism_of_int64
  use prism_operations_real32
  use prism_operations_real64
  use prism_operations_complex32
  use prism_operations_complex64
  implicit none
  public
end module prism
