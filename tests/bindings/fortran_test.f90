! The module `prism` on one device: each test is named by what a program may rely on. Exit status 77 without a device. With the argument
! "stops" it makes a mistake without stat=.
program fortran_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use prism
  use prism_c, only: prism_pointer_info, prism_queue_wait, prism_release
  implicit none
  type :: holder
    type(prism_queue) :: queue
    integer :: number = 0
  end type holder
  integer :: failures = 0
  character(100) :: argument
  type(prism_queue) :: queue
  integer :: stat
  logical :: has_doubles, on_host
  type(prism_device) :: device
  character(:), allocatable :: backend

  call get_command_argument(1, argument)
  if (argument == "stops") call queue%create("no-such-device")
  call queue%create(stat=stat)
  if (stat /= prism_ok) stop 77
  call queue%device(device)
  call device%has("fp64", has_doubles)
  call device%text("backend", backend)
  on_host = backend == "host" ! what differs by types alone needs no second device, where kernels are compiled first

  call devices_have_names_numbers_and_features()
  call failures_give_a_number_and_a_message()
  if (on_host) call matrices_are_multiplied_in_four_types()
  call a_section_is_used_in_place_with_its_strides()
  call transposed_and_conjugated_factors_are_not_copied()
  call vectors_are_combined_and_reduced()
  call systems_are_solved_and_a_singular_one_is_an_error()
  if (on_host) call eigenvalues_of_a_symmetric_matrix()
  if (on_host) call a_line_is_fitted_by_least_squares()
  if (on_host) call any_operation_runs_by_its_number()
  call transforms_follow_fortrans_order()
  call arrays_have_fortrans_shape_and_dimensions()
  call an_ordinary_array_is_refused()
  call the_event_of_an_operation_completes()
  call objects_end_with_their_owner()
  call memory_ends_with_its_owner()
  call empty_arrays_are_allowed()
  if (failures > 0) error stop 1

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    write (error_unit, '(2a)') "failed: ", what
  end subroutine check

  subroutine devices_have_names_numbers_and_features()
    type(prism_device), allocatable :: all(:)
    type(prism_device) :: chosen
    character(:), allocatable :: name, backends
    real(real64) :: units
    integer :: i

    call prism_list_devices(all)
    call check(size(all) >= 1, "devices are listed")
    do i = 1, size(all)
      call all(i)%text("name", name)
      call check(len(name) > 0 .and. index(name, c_null_char) == 0, "a device has a name")
    end do
    call all(1)%number("compute_units", units)
    call check(units >= 1, "a device has compute units")
    call prism_list_backends(backends)
    call check(index(backends, "host") > 0, "backends are listed")
    call chosen%select_by_policy("priority=speed")
    call chosen%text("backend", name)
    call check(len(name) > 0, "a policy selects a device")
  end subroutine devices_have_names_numbers_and_features

  subroutine failures_give_a_number_and_a_message()
    type(prism_device) :: chosen
    character(300) :: message
    character(20) :: short
    character(:), allocatable :: text, name
    integer :: status

    call chosen%select("no-such-device", stat=status, errmsg=message)
    call check(status /= prism_ok, "an unknown device is refused")
    call check(index(message, "prism_device_select: ") == 1 .and. index(message, "no-such-device") > 0, "the message names it")
    call check(index(prism_message(), trim(message)) == 1, "prism_message has it")
    call chosen%select("no-such-device", stat=status, errmsg=short)
    call check(short == message(:20) .and. len(prism_message()) > 20, "a short variable has the beginning")
    call chosen%text("name", text)
    call device%text("name", name)
    call check(text == name, "a device that was not selected is the default device")
    message = "as before"
    call device%text("name", text, stat=status, errmsg=message)
    call check(status == prism_ok .and. message == "as before", "success leaves the message")
    call device%text("weight", text, stat=status, errmsg=message)
    call check(status == prism_not_found, "an unknown property is not found")
  end subroutine failures_give_a_number_and_a_message

  subroutine matrices_are_multiplied_in_four_types()
    type(prism_memory) :: memory
    real(real32), pointer :: a(:, :), b(:, :), c(:, :)
    complex(real32), pointer :: ca(:, :), cb(:, :), cc(:, :)
    real(real64), pointer :: da(:, :), db(:, :), dc(:, :)
    complex(real64), pointer :: za(:, :), zb(:, :), zc(:, :)
    real(real64) :: x(5, 7), y(7, 3)

    call random_number(x)
    call random_number(y)
    call memory%create(queue)
    call prism_new(memory, a, 5, 7)
    call prism_new(memory, b, 7, 3)
    call prism_new(memory, c, 5, 3)
    a = real(x, real32)
    b = real(y, real32)
    c = 1
    call prism_gemm(queue, a, b, c, alpha=2.0_real32, beta=3.0_real32)
    call queue%wait()
    call check(maxval(abs(c - real(2 * matmul(x, y) + 3, real32))) < 1e-4, "gemm of real32")
    call prism_new(memory, ca, 5, 7)
    call prism_new(memory, cb, 7, 3)
    call prism_new(memory, cc, 5, 3)
    ca = cmplx(x, 1 - x, real32)
    cb = cmplx(y, 2 * y, real32)
    call prism_gemm(queue, ca, cb, cc, alpha=(0.0_real32, 1.0_real32))
    call queue%wait()
    call check(maxval(abs(cc - (0, 1) * matmul(ca, cb))) < 1e-4, "gemm of complex(real32)")
    if (.not. has_doubles) return
    call prism_new(memory, da, 5, 7)
    call prism_new(memory, db, 7, 3)
    call prism_new(memory, dc, 5, 3)
    da = x
    db = y
    call prism_gemm(queue, da, db, dc)
    call queue%wait()
    call check(maxval(abs(dc - matmul(x, y))) < 1e-12, "gemm of real64")
    call prism_new(memory, za, 5, 7)
    call prism_new(memory, zb, 7, 3)
    call prism_new(memory, zc, 5, 3)
    za = cmplx(x, 1 - x, real64)
    zb = cmplx(y, 2 * y, real64)
    call prism_gemm(queue, za, zb, zc)
    call queue%wait()
    call check(maxval(abs(zc - matmul(za, zb))) < 1e-12, "gemm of complex(real64)")
  end subroutine matrices_are_multiplied_in_four_types

  subroutine a_section_is_used_in_place_with_its_strides()
    type(prism_memory) :: memory
    real(real32), pointer :: a(:, :), c(:, :), x(:), y(:)
    real(real32) :: expected(9, 9)
    integer :: i

    call memory%create(queue)
    call prism_new(memory, a, 9, 9)
    call prism_new(memory, c, 9, 9)
    a = reshape([(real(mod(i * 7, 11), real32), i=1, 81)], [9, 9])
    c = -1
    expected = -1
    expected(2:8:3, 1:9:4) = matmul(a(1:9:4, 3:4), a(5:6, 9:1:-4))
    call prism_gemm(queue, a(1:9:4, 3:4), a(5:6, 9:1:-4), c(2:8:3, 1:9:4))
    call queue%wait()
    call check(all(c == expected), "sections with strides, also negative ones, and nothing next to them is written")
    call prism_new(memory, x, 9)
    call prism_new(memory, y, 9)
    x = [(real(i, real32), i=1, 9)]
    y = 100
    call prism_axpy(queue, 2.0_real32, x(9:1:-2), y(1:5))
    call queue%wait()
    call check(all(y == [118.0, 114.0, 110.0, 106.0, 102.0, 100.0, 100.0, 100.0, 100.0]), "a vector backwards")
  end subroutine a_section_is_used_in_place_with_its_strides

  subroutine transposed_and_conjugated_factors_are_not_copied()
    type(prism_memory) :: memory
    complex(real32), pointer :: a(:, :), b(:, :), c(:, :), x(:), y(:)
    character(300) :: message
    integer :: i, status

    call memory%create(queue)
    call prism_new(memory, a, 3, 2)
    call prism_new(memory, b, 4, 3)
    call prism_new(memory, c, 2, 4)
    a = reshape([(cmplx(i, -2 * i, real32), i=1, 6)], [3, 2])
    b = reshape([(cmplx(mod(i, 5), i, real32), i=1, 12)], [4, 3])
    call prism_gemm(queue, a, b, c, transa='C', transb='T')
    call queue%wait()
    call check(maxval(abs(c - matmul(conjg(transpose(a)), transpose(b)))) < 1e-3, "transa='C', transb='T'")
    call prism_new(memory, x, 3)
    call prism_new(memory, y, 2)
    x = b(1, :)
    call prism_gemv(queue, a, x, y, trans='t')
    call queue%wait()
    call check(maxval(abs(y - matmul(transpose(a), x))) < 1e-3, "gemv with trans='t'")
    call prism_gemm(queue, a, b, c, transa='X', stat=status, errmsg=message)
    call check(status == prism_invalid, "an unknown letter is refused")
  end subroutine transposed_and_conjugated_factors_are_not_copied

  subroutine vectors_are_combined_and_reduced()
    type(prism_memory) :: memory
    real(real32), pointer :: x(:), y(:)
    complex(real32), pointer :: u(:), v(:)
    complex(real32) :: product
    real(real32) :: sum, norm
    integer :: i

    call memory%create(queue)
    call prism_new(memory, x, 100)
    call prism_new(memory, y, 100)
    x = [(real(i, real32), i=1, 100)]
    y = 2
    call prism_dot(queue, x, y, sum)
    call check(sum == 10100, "dot")
    call prism_scal(queue, 0.5_real32, y)
    call prism_dot(queue, x, y, sum)
    call check(sum == 5050, "scal before dot, in the queue's order")
    x(:) = 0
    x(3) = 3
    x(90) = -4
    call prism_nrm2(queue, x, norm)
    call check(abs(norm - 5) < 1e-5, "nrm2")
    call prism_new(memory, u, 2)
    call prism_new(memory, v, 2)
    u = [(1.0, 2.0), (3.0, -1.0)]
    v = [(0.0, 1.0), (2.0, 2.0)]
    call prism_dot(queue, u, v, product)
    call check(abs(product - dot_product(u, v)) < 1e-5, "dot of complex numbers is dot_product")
    call prism_nrm2(queue, u, norm)
    call check(abs(norm - sqrt(15.0)) < 1e-5, "nrm2 of complex numbers is real")
  end subroutine vectors_are_combined_and_reduced

  subroutine systems_are_solved_and_a_singular_one_is_an_error()
    type(prism_memory) :: memory
    real(real32), pointer :: a(:, :), b(:), many(:, :)
    real(real32) :: kept(4, 4)
    character(300) :: message
    integer :: i, info, status

    call memory%create(queue)
    call prism_new(memory, a, 4, 4)
    call prism_new(memory, b, 4)
    call prism_new(memory, many, 4, 2)
    a = reshape([4.0, 1.0, 0.0, 2.0, 0.0, 5.0, 1.0, 0.0, 1.0, 0.0, 6.0, 1.0, 0.0, 2.0, 0.0, 7.0], [4, 4])
    kept = a
    b = matmul(a, [1.0, -2.0, 3.0, -4.0])
    call prism_solve(queue, a, b)
    call check(maxval(abs(b - [1.0, -2.0, 3.0, -4.0])) < 1e-4, "a vector on the right")
    call check(all(a == kept), "the matrix is not changed")
    many = matmul(a, reshape([(real(i, real32), i=1, 8)], [4, 2]))
    call prism_solve(queue, a, many)
    call check(maxval(abs(reshape(many, [8]) - [(real(i, real32), i=1, 8)])) < 1e-4, "a matrix on the right")
    a(:, 2) = 0
    call prism_solve(queue, a, b, stat=status, errmsg=message)
    call check(status == prism_failed .and. index(message, "singular") > 0, "a singular matrix")
    call prism_solve(queue, a, b, info=info, stat=status)
    call check(status == prism_ok .and. info == 2, "info, where the program asks for it")
  end subroutine systems_are_solved_and_a_singular_one_is_an_error

  subroutine a_line_is_fitted_by_least_squares()
    type(prism_memory) :: memory
    real(real32), pointer :: a(:, :), b(:), x(:)
    integer :: i

    call memory%create(queue)
    call prism_new(memory, a, 10, 2)
    call prism_new(memory, b, 10)
    call prism_new(memory, x, 2)
    a(:, 1) = 1
    a(:, 2) = [(real(i, real32), i=1, 10)]
    b = 0.5 + 3 * a(:, 2) + [(real(2 * mod(i, 2) - 1, real32), i=1, 10)] * 0
    call prism_least_squares(queue, a, b, x)
    call check(maxval(abs(x - [0.5, 3.0])) < 1e-4, "the line's two numbers")
  end subroutine a_line_is_fitted_by_least_squares

  subroutine eigenvalues_of_a_symmetric_matrix()
    type(prism_memory) :: memory
    complex(real32), pointer :: a(:, :), v(:, :)
    real(real32), pointer :: w(:)

    call memory%create(queue)
    call prism_new(memory, a, 2, 2)
    call prism_new(memory, v, 2, 2)
    call prism_new(memory, w, 2)
    a = reshape([(2.0, 0.0), (0.0, -1.0), (0.0, 1.0), (2.0, 0.0)], [2, 2])
    call prism_eigh(queue, a, w, v)
    call check(maxval(abs(w - [1.0, 3.0])) < 1e-5, "values in order")
    call check(maxval(abs(matmul(a, v) - v * spread(w, 1, 2))) < 1e-5, "vectors are columns")
    a(1, 2) = (100.0, 100.0)
    call prism_eigh(queue, a, w, v, uplo='L')
    call check(maxval(abs(w - [1.0, 3.0])) < 1e-5, "only the lower triangle is read")
  end subroutine eigenvalues_of_a_symmetric_matrix

  subroutine transforms_follow_fortrans_order()
    real(real32), parameter :: pi = acos(-1.0)
    type(prism_memory) :: memory
    real(real32), pointer :: field(:, :), back(:, :)
    complex(real32), pointer :: waves(:, :), x(:), y(:), rows(:, :), each(:, :)
    integer :: i, j, status

    call memory%create(queue)
    call prism_new(memory, field, 8, 6)
    call prism_new(memory, back, 8, 6)
    call prism_new(memory, waves, 5, 6)
    field = reshape([((cos(2 * pi * real(i - 1) / 8), i=1, 8), j=1, 6)], [8, 6])
    call prism_fft_forward(queue, field, waves)
    call prism_fft_backward(queue, waves, back, scaling='size')
    call queue%wait()
    call check(abs(waves(2, 1) - 24) < 1e-3 .and. maxval(abs(waves(2, 2:))) < 1e-3, "real: the first dimension is halved")
    call check(maxval(abs(back - field)) < 1e-5, "and back")
    call prism_new(memory, x, 8)
    call prism_new(memory, y, 8)
    x = [(exp(cmplx(0, 2 * pi * 3 * real(i - 1) / 8, real32)), i=1, 8)]
    call prism_fft_forward(queue, x, y)
    call queue%wait()
    call check(abs(y(4) - 8) < 1e-4 .and. abs(sum(abs(y)) - 8) < 1e-3, "the exponent of forward has a minus")
    call prism_fft_backward(queue, y, x)
    call queue%wait()
    call check(abs(x(1) - 8) < 1e-3, "backward without scaling gives n times")
    call prism_new(memory, rows, 8, 3)
    call prism_new(memory, each, 8, 3)
    do i = 1, 3
      rows(:, i) = x * i
    end do
    call prism_fft_forward(queue, rows, each, batched=.true.)
    call queue%wait()
    call check(maxval(abs(each(4, :) - [64, 128, 192])) < 1e-2 .and. abs(sum(abs(each)) - 384) < 1, &
               "batched: a transform of each column")
    call prism_fft_forward(queue, x, y, scaling='half', stat=status)
    call check(status == prism_invalid, "an unknown scaling is refused")
  end subroutine transforms_follow_fortrans_order

  subroutine any_operation_runs_by_its_number()
    type(prism_memory) :: memory
    real(real32), pointer :: a(:, :), u(:, :), vt(:, :), s(:)
    integer(int64), pointer :: info(:)
    integer :: i

    call memory%create(queue)
    call prism_new(memory, a, 4, 3)
    call prism_new(memory, u, 4, 3)
    call prism_new(memory, vt, 3, 3)
    call prism_new(memory, s, 3)
    call prism_new(memory, info, 1)
    a = reshape([(real(mod(i * i, 7), real32), i=1, 12)], [4, 3])
    call prism_run(queue, prism_op_svd, &
                   [prism_operand(a), prism_operand(s), prism_operand(u), prism_operand(vt), prism_operand(info)])
    call queue%wait()
    call check(maxval(abs(matmul(u * spread(s, 1, 4), vt) - a)) < 1e-4 .and. info(1) == 0, "a = u diag(s) w")
  end subroutine any_operation_runs_by_its_number

  subroutine arrays_have_fortrans_shape_and_dimensions()
    type(prism_array) :: a, b, c, columns, sorted, places
    real(real32) :: x(3, 2), y(2, 4), product(3, 4), sums(2), total
    integer(int32) :: numbers(5), ordered(5)
    integer(int64) :: order(5)
    integer, allocatable :: extents(:)
    character(300) :: message
    integer :: i, status

    x = reshape([(real(i, real32), i=1, 6)], [3, 2])
    y = reshape([(real(i * i, real32), i=1, 8)], [2, 4])
    call prism_put(a, x, device)
    call prism_put(b, y, device)
    call c%apply("matmul", a, b)
    call c%shape(extents)
    call check(all(extents == [3, 4]), "a product has Fortran's shape")
    call prism_get(c, product)
    call check(all(product == matmul(x, y)), "matmul")
    call columns%apply("sum", a, dim=1)
    call prism_get(columns, sums)
    call check(all(sums == sum(x, dim=1)), "dim counts from 1")
    call c%apply("multiply", a, 2.0_real64)
    call c%apply("add", c, a)
    call columns%apply("sum", c)
    call prism_get(columns, total)
    call check(total == 63, "an expression, reduced to a number")
    numbers = [3, -1, 9, 0, 5]
    call prism_put(a, numbers, device)
    call sorted%apply("sort", a, descending=.true.)
    call prism_get(sorted, ordered)
    call check(all(ordered == [9, 5, 3, 0, -1]), "sort")
    call places%apply("argsort", a)
    call prism_get(places, order)
    call check(all(order == [1, 3, 0, 4, 2]), "argsort gives places from 0")
    call prism_get(sorted, sums, stat=status, errmsg=message)
    call check(status == prism_invalid .and. index(message, "extents 5") > 0, "another shape is refused")
    call prism_put(a, x(1:3:2, :), device)
    call prism_get(a, sums, stat=status)
    call check(status == prism_invalid, "a matrix is no vector")
    call c%apply("no_such_function", a, stat=status, errmsg=message)
    call check(status == prism_not_found .and. index(message, "no_such_function") > 0, "an unknown function")
  end subroutine arrays_have_fortrans_shape_and_dimensions

  subroutine an_ordinary_array_is_refused()
    real(real32), target :: x(4)
    character(300) :: message
    integer :: status

    x = 1
    call prism_scal(queue, 2.0_real32, x, stat=status, errmsg=message)
    call check(status == prism_bad_pointer .and. index(message, "registered") > 0 .and. all(x == 1), "memory of the host alone")
  end subroutine an_ordinary_array_is_refused

  subroutine the_event_of_an_operation_completes()
    type(prism_queue) :: timed
    type(prism_memory) :: memory
    type(prism_event) :: event
    real(real32), pointer :: x(:)
    integer(int64) :: submitted, started, ended
    logical :: complete

    call timed%create(device, profiling=.true.)
    call memory%create(timed)
    call prism_new(memory, x, 1000)
    x = 1
    call prism_scal(timed, 3.0_real32, x, event=event)
    call event%wait()
    call event%is_complete(complete)
    call check(complete .and. all(x == 3), "complete after the wait")
    call event%times(submitted, started, ended)
    call check(submitted > 0 .and. started <= ended, "with its times")
  end subroutine the_event_of_an_operation_completes

  ! Whether the number still names an object; prism.h never uses a number again.
  function lives(handle)
    type(c_ptr), intent(in) :: handle
    logical :: lives
    type(c_ptr) :: error

    error = c_null_ptr
    lives = prism_queue_wait(handle, error) == prism_ok
    call forget(error)
  end function lives

  ! The error object of a call that was meant to fail.
  subroutine forget(error)
    type(c_ptr), intent(in) :: error
    type(c_ptr) :: another

    if (.not. c_associated(error)) return
    another = c_null_ptr
    call check(prism_release(error, another) == prism_ok, "an error object is released")
  end subroutine forget

  subroutine make_a_local_queue(handle)
    type(c_ptr), intent(out) :: handle
    type(prism_queue) :: mine
    call mine%create(device)
    handle = mine%handle()
  end subroutine make_a_local_queue

  subroutine objects_end_with_their_owner()
    type(prism_queue), allocatable :: first, list(:)
    type(prism_queue) :: second
    type(holder) :: inside, copy
    type(c_ptr) :: handle, other

    call make_a_local_queue(handle)
    call check(.not. lives(handle), "a local object ends with its procedure")
    allocate (first, list(3))
    call first%create(device)
    handle = first%handle()
    second = first
    list(2) = second
    second = second
    call check(lives(handle), "copies of copies")
    deallocate (list)
    call check(lives(handle), "a copy ends nothing")
    deallocate (first)
    call check(.not. lives(handle), "the owner ends it")
    call second%wait(stat=stat)
    call check(stat == prism_bad_handle, "a copy is refused then")
    call second%create(device)
    handle = second%handle()
    call second%create(device)
    other = second%handle()
    call check(.not. lives(handle), "creating again ends what was there")
    call check(lives(other), "and makes another object")
    allocate (list(2))
    call list(2)%create(device)
    handle = list(2)%handle()
    deallocate (list)
    call check(.not. lives(handle), "elements of arrays are owners")
    call inside%queue%create(device)
    handle = inside%queue%handle()
    copy = inside
    call keep_a_copy(inside)
    call check(lives(handle), "assignment of a type that has an object in it")
    call copy%queue%wait()
  end subroutine objects_end_with_their_owner

  subroutine keep_a_copy(from)
    type(holder), intent(in) :: from
    type(holder) :: mine
    mine = from
    call mine%queue%wait()
  end subroutine keep_a_copy

  function is_registered(address) result(answer)
    type(c_ptr), intent(in) :: address
    logical :: answer
    integer(c_int32_t) :: kind
    integer(c_size_t) :: offset, bytes
    type(c_ptr) :: error

    error = c_null_ptr
    answer = prism_pointer_info(address, kind, offset, bytes, error) == prism_ok
    call forget(error)
  end function is_registered

  subroutine take_local_memory(address)
    type(c_ptr), intent(out) :: address
    type(prism_memory) :: memory, copy
    real(real32), pointer :: x(:, :)

    call memory%create(queue)
    call prism_new(memory, x, 10, 10)
    copy = memory
    address = c_loc(x(1, 1))
    call check(is_registered(address), "memory of prism_new")
  end subroutine take_local_memory

  subroutine memory_ends_with_its_owner()
    type(c_ptr) :: address
    type(prism_memory) :: memory, other
    real(real32), pointer :: x(:), y(:)
    integer :: status

    call take_local_memory(address)
    call check(.not. is_registered(address), "freed with its owner")
    call prism_new(memory, x, 4, stat=status)
    call check(status == prism_bad_handle .and. .not. associated(x), "memory without a queue")
    call memory%create(queue)
    call prism_new(memory, x, 4)
    call prism_new(memory, y, 4)
    address = c_loc(y(1))
    other = memory
    call prism_new(other, x, 4, stat=status)
    call check(status == prism_bad_handle, "a copy makes no arrays")
    call other%clear()
    call check(is_registered(address), "and frees none")
    call memory%clear()
    call check(.not. is_registered(address), "cleared")
    call memory%create(queue)
    call prism_new(memory, x, huge(1), stat=status)
    call check(status == prism_ok .or. status == prism_out_of_memory, "much memory, or the error")
    call memory%clear()
  end subroutine memory_ends_with_its_owner

  subroutine empty_arrays_are_allowed()
    type(prism_memory) :: memory
    type(prism_array) :: array
    real(real32), pointer :: a(:, :), b(:, :), c(:, :)
    real(real32) :: none(0)

    call memory%create(queue)
    call prism_new(memory, a, 3, 0)
    call prism_new(memory, b, 0, 2)
    call prism_new(memory, c, 3, 2)
    c = 7
    call prism_gemm(queue, a, b, c)
    call queue%wait()
    call check(all(c == 0), "an empty sum is 0")
    call prism_put(array, none, device)
    call prism_get(array, none)
  end subroutine empty_arrays_are_allowed
end program fortran_test
