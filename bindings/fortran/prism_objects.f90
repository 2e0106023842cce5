! Devices, queues, events, memory and arrays of prism.h as derived types that end by themselves, and errors as Fortran knows them.
!
! The variable on which an object was made owns it: the object ends when that variable goes out of scope, is deallocated, or makes
! another. Assignment copies the name of the object, as a pointer assignment would: a copy ends nothing, and after the owner's end it is
! refused with prism_bad_handle. (Copies are not counted, because gfortran 12 finalizes the temporary of a defined assignment inside of
! a derived type, so that a count would be wrong.) Procedures that make an object are subroutines, since not all compilers finalize the
! results of functions.
!
! stat= receives 0 or a number of prism.h (prism_invalid, ...). errmsg= receives the message, cut or padded to the variable's length as
! by Fortran's own statements, and is left alone on success; prism_message() is the whole text of the last failure. Without stat= a
! failure stops the program with the message on the error unit and the exit status 1. (errmsg is not of deferred length, because
! gfortran 12 loses the length of such an optional argument that is passed on.)
module prism_objects
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use prism_c, submit => prism_run
  implicit none
  private
  public :: prism_device, prism_queue, prism_event, prism_memory, prism_array
  public :: prism_list_devices, prism_list_backends, prism_run
  public :: prism_message
  public :: bytes_of, fail, grid_of, scaling_of, strided, transposed ! for the modules of one type of elements

  type :: owner
    type(c_ptr) :: value = c_null_ptr ! a handle of prism.h
    type(c_ptr) :: place = c_null_ptr ! of `value` in the variable that owns it
  contains
    procedure :: hold => owner_hold
    procedure :: owns => owner_owns
    procedure :: release => owner_release
    final :: owner_finish
  end type owner

  type :: prism_device ! the default device until select()
    type(owner), private :: owner
  contains
    procedure :: select => device_select
    procedure :: select_by_policy => device_by_policy
    procedure :: text => device_text
    procedure :: number => device_number
    procedure :: has => device_has
    procedure :: handle => device_handle
  end type prism_device

  type :: prism_queue ! work runs in the order of the calls
    type(owner), private :: owner
  contains
    procedure, private :: create_of_name, create_on_device
    generic :: create => create_of_name, create_on_device
    procedure :: device => queue_device
    procedure :: wait => queue_wait
    procedure :: handle => queue_handle
  end type prism_queue

  type :: prism_event ! of one operation
    type(owner), private :: owner
  contains
    procedure :: wait => event_wait
    procedure :: is_complete => event_is_complete
    procedure :: times => event_times
    procedure :: handle => event_handle
  end type prism_event

  type :: prism_memory ! owns the arrays that prism_new makes with it; shared by the host and the device
    type(owner), private :: owner ! of a handle for it alone, whose release proves that no caller freed the memory before
    type(prism_queue), private :: queue
    type(c_ptr), allocatable, private :: addresses(:)
  contains
    procedure :: create => memory_create
    procedure :: take => memory_take
    procedure :: clear => memory_clear
    final :: memory_finish
  end type prism_memory

  type :: prism_array ! of n dimensions, evaluated when its values are needed; dimensions are counted as in Fortran
    type(owner), private :: owner
  contains
    procedure :: from_memory => array_from_memory
    procedure :: to_memory => array_to_memory
    procedure :: shape => array_shape
    procedure :: text => array_text
    procedure, private :: apply_to_array, apply_to_two, apply_to_number
    generic :: apply => apply_to_array, apply_to_two, apply_to_number
    procedure :: handle => array_handle
  end type prism_array

  character(:), allocatable, save :: last_message

  interface prism_run
    module procedure run_operation
  end interface prism_run

