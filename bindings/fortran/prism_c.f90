! prism.h in Fortran 2008: its numbers, structs and functions under their own names, for libprism-c. The module `prism` is made of
! it; programs use this one for what `prism` does not have (graphs, tuning, models, descriptions, alignment).
!
! prism.h is the reference. A pointer that may be NULL with a meaning, a text, memory and a handle are a type(c_ptr) by value; texts
! end with c_null_char. Other pointers are arguments by reference. A struct's size is set by its default initialisation. Fortran
! has no unsigned integers: those of prism.h are signed ones of the same size. Names of operations begin with prism_op_, because
! PRISM_COPY and prism_copy are one name in Fortran. The test bindings.fortran_interface compares all of it with prism.h.
module prism_c
  use, intrinsic :: iso_c_binding, only: c_double, c_funptr, c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_size_t
  implicit none
  public

  integer(c_int32_t), parameter :: prism_max_rank = 32
  integer(c_int32_t), parameter :: prism_ok = 0
  integer(c_int32_t), parameter :: prism_unsupported = 1
  integer(c_int32_t), parameter :: prism_invalid = 2
  integer(c_int32_t), parameter :: prism_out_of_memory = 3
  integer(c_int32_t), parameter :: prism_unavailable = 4
  integer(c_int32_t), parameter :: prism_failed = 5

  integer(c_int32_t), parameter :: prism_f16 = int(z'1001', c_int32_t)
  integer(c_int32_t), parameter :: prism_f32 = int(z'2001', c_int32_t)
  integer(c_int32_t), parameter :: prism_f64 = int(z'4001', c_int32_t)
  integer(c_int32_t), parameter :: prism_bf16 = int(z'1002', c_int32_t)
  integer(c_int32_t), parameter :: prism_c32 = int(z'2003', c_int32_t)
  integer(c_int32_t), parameter :: prism_c64 = int(z'4003', c_int32_t)
  integer(c_int32_t), parameter :: prism_s8 = int(z'0804', c_int32_t)
  integer(c_int32_t), parameter :: prism_s16 = int(z'1004', c_int32_t)
  integer(c_int32_t), parameter :: prism_s32 = int(z'2004', c_int32_t)
  integer(c_int32_t), parameter :: prism_s64 = int(z'4004', c_int32_t)
  integer(c_int32_t), parameter :: prism_u8 = int(z'0805', c_int32_t)
  integer(c_int32_t), parameter :: prism_u16 = int(z'1005', c_int32_t)
  integer(c_int32_t), parameter :: prism_u32 = int(z'2005', c_int32_t)
  integer(c_int32_t), parameter :: prism_u64 = int(z'4005', c_int32_t)

  integer(c_int32_t), parameter :: prism_op_copy = int(z'0101', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_swap = int(z'0102', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_scal = int(z'0103', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_axpy = int(z'0104', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_dot = int(z'0105', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_nrm2 = int(z'0106', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_asum = int(z'0107', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_iamax = int(z'0108', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_rot = int(z'0109', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_gemv = int(z'0201', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_ger = int(z'0202', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_symv = int(z'0203', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_hemv = int(z'0204', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_syr = int(z'0205', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_her = int(z'0206', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_syr2 = int(z'0207', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_her2 = int(z'0208', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_trmv = int(z'0209', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_trsv = int(z'020a', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_gemm = int(z'0301', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_symm = int(z'0302', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_hemm = int(z'0303', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_syrk = int(z'0304', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_herk = int(z'0305', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_syr2k = int(z'0306', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_her2k = int(z'0307', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_trmm = int(z'0308', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_trsm = int(z'0309', c_int32_t)

  integer(c_int32_t), parameter :: prism_conjugated = 1

  integer(c_int32_t), parameter :: prism_uplo_upper = 1
  integer(c_int32_t), parameter :: prism_uplo_lower = 2

  integer(c_int32_t), parameter :: prism_side_left = 1
  integer(c_int32_t), parameter :: prism_side_right = 2

  integer(c_int32_t), parameter :: prism_diag_non_unit = 1
  integer(c_int32_t), parameter :: prism_diag_unit = 2

  integer(c_int32_t), parameter :: prism_bad_handle = 16
  integer(c_int32_t), parameter :: prism_bad_pointer = 17
  integer(c_int32_t), parameter :: prism_wrong_thread = 18
  integer(c_int32_t), parameter :: prism_not_found = 19
  integer(c_int32_t), parameter :: prism_too_small = 20

  integer(c_int32_t), parameter :: prism_in_order = 1
  integer(c_int32_t), parameter :: prism_profiling = 2

  integer(c_int32_t), parameter :: prism_submitted = 0
  integer(c_int32_t), parameter :: prism_running = 1
  integer(c_int32_t), parameter :: prism_complete = 2

  integer(c_int32_t), parameter :: prism_memory_device = 1
  integer(c_int32_t), parameter :: prism_memory_host = 2
  integer(c_int32_t), parameter :: prism_memory_shared = 3
  integer(c_int32_t), parameter :: prism_memory_adopted = 4
  integer(c_int32_t), parameter :: prism_memory_array = 5

  integer(c_int32_t), parameter :: prism_batched = 16

  integer(c_int32_t), parameter :: prism_op_rotg = int(z'0110', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_dotc = int(z'0111', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_gerc = int(z'0210', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_forward = int(z'0501', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_backward = int(z'0502', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_cosines = int(z'0503', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_convolve = int(z'0601', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_correlate = int(z'0602', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_transpose = int(z'0801', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_transpose_in_place = int(z'0802', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_norm = int(z'0803', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_lu = int(z'0804', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_lu_solve = int(z'0805', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_cholesky = int(z'0806', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_cholesky_solve = int(z'0807', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_qr = int(z'0808', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_qr_pivoted = int(z'0809', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_multiply_q = int(z'080a', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_form_q = int(z'080b', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_solve = int(z'080c', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_solve_positive = int(z'080d', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_least_squares = int(z'080e', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_least_squares_by_svd = int(z'080f', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_inverse = int(z'0810', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_determinant = int(z'0811', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_log_determinant = int(z'0812', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_matrix_exp = int(z'0813', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_matrix_sqrt = int(z'0814', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_eigh = int(z'0815', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_eigh_generalised = int(z'0816', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_eig = int(z'0817', c_int32_t)
  integer(c_int32_t), parameter :: prism_op_svd = int(z'0818', c_int32_t)

  integer(c_int32_t), parameter :: prism_argument_value = 1
  integer(c_int32_t), parameter :: prism_argument_pointer = 2
  integer(c_int32_t), parameter :: prism_argument_local = 3

  integer(c_int32_t), parameter :: prism_bool = int(z'0806', c_int32_t)

  integer(c_int32_t), parameter :: prism_given_nothing = 0
  integer(c_int32_t), parameter :: prism_given_array = 1
  integer(c_int32_t), parameter :: prism_given_bool = 2
  integer(c_int32_t), parameter :: prism_given_integer = 3
  integer(c_int32_t), parameter :: prism_given_real = 4
  integer(c_int32_t), parameter :: prism_given_complex = 5
  integer(c_int32_t), parameter :: prism_given_list = 6
  integer(c_int32_t), parameter :: prism_given_type = 7
  integer(c_int32_t), parameter :: prism_given_arrays = 8
  integer(c_int32_t), parameter :: prism_given_index = 9
  integer(c_int32_t), parameter :: prism_given_text = 10
  integer(c_int32_t), parameter :: prism_given_texts = 11
  integer(c_int32_t), parameter :: prism_given_sparse = 12
  integer(c_int32_t), parameter :: prism_given_unsigned = 13

  integer(c_int32_t), parameter :: prism_index_at = 0
  integer(c_int32_t), parameter :: prism_index_slice = 1
  integer(c_int32_t), parameter :: prism_index_new_axis = 2
  integer(c_int32_t), parameter :: prism_index_ellipsis = 3

  integer(c_int32_t), parameter :: prism_dlpack_read_only = 1

  integer(c_int32_t), parameter :: prism_copy_if_needed = 0
  integer(c_int32_t), parameter :: prism_copy_never = 1
  integer(c_int32_t), parameter :: prism_copy_always = 2

  integer(c_int32_t), parameter :: prism_access_sequential = 0
  integer(c_int32_t), parameter :: prism_access_strided = 1
  integer(c_int32_t), parameter :: prism_access_random = 2

  type, bind(c) :: prism_view
    integer(c_size_t) :: struct_size = 544
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: type = 0
    integer(c_int32_t) :: rank = 0
    integer(c_int32_t) :: flags = 0
    integer(c_int32_t) :: unused = 0
    integer(c_int64_t) :: extent(prism_max_rank) = 0
    integer(c_int64_t) :: stride(prism_max_rank) = 0
  end type prism_view

  type, bind(c) :: prism_options
    integer(c_size_t) :: struct_size = 88
    integer(c_int32_t) :: has_alpha = 0
    integer(c_int32_t) :: has_beta = 0
    real(c_double) :: alpha(2) = 0
    real(c_double) :: beta(2) = 0
    integer(c_int32_t) :: uplo = 0
    integer(c_int32_t) :: side = 0
    integer(c_int32_t) :: diag = 0
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: number = 0
    integer(c_int32_t) :: unused = 0
    real(c_double) :: tolerance = 0
    real(c_double) :: scale = 0
  end type prism_options

  type, bind(c) :: prism_argument
    integer(c_size_t) :: struct_size = 32
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: type = 0
    type(c_ptr) :: value = c_null_ptr
    integer(c_int64_t) :: count = 0
  end type prism_argument

  type, bind(c) :: prism_given
    integer(c_size_t) :: struct_size = 48
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: count = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: integer = 0
    real(c_double) :: number(2) = 0
  end type prism_given

  type, bind(c) :: prism_index
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: has_start = 0
    integer(c_int32_t) :: has_stop = 0
    integer(c_int32_t) :: unused = 0
    integer(c_int64_t) :: start = 0
    integer(c_int64_t) :: stop = 0
    integer(c_int64_t) :: step = 0
  end type prism_index

  type, bind(c) :: prism_workload
    integer(c_size_t) :: struct_size = 96
    type(c_ptr) :: operation = c_null_ptr
    type(c_ptr) :: data_type = c_null_ptr
    type(c_ptr) :: data_on = c_null_ptr
    real(c_double) :: flops = 0
    real(c_double) :: bytes = 0
    real(c_double) :: bytes_to_move = 0
    real(c_double) :: items = 0
    real(c_double) :: footprint_bytes = 0
    real(c_double) :: divergence = 0
    real(c_double) :: builds = 0
    integer(c_int32_t) :: access = 0
    integer(c_int32_t) :: unused = 0
  end type prism_workload

  type, bind(c) :: prism_prediction
    integer(c_size_t) :: struct_size = 96
    real(c_double) :: launch = 0
    real(c_double) :: building = 0
    real(c_double) :: moving = 0
    real(c_double) :: computing = 0
    real(c_double) :: memory = 0
    real(c_double) :: total = 0
    real(c_double) :: lower = 0
    real(c_double) :: upper = 0
    real(c_double) :: cost = 0
    real(c_double) :: energy = 0
    real(c_double) :: throughput = 0
  end type prism_prediction

  type, bind(c) :: prism_parameter
    integer(c_size_t) :: struct_size = 32
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: values = c_null_ptr
    integer(c_size_t) :: count = 0
  end type prism_parameter

  type, bind(c) :: prism_tuning_options
    integer(c_size_t) :: struct_size = 80
    type(c_ptr) :: search = c_null_ptr
    integer(c_size_t) :: max_trials = 0
    real(c_double) :: max_seconds = 0
    integer(c_size_t) :: patience = 0
    integer(c_int32_t) :: seed = 0
    integer(c_int32_t) :: unused = 0
    type(c_ptr) :: database = c_null_ptr
    type(c_ptr) :: operation = c_null_ptr
    type(c_ptr) :: kernel = c_null_ptr
    real(c_double) :: items = 0
  end type prism_tuning_options

  type, bind(c) :: prism_alignment
    integer(c_int32_t) :: score = 0
    integer(c_int32_t) :: unused = 0
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: count = 0
  end type prism_alignment

  interface
    function prism_error_code(error) bind(c)
      import
      type(c_ptr), value :: error
      integer(c_int32_t) :: prism_error_code
    end function prism_error_code

    function prism_error_message(error) bind(c)
      import
      type(c_ptr), value :: error
      type(c_ptr) :: prism_error_message
    end function prism_error_message

    function prism_release(handle, error) bind(c)
      import
      type(c_ptr), value :: handle
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_release
    end function prism_release

    function prism_version() bind(c)
      import
      type(c_ptr) :: prism_version
    end function prism_version

    function prism_c_version() bind(c)
      import
      integer(c_int32_t) :: prism_c_version
    end function prism_c_version

    function prism_devices(devices, capacity, count, error) bind(c)
      import
      type(c_ptr), intent(inout) :: devices(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_devices
    end function prism_devices

    function prism_device_select(name, device, error) bind(c)
      import
      type(c_ptr), value :: name
      type(c_ptr), intent(inout) :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_device_select
    end function prism_device_select

    function prism_device_by_policy(policy, device, error) bind(c)
      import
      type(c_ptr), value :: policy
      type(c_ptr), intent(inout) :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_device_by_policy
    end function prism_device_by_policy

    function prism_explain_policy(policy, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: policy
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_explain_policy
    end function prism_explain_policy

    function prism_device_text(device, what, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_device_text
    end function prism_device_text

    function prism_device_number(device, what, value, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: what
      real(c_double), intent(inout) :: value
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_device_number
    end function prism_device_number

    function prism_device_has(device, feature, has, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: feature
      integer(c_int32_t), intent(inout) :: has
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_device_has
    end function prism_device_has

    function prism_backends(text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_backends
    end function prism_backends

    function prism_scope_begin(device, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_scope_begin
    end function prism_scope_begin

    function prism_scope_end(error) bind(c)
      import
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_scope_end
    end function prism_scope_end

    function prism_default_set(device, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_default_set
    end function prism_default_set

    function prism_queue_create(device, flags, queue, error) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int32_t), value :: flags
      type(c_ptr), intent(inout) :: queue
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_queue_create
    end function prism_queue_create

    function prism_queue_device(queue, device, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), intent(inout) :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_queue_device
    end function prism_queue_device

    function prism_queue_wait(queue, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_queue_wait
    end function prism_queue_wait

    function prism_queue_call(queue, function, data, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_funptr), value :: function
      type(c_ptr), value :: data
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_queue_call
    end function prism_queue_call

    function prism_event_wait(event, error) bind(c)
      import
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_event_wait
    end function prism_event_wait

    function prism_event_status(event, status, error) bind(c)
      import
      type(c_ptr), value :: event
      integer(c_int32_t), intent(inout) :: status
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_event_status
    end function prism_event_status

    function prism_event_times(event, submitted, started, ended, error) bind(c)
      import
      type(c_ptr), value :: event
      integer(c_int64_t), intent(inout) :: submitted
      integer(c_int64_t), intent(inout) :: started
      integer(c_int64_t), intent(inout) :: ended
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_event_times
    end function prism_event_times

    function prism_allocate(queue, kind, bytes, alignment, pointer, error) bind(c)
      import
      type(c_ptr), value :: queue
      integer(c_int32_t), value :: kind
      integer(c_size_t), value :: bytes
      integer(c_size_t), value :: alignment
      type(c_ptr), intent(inout) :: pointer
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_allocate
    end function prism_allocate

    function prism_adopt(queue, pointer, bytes, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_adopt
    end function prism_adopt

    function prism_free(pointer, error) bind(c)
      import
      type(c_ptr), value :: pointer
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_free
    end function prism_free

    function prism_pointer_info(pointer, kind, offset, bytes, error) bind(c)
      import
      type(c_ptr), value :: pointer
      integer(c_int32_t), intent(inout) :: kind
      integer(c_size_t), intent(inout) :: offset
      integer(c_size_t), intent(inout) :: bytes
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_pointer_info
    end function prism_pointer_info

    function prism_copy(queue, to, from, bytes, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: to
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_copy
    end function prism_copy

    function prism_copy_to_host(queue, to, from, bytes, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: to
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_copy_to_host
    end function prism_copy_to_host

    function prism_copy_from_host(queue, to, from, bytes, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: to
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_copy_from_host
    end function prism_copy_from_host

    function prism_fill(queue, to, pattern, pattern_bytes, count, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: to
      type(c_ptr), value :: pattern
      integer(c_size_t), value :: pattern_bytes
      integer(c_size_t), value :: count
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_fill
    end function prism_fill

    function prism_vector(data, type, elements) bind(c)
      import
      type(c_ptr), value :: data
      integer(c_int32_t), value :: type
      integer(c_int64_t), value :: elements
      type(prism_view) :: prism_vector
    end function prism_vector

    function prism_matrix(data, type, rows, columns) bind(c)
      import
      type(c_ptr), value :: data
      integer(c_int32_t), value :: type
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      type(prism_view) :: prism_matrix
    end function prism_matrix

    function prism_grid(data, type, rank, extents) bind(c)
      import
      type(c_ptr), value :: data
      integer(c_int32_t), value :: type
      integer(c_int32_t), value :: rank
      integer(c_int64_t), intent(in) :: extents(*)
      type(prism_view) :: prism_grid
    end function prism_grid

    function prism_run(queue, operation, operands, count, options, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      integer(c_int32_t), value :: operation
      type(prism_view), intent(in) :: operands(*)
      integer(c_size_t), value :: count
      type(prism_options), intent(in) :: options
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_run
    end function prism_run

    function prism_operation_find(name, operation, error) bind(c)
      import
      type(c_ptr), value :: name
      integer(c_int32_t), intent(inout) :: operation
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_operation_find
    end function prism_operation_find

    function prism_operation_text(operation, text, capacity, needed, error) bind(c)
      import
      integer(c_int32_t), value :: operation
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_operation_text
    end function prism_operation_text

    function prism_operation_explain(device, operation, type, n, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: operation
      type(c_ptr), value :: type
      integer(c_size_t), value :: n
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_operation_explain
    end function prism_operation_explain

    function prism_library_open(file, library, error) bind(c)
      import
      type(c_ptr), value :: file
      type(c_ptr), intent(inout) :: library
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_library_open
    end function prism_library_open

    function prism_library_kernels(library, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: library
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_library_kernels
    end function prism_library_kernels

    function prism_kernel_get(library, name, kernel, error) bind(c)
      import
      type(c_ptr), value :: library
      type(c_ptr), value :: name
      type(c_ptr), intent(inout) :: kernel
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_kernel_get
    end function prism_kernel_get

    function prism_kernel_create(device, language, text, bytes, name, dimensions, parameters, &
        kernel, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: language
      type(c_ptr), value :: text
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: name
      integer(c_int32_t), value :: dimensions
      type(c_ptr), value :: parameters
      type(c_ptr), intent(inout) :: kernel
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_kernel_create
    end function prism_kernel_create

    function prism_kernel_text(kernel, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: kernel
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_kernel_text
    end function prism_kernel_text

    function prism_launch(queue, kernel, global, local, arguments, argument_count, waits, wait_count, &
        event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: kernel
      integer(c_size_t), intent(in) :: global(*)
      type(c_ptr), value :: local
      type(prism_argument), intent(in) :: arguments(*)
      integer(c_size_t), value :: argument_count
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_launch
    end function prism_launch

    function prism_library_tasks(library, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: library
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_library_tasks
    end function prism_library_tasks

    function prism_tasks_create(queue, library, set, tasks, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: library
      type(c_ptr), value :: set
      type(c_ptr), intent(inout) :: tasks
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tasks_create
    end function prism_tasks_create

    function prism_tasks_add(tasks, kernel, items, arguments, argument_count, after, after_count, &
        number, error) bind(c)
      import
      type(c_ptr), value :: tasks
      type(c_ptr), value :: kernel
      integer(c_size_t), value :: items
      type(prism_argument), intent(in) :: arguments(*)
      integer(c_size_t), value :: argument_count
      integer(c_size_t), intent(in) :: after(*)
      integer(c_size_t), value :: after_count
      type(c_ptr), value :: number
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tasks_add
    end function prism_tasks_add

    function prism_tasks_run(tasks, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: tasks
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tasks_run
    end function prism_tasks_run

    function prism_tasks_text(tasks, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: tasks
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tasks_text
    end function prism_tasks_text

    function prism_graph_begin(queue, graph, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), intent(inout) :: graph
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_graph_begin
    end function prism_graph_begin

    function prism_graph_end(graph, error) bind(c)
      import
      type(c_ptr), value :: graph
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_graph_end
    end function prism_graph_end

    function prism_graph_run(queue, graph, waits, wait_count, event, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), value :: graph
      type(c_ptr), intent(in) :: waits(*)
      integer(c_size_t), value :: wait_count
      type(c_ptr), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_graph_run
    end function prism_graph_run

    function prism_graph_text(graph, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: graph
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_graph_text
    end function prism_graph_text

    function prism_array_from_host(device, data, type, rank, extents, array, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: data
      integer(c_int32_t), value :: type
      integer(c_int32_t), value :: rank
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(inout) :: array
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_from_host
    end function prism_array_from_host

    function prism_array_to_host(array, to, bytes, error) bind(c)
      import
      type(c_ptr), value :: array
      type(c_ptr), value :: to
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_to_host
    end function prism_array_to_host

    function prism_array_info(array, type, rank, extents, error) bind(c)
      import
      type(c_ptr), value :: array
      integer(c_int32_t), intent(inout) :: type
      integer(c_int32_t), intent(inout) :: rank
      integer(c_int64_t), intent(inout) :: extents(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_info
    end function prism_array_info

    function prism_array_data(array, data, strides, error) bind(c)
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: data
      integer(c_int64_t), intent(inout) :: strides(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_data
    end function prism_array_data

    function prism_array_view(array, view, error) bind(c)
      import
      type(c_ptr), value :: array
      type(prism_view), intent(inout) :: view
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_view
    end function prism_array_view

    function prism_array_device(array, device, error) bind(c)
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_device
    end function prism_array_device

    function prism_array_text(array, what, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: array
      type(c_ptr), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_text
    end function prism_array_text

    function prism_array_call(function, device, arguments, count, results, capacity, made, error) bind(c)
      import
      type(c_ptr), value :: function
      type(c_ptr), value :: device
      type(prism_given), intent(in) :: arguments(*)
      integer(c_size_t), value :: count
      type(c_ptr), intent(inout) :: results(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: made
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_call
    end function prism_array_call

    function prism_array_from_memory(view, release, data, array, error) bind(c)
      import
      type(prism_view), intent(in) :: view
      type(c_funptr), value :: release
      type(c_ptr), value :: data
      type(c_ptr), intent(inout) :: array
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_from_memory
    end function prism_array_from_memory

    function prism_array_dlpack_device(array, type, number, error) bind(c)
      import
      type(c_ptr), value :: array
      integer(c_int32_t), intent(inout) :: type
      integer(c_int32_t), intent(inout) :: number
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_dlpack_device
    end function prism_array_dlpack_device

    function prism_array_to_dlpack(array, versioned, flags, tensor, error) bind(c)
      import
      type(c_ptr), value :: array
      integer(c_int32_t), value :: versioned
      integer(c_int32_t), value :: flags
      type(c_ptr), intent(inout) :: tensor
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_to_dlpack
    end function prism_array_to_dlpack

    function prism_array_from_dlpack(tensor, versioned, device, copy, array, error) bind(c)
      import
      type(c_ptr), value :: tensor
      integer(c_int32_t), value :: versioned
      type(c_ptr), value :: device
      integer(c_int32_t), value :: copy
      type(c_ptr), intent(inout) :: array
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_from_dlpack
    end function prism_array_from_dlpack

    function prism_npz_names(path, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: path
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_npz_names
    end function prism_npz_names

    function prism_sparse_create(format, rows, columns, block, offsets, indices, values, sparse, error) bind(c)
      import
      type(c_ptr), value :: format
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      integer(c_int64_t), value :: block
      type(c_ptr), value :: offsets
      type(c_ptr), value :: indices
      type(c_ptr), value :: values
      type(c_ptr), intent(inout) :: sparse
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_sparse_create
    end function prism_sparse_create

    function prism_array_functions(text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_array_functions
    end function prism_array_functions

    function prism_describe(device, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: device
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_describe
    end function prism_describe

    function prism_descriptions_read(descriptions, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: descriptions
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_descriptions_read
    end function prism_descriptions_read

    function prism_description_meets(description, requirement, meets, error) bind(c)
      import
      type(c_ptr), value :: description
      type(c_ptr), value :: requirement
      integer(c_int32_t), intent(inout) :: meets
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_description_meets
    end function prism_description_meets

    function prism_decide(policy, work, descriptions, form, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: policy
      type(c_ptr), value :: work
      type(c_ptr), value :: descriptions
      type(c_ptr), value :: form
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_decide
    end function prism_decide

    function prism_backend_text(backend, what, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: backend
      type(c_ptr), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_backend_text
    end function prism_backend_text

    function prism_backend_set_priority(backend, priority, error) bind(c)
      import
      type(c_ptr), value :: backend
      integer(c_int32_t), value :: priority
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_backend_set_priority
    end function prism_backend_set_priority

    function prism_host_text(what, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_host_text
    end function prism_host_text

    function prism_model_create(saved, model, error) bind(c)
      import
      type(c_ptr), value :: saved
      type(c_ptr), intent(inout) :: model
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_model_create
    end function prism_model_create

    function prism_model_register(model, pattern, item, error) bind(c)
      import
      type(c_ptr), value :: model
      type(c_ptr), value :: pattern
      type(prism_workload), intent(in) :: item
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_model_register
    end function prism_model_register

    function prism_model_observe(model, pattern, description, items, seconds, error) bind(c)
      import
      type(c_ptr), value :: model
      type(c_ptr), value :: pattern
      type(c_ptr), value :: description
      real(c_double), value :: items
      real(c_double), value :: seconds
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_model_observe
    end function prism_model_observe

    function prism_model_predict(model, pattern, descriptions, counts, items, prediction, error) bind(c)
      import
      type(c_ptr), value :: model
      type(c_ptr), value :: pattern
      type(c_ptr), value :: descriptions
      type(c_ptr), value :: counts
      real(c_double), value :: items
      type(prism_prediction), intent(inout) :: prediction
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_model_predict
    end function prism_model_predict

    function prism_model_text(model, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: model
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_model_text
    end function prism_model_text

    function prism_tune(device, parameters, count, initial, trial, data, options, tuning, error) bind(c)
      import
      type(c_ptr), value :: device
      type(prism_parameter), intent(in) :: parameters(*)
      integer(c_size_t), value :: count
      type(c_ptr), value :: initial
      type(c_funptr), value :: trial
      type(c_ptr), value :: data
      type(prism_tuning_options), intent(in) :: options
      type(c_ptr), intent(inout) :: tuning
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tune
    end function prism_tune

    function prism_tuning_text(tuning, what, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: tuning
      type(c_ptr), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_tuning_text
    end function prism_tuning_text

    function prism_align(queue, reads, count, genome, piece, alignments, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), intent(in) :: reads(*)
      integer(c_size_t), value :: count
      type(c_ptr), value :: genome
      integer(c_int32_t), value :: piece
      type(prism_alignment), intent(inout) :: alignments(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_align
    end function prism_align

    function prism_call_variants(queue, reads, count, genome, alignments, variants, error) bind(c)
      import
      type(c_ptr), value :: queue
      type(c_ptr), intent(in) :: reads(*)
      integer(c_size_t), value :: count
      type(c_ptr), value :: genome
      type(prism_alignment), intent(in) :: alignments(*)
      type(c_ptr), intent(inout) :: variants
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_call_variants
    end function prism_call_variants

    function prism_variants_text(variants, text, capacity, needed, error) bind(c)
      import
      type(c_ptr), value :: variants
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: prism_variants_text
    end function prism_variants_text
  end interface
end module prism_c