contains

  ! ---- errors and texts

  subroutine resolve(status, error, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    type(c_ptr), intent(inout) :: error
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: message

    if (present(stat)) stat = status
    if (status == prism_ok) return
    message = "PRISM gave no message"
    if (c_associated(error)) then
      message = text_at(prism_error_message(error))
      call drop(error)
      error = c_null_ptr
    end if
    call fail(status, message, stat, errmsg)
  end subroutine resolve

  subroutine fail(status, message, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    last_message = message
    if (present(errmsg)) errmsg = message
    if (present(stat)) then
      stat = status
    else
      write (error_unit, '(a)') message
      error stop 1
    end if
  end subroutine fail

  ! The message of the last failure of this process, whole; empty before the first.
  function prism_message() result(message)
    character(:), allocatable :: message
    message = ""
    if (allocated(last_message)) message = last_message
  end function prism_message

  ! The text that ends at the zero.
  function text_at(first) result(text)
    type(c_ptr), intent(in) :: first
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i, length
    interface
      function strlen(text) bind(c)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: text
        integer(c_size_t) :: strlen
      end function strlen
    end interface

    length = int(strlen(first))
    call c_f_pointer(first, letters, [length])
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function text_at

  ! The text without what follows its zero.
  function text_of(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(:), allocatable :: text
    integer :: i

    allocate (character(size(letters) - 1) :: text)
    do i = 1, len(text)
      text(i:i) = letters(i)
    end do
  end function text_of

  ! Releases a handle of this module, or the error object of a call that cannot fail otherwise.
  subroutine drop(handle)
    type(c_ptr), intent(in) :: handle
    type(c_ptr) :: error
    integer(c_int32_t) :: ignored

    error = c_null_ptr
    ignored = prism_release(handle, error)
  end subroutine drop

  ! ---- ownership

  subroutine owner_hold(self, value)
    class(owner), intent(inout), target :: self
    type(c_ptr), intent(in) :: value
    type(c_ptr) :: ended

    call self%release(ended)
    self%value = value
    self%place = c_loc(self%value)
  end subroutine owner_hold

  function owner_owns(self) result(answer)
    class(owner), intent(in), target :: self
    logical :: answer
    answer = c_associated(self%place, c_loc(self%value))
  end function owner_owns

  ! Ends what it owns. `ended`: the handle that this call ended. prism.h never uses a handle again, so a copy that lies where an owner
  ! was before ends nothing.
  subroutine owner_release(self, ended)
    class(owner), intent(inout), target :: self
    type(c_ptr), intent(out) :: ended
    type(c_ptr) :: error

    ended = c_null_ptr
    if (self%owns()) then
      error = c_null_ptr
      if (prism_release(self%value, error) == prism_ok) ended = self%value
      if (c_associated(error)) call drop(error)
    end if
    self%value = c_null_ptr
    self%place = c_null_ptr
  end subroutine owner_release

  impure elemental subroutine owner_finish(self)
    type(owner), intent(inout), target :: self
    type(c_ptr) :: ended
    call self%release(ended)
  end subroutine owner_finish

  ! ---- devices

  subroutine prism_list_devices(devices, stat, errmsg)
    type(prism_device), allocatable, intent(inout) :: devices(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), allocatable :: handles(:)
    type(c_ptr) :: error
    integer(c_size_t) :: count
    integer(c_int32_t) :: status
    integer :: i

    error = c_null_ptr
    allocate (handles(0))
    status = prism_devices(handles, 0_c_size_t, count, error)
    if (status == prism_ok) then
      deallocate (handles)
      allocate (handles(count))
      status = prism_devices(handles, count, count, error)
    end if
    if (status == prism_ok) then
      if (allocated(devices)) deallocate (devices)
      allocate (devices(count))
      do i = 1, int(count)
        call devices(i)%owner%hold(handles(i))
      end do
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine prism_list_devices

  subroutine prism_list_backends(text, stat, errmsg)
    character(:), allocatable, intent(inout) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: letters(:)
    type(c_ptr) :: error
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status

    error = c_null_ptr
    status = prism_backends(c_null_ptr, 0_c_size_t, needed, error)
    if (status == prism_ok) then
      allocate (letters(needed))
      status = prism_backends(c_loc(letters), needed, needed, error)
      if (status == prism_ok) text = text_of(letters)
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine prism_list_backends

  subroutine device_select(self, name, stat, errmsg)
    class(prism_device), intent(inout) :: self
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    type(c_ptr) :: error, made
    integer(c_int32_t) :: status

    error = c_null_ptr
    if (present(name)) then
      asked = name // c_null_char
      status = prism_device_select(c_loc(asked), made, error)
    else
      status = prism_device_select(c_null_ptr, made, error)
    end if
    if (status == prism_ok) call self%owner%hold(made)
    call resolve(status, error, stat, errmsg)
  end subroutine device_select

  subroutine device_by_policy(self, policy, stat, errmsg)
    class(prism_device), intent(inout) :: self
    character(*), intent(in) :: policy
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    type(c_ptr) :: error, made
    integer(c_int32_t) :: status

    error = c_null_ptr
    asked = policy // c_null_char
    status = prism_device_by_policy(c_loc(asked), made, error)
    if (status == prism_ok) call self%owner%hold(made)
    call resolve(status, error, stat, errmsg)
  end subroutine device_by_policy

  subroutine device_text(self, what, text, stat, errmsg)
    class(prism_device), intent(in) :: self
    character(*), intent(in) :: what
    character(:), allocatable, intent(inout) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    character(kind=c_char), allocatable, target :: letters(:)
    type(c_ptr) :: error
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status

    error = c_null_ptr
    asked = what // c_null_char
    status = prism_device_text(self%handle(), c_loc(asked), c_null_ptr, 0_c_size_t, needed, error)
    if (status == prism_ok) then
      allocate (letters(needed))
      status = prism_device_text(self%handle(), c_loc(asked), c_loc(letters), needed, needed, error)
      if (status == prism_ok) text = text_of(letters)
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine device_text

  subroutine device_number(self, what, value, stat, errmsg)
    class(prism_device), intent(in) :: self
    character(*), intent(in) :: what
    real(real64), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    type(c_ptr) :: error
    real(c_double) :: found

    error = c_null_ptr
    found = 0
    asked = what // c_null_char
    call resolve(prism_device_number(self%handle(), c_loc(asked), found, error), error, stat, errmsg)
    value = found
  end subroutine device_number

  subroutine device_has(self, feature, answer, stat, errmsg)
    class(prism_device), intent(in) :: self
    character(*), intent(in) :: feature
    logical, intent(out) :: answer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    type(c_ptr) :: error
    integer(c_int32_t) :: found

    error = c_null_ptr
    found = 0
    asked = feature // c_null_char
    call resolve(prism_device_has(self%handle(), c_loc(asked), found, error), error, stat, errmsg)
    answer = found /= 0
  end subroutine device_has

  function device_handle(self) result(handle)
    class(prism_device), intent(in) :: self
    type(c_ptr) :: handle
    handle = self%owner%value
  end function device_handle

  ! ---- queues and events

  subroutine create_on_device(self, device, profiling, stat, errmsg)
    class(prism_queue), intent(inout) :: self
    type(prism_device), intent(in) :: device
    logical, intent(in), optional :: profiling
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error, made
    integer(c_int32_t) :: flags, status

    error = c_null_ptr
    flags = prism_in_order
    if (present(profiling)) flags = merge(ior(flags, prism_profiling), flags, profiling)
    status = prism_queue_create(device%handle(), flags, made, error)
    if (status == prism_ok) call self%owner%hold(made)
    call resolve(status, error, stat, errmsg)
  end subroutine create_on_device

  subroutine create_of_name(self, name, profiling, stat, errmsg)
    class(prism_queue), intent(inout) :: self
    character(*), intent(in), optional :: name
    logical, intent(in), optional :: profiling
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(prism_device) :: device

    if (present(name)) then
      call device%select(name, stat, errmsg)
      if (present(stat)) then
        if (stat /= prism_ok) return
      end if
    end if
    call self%create_on_device(device, profiling, stat, errmsg)
  end subroutine create_of_name

  subroutine queue_device(self, device, stat, errmsg)
    class(prism_queue), intent(in) :: self
    type(prism_device), intent(inout) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error, made
    integer(c_int32_t) :: status

    error = c_null_ptr
    status = prism_queue_device(self%handle(), made, error)
    if (status == prism_ok) call device%owner%hold(made)
    call resolve(status, error, stat, errmsg)
  end subroutine queue_device

  subroutine queue_wait(self, stat, errmsg)
    class(prism_queue), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error

    error = c_null_ptr
    call resolve(prism_queue_wait(self%handle(), error), error, stat, errmsg)
  end subroutine queue_wait

  function queue_handle(self) result(handle)
    class(prism_queue), intent(in) :: self
    type(c_ptr) :: handle
    handle = self%owner%value
  end function queue_handle

  subroutine event_wait(self, stat, errmsg)
    class(prism_event), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error

    error = c_null_ptr
    call resolve(prism_event_wait(self%handle(), error), error, stat, errmsg)
  end subroutine event_wait

  subroutine event_is_complete(self, answer, stat, errmsg)
    class(prism_event), intent(in) :: self
    logical, intent(out) :: answer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error
    integer(c_int32_t) :: found

    error = c_null_ptr
    found = prism_submitted
    call resolve(prism_event_status(self%handle(), found, error), error, stat, errmsg)
    answer = found == prism_complete
  end subroutine event_is_complete

  ! Nanoseconds, of a queue with profiling=.true. Waits.
  subroutine event_times(self, submitted, started, ended, stat, errmsg)
    class(prism_event), intent(in) :: self
    integer(int64), intent(out) :: submitted, started, ended
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error

    error = c_null_ptr
    submitted = 0
    started = 0
    ended = 0
    call resolve(prism_event_times(self%handle(), submitted, started, ended, error), error, stat, errmsg)
  end subroutine event_times

  function event_handle(self) result(handle)
    class(prism_event), intent(in) :: self
    type(c_ptr) :: handle
    handle = self%owner%value
  end function event_handle

  ! ---- memory

  subroutine memory_create(self, queue, stat, errmsg)
    class(prism_memory), intent(inout) :: self
    type(prism_queue), intent(in) :: queue
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error, made
    integer(c_int32_t) :: status

    call self%clear()
    error = c_null_ptr
    status = prism_queue_device(queue%handle(), made, error)
    if (status == prism_ok) then
      call self%owner%hold(made)
      self%queue = queue
      allocate (self%addresses(0))
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine memory_create

  ! The address of new memory, which ends with `self`.
  subroutine memory_take(self, bytes, address, stat, errmsg)
    class(prism_memory), intent(inout) :: self
    integer(int64), intent(in) :: bytes
    type(c_ptr), intent(out) :: address
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: error
    integer(c_int32_t) :: status

    address = c_null_ptr
    if (.not. self%owner%owns()) then
      call fail(prism_bad_handle, "prism_new: the memory was not created, or is a copy; create() makes it", stat, errmsg)
      return
    end if
    error = c_null_ptr
    status = prism_allocate(self%queue%handle(), prism_memory_shared, int(bytes, c_size_t), 0_c_size_t, address, error)
    if (status == prism_ok) self%addresses = [self%addresses, address]
    call resolve(status, error, stat, errmsg)
  end subroutine memory_take

  ! Frees all arrays, after the work that uses them. create() is needed before others are made.
  subroutine memory_clear(self)
    class(prism_memory), intent(inout) :: self
    type(c_ptr) :: ended, error
    integer :: i

    call self%owner%release(ended)
    if (c_associated(ended)) then
      do i = 1, size(self%addresses)
        error = c_null_ptr
        if (prism_free(self%addresses(i), error) /= prism_ok) call drop(error)
      end do
    end if
    if (allocated(self%addresses)) deallocate (self%addresses)
  end subroutine memory_clear

  impure elemental subroutine memory_finish(self)
    type(prism_memory), intent(inout) :: self
    call self%clear()
  end subroutine memory_finish

  ! ---- operations

  ! The operand with these extents and the addresses of its first element and of the last one of each dimension. So a section of an
  ! array is an operand as it is, without a copy.
  function strided(type, extents, bytes, first, last) result(view)
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: extents(:), bytes
    type(c_ptr), intent(in) :: first, last(:)
    type(prism_view) :: view
    integer(c_intptr_t) :: distance
    integer :: i

    view%type = type
    view%rank = size(extents)
    view%data = first
    view%stride(:size(extents)) = 1
    do i = 1, size(extents)
      view%extent(i) = extents(i)
      if (any(extents == 0) .or. extents(i) == 1) cycle
      distance = transfer(last(i), distance) - transfer(first, distance)
      view%stride(i) = distance / (bytes * (extents(i) - 1_c_intptr_t))
    end do
  end function strided

  ! The matrix by `trans`: 'N' as it is, 'T' transposed, 'C' transposed and conjugated.
  function transposed(view, trans) result(changed)
    type(prism_view), intent(in) :: view
    character, intent(in), optional :: trans
    type(prism_view) :: changed

    changed = view
    if (.not. present(trans)) return
    select case (trans)
    case ('N', 'n')
    case ('T', 't', 'C', 'c')
      changed%extent(:2) = view%extent(2:1:-1)
      changed%stride(:2) = view%stride(2:1:-1)
      if (trans == 'C' .or. trans == 'c') changed%flags = ior(view%flags, prism_conjugated)
    case default
      changed%rank = -1 ! which PRISM refuses
    end select
  end function transposed

  ! A grid for a transform. The dimension that a transform of real numbers halves is prism.h's last and Fortran's first.
  function grid_of(view, batched) result(grid)
    type(prism_view), intent(in) :: view
    logical, intent(in), optional :: batched
    type(prism_view) :: grid
    integer :: n

    grid = view
    n = view%rank
    if (present(batched)) then
      if (batched) then
        n = n - 1
        grid%flags = ior(grid%flags, prism_batched)
      end if
    end if
    grid%extent(:n) = view%extent(n:1:-1)
    grid%stride(:n) = view%stride(n:1:-1)
  end function grid_of

  function scaling_of(scaling) result(options)
    character(*), intent(in), optional :: scaling
    type(prism_options) :: options

    if (.not. present(scaling)) return
    select case (scaling)
    case ('none')
      options%kind = 0
    case ('size')
      options%kind = 1
    case ('orthonormal')
      options%kind = 2
    case default
      options%kind = -1 ! which PRISM refuses
    end select
  end function scaling_of

  ! Of a dense array; at most huge(), which no device has.
  function bytes_of(extents, each) result(bytes)
    integer, intent(in) :: extents(:), each
    integer(int64) :: bytes

    bytes = huge(bytes)
    if (product(real(max(extents, 0), real64)) * each < 2.0_real64**62) bytes = product(int(max(extents, 0), int64)) * each
  end function bytes_of

  ! Any operation of prism.h by its number: `operands` are made by prism_operand. The work runs after what the queue was given before.
  subroutine run_operation(queue, operation, operands, options, event, stat, errmsg)
    type(prism_queue), intent(in) :: queue
    integer(c_int32_t), intent(in) :: operation
    type(prism_view), intent(in) :: operands(:)
    type(prism_options), intent(in), optional :: options
    type(prism_event), intent(inout), optional :: event
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(prism_options) :: taken
    type(c_ptr), target :: made
    type(c_ptr) :: error, wanted, waits(0)
    integer(c_int32_t) :: status

    error = c_null_ptr
    wanted = c_null_ptr
    if (present(options)) taken = options
    if (present(event)) wanted = c_loc(made)
    status = submit(queue%handle(), operation, operands, size(operands, kind=c_size_t), taken, waits, 0_c_size_t, wanted, error)
    if (status == prism_ok .and. present(event)) call event%owner%hold(made)
    call resolve(status, error, stat, errmsg)
  end subroutine run_operation

  ! ---- arrays

  ! A copy of `bytes` bytes at `first`, of a dense array with these extents. PRISM's arrays have the order of C: the same memory is an
  ! array with the extents reversed, and its transpose, which costs nothing, has Fortran's.
  subroutine array_from_memory(self, type, extents, first, device, stat, errmsg)
    class(prism_array), intent(inout) :: self
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: extents(:)
    type(c_ptr), intent(in) :: first
    type(prism_device), intent(in), optional :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: reversed(prism_max_rank)
    type(c_ptr) :: error, made, on
    integer(c_int32_t) :: status
    type(prism_array) :: rows

    error = c_null_ptr
    on = c_null_ptr
    if (present(device)) on = device%handle()
    reversed = 0
    reversed(:size(extents)) = extents(size(extents):1:-1)
    status = prism_array_from_host(on, first, type, size(extents, kind=c_int32_t), reversed, made, error)
    if (status == prism_ok) then
      call rows%owner%hold(made)
      call self%apply("transpose", rows, stat=stat, errmsg=errmsg)
      return
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine array_from_memory

  ! Writes all elements in Fortran's order. The array must have this type and these extents. Waits.
  subroutine array_to_memory(self, type, extents, bytes, first, stat, errmsg)
    class(prism_array), intent(in) :: self
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: extents(:)
    integer(int64), intent(in) :: bytes
    type(c_ptr), intent(in) :: first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: found(prism_max_rank)
    integer(c_int32_t) :: found_type, rank, status
    type(c_ptr) :: error
    type(prism_array) :: rows
    character(200) :: message

    error = c_null_ptr
    found = 0
    status = prism_array_info(self%handle(), found_type, rank, found, error)
    if (status /= prism_ok) then
      call resolve(status, error, stat, errmsg)
      return
    end if
    if (found_type /= type .or. rank /= size(extents) .or. any(found(:size(extents)) /= extents)) then
      write (message, '(a,z4.4,a,*(1x,i0))') "prism_get: the array has type 0x", found_type, " and the extents", found(:rank)
      write (message(len_trim(message) + 1:), '(a,z4.4,a,*(1x,i0))') "; the argument has type 0x", type, " and the extents", extents
      call fail(prism_invalid, trim(message), stat, errmsg)
      return
    end if
    call rows%apply("transpose", self, stat=stat, errmsg=errmsg)
    if (present(stat)) then
      if (stat /= prism_ok) return
    end if
    call resolve(prism_array_to_host(rows%handle(), first, int(bytes, c_size_t), error), error, stat, errmsg)
  end subroutine array_to_memory

  subroutine array_shape(self, extents, stat, errmsg)
    class(prism_array), intent(in) :: self
    integer, allocatable, intent(inout) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: found(prism_max_rank)
    integer(c_int32_t) :: type, rank, status
    type(c_ptr) :: error

    error = c_null_ptr
    status = prism_array_info(self%handle(), type, rank, found, error)
    if (status == prism_ok) extents = int(found(:rank))
    call resolve(status, error, stat, errmsg)
  end subroutine array_shape

  ! `what`: "str", or "explain": the launches that evaluating would make.
  subroutine array_text(self, what, text, stat, errmsg)
    class(prism_array), intent(in) :: self
    character(*), intent(in) :: what
    character(:), allocatable, intent(inout) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: asked
    character(kind=c_char), allocatable, target :: letters(:)
    type(c_ptr) :: error
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status

    error = c_null_ptr
    asked = what // c_null_char
    status = prism_array_text(self%handle(), c_loc(asked), c_null_ptr, 0_c_size_t, needed, error)
    if (status == prism_ok) then
      allocate (letters(needed))
      status = prism_array_text(self%handle(), c_loc(asked), c_loc(letters), needed, needed, error)
      if (status == prism_ok) text = text_of(letters)
    end if
    call resolve(status, error, stat, errmsg)
  end subroutine array_text

  function array_handle(self) result(handle)
    class(prism_array), intent(in) :: self
    type(c_ptr) :: handle
    handle = self%owner%value
  end function array_handle

  ! self = function(x), of dimension `dim` (sum, sort, ...). `dim` counts from 1; indices that functions give count from 0.
  subroutine apply_to_array(self, function, x, dim, descending, stat, errmsg)
    class(prism_array), intent(inout) :: self
    character(*), intent(in) :: function
    class(prism_array), intent(in) :: x
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: descending
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(prism_given) :: arguments(3)
    integer :: count

    arguments(1) = given_array(x)
    count = 1
    if (present(dim) .or. present(descending)) then
      count = 2
      if (present(dim)) then
        arguments(2)%kind = prism_given_integer
        arguments(2)%integer = dim - 1
      end if
    end if
    if (present(descending)) then
      count = 3
      arguments(3)%kind = prism_given_bool
      arguments(3)%integer = merge(1, 0, descending)
    end if
    call make(self, function, arguments(:count), stat, errmsg)
  end subroutine apply_to_array

  ! self = function(x, y): "add", "matmul", "take", ...
  subroutine apply_to_two(self, function, x, y, dim, stat, errmsg)
    class(prism_array), intent(inout) :: self
    character(*), intent(in) :: function
    class(prism_array), intent(in) :: x, y
    integer, intent(in), optional :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(prism_given) :: arguments(3)

    arguments(1) = given_array(x)
    arguments(2) = given_array(y)
    if (present(dim)) then
      arguments(3)%kind = prism_given_integer
      arguments(3)%integer = dim - 1
    end if
    call make(self, function, arguments(:merge(3, 2, present(dim))), stat, errmsg)
  end subroutine apply_to_two

  ! self = function(x, number): "multiply", "pow", ...
  subroutine apply_to_number(self, function, x, number, stat, errmsg)
    class(prism_array), intent(inout) :: self
    character(*), intent(in) :: function
    class(prism_array), intent(in) :: x
    real(real64), intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(prism_given) :: arguments(2)

    arguments(1) = given_array(x)
    arguments(2)%kind = prism_given_real
    arguments(2)%number(1) = number
    call make(self, function, arguments, stat, errmsg)
  end subroutine apply_to_number

  function given_array(x) result(given)
    class(prism_array), intent(in) :: x
    type(prism_given) :: given
    given%kind = prism_given_array
    given%data = x%handle()
  end function given_array

  subroutine make(self, function, arguments, stat, errmsg)
    class(prism_array), intent(inout) :: self
    character(*), intent(in) :: function
    type(prism_given), intent(in) :: arguments(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, kind=c_char), allocatable, target :: name
    type(c_ptr) :: error, made(1)
    integer(c_size_t) :: count
    integer(c_int32_t) :: status

    error = c_null_ptr
    name = function // c_null_char
    status = prism_array_call(c_loc(name), c_null_ptr, arguments, size(arguments, kind=c_size_t), made, 1_c_size_t, count, error)
    if (status == prism_ok) call self%owner%hold(made(1))
    call resolve(status, error, stat, errmsg)
  end subroutine make
end module prism_objects
