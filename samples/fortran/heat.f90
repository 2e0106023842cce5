! A plate with the temperature sin(x) + cos(2 y) / 2 cools: the heat equation on a periodic square, solved by Fourier transforms on the
! device, step by step, and a fit of the decay by least squares. Exit status 0 if the numbers are those of the exact solution.
!
! The first wave decays as exp(-k t), the second one as exp(-4 k t).
program heat
  use, intrinsic :: iso_fortran_env, only: real32
  use prism
  implicit none
  integer, parameter :: n = 64, steps = 8
  real(real32), parameter :: pi = acos(-1.0_real32), k = 0.1, dt = 0.5
  type(prism_queue) :: queue
  type(prism_memory) :: memory
  type(prism_device) :: device
  character(:), allocatable :: name
  real(real32), pointer :: plate(:, :), a(:, :), logarithm(:), fit(:)
  complex(real32), pointer :: waves(:, :)
  real(real32) :: x(n), decay(n / 2 + 1, n), first, exact(n, n), difference
  integer :: i, j, step

  call queue%create()
  call queue%device(device)
  call device%text("name", name)
  print '(2a)', "device: ", name
  call memory%create(queue)
  call prism_new(memory, plate, n, n)
  call prism_new(memory, waves, n / 2 + 1, n)
  call prism_new(memory, a, steps, 2)
  call prism_new(memory, logarithm, steps)
  call prism_new(memory, fit, 2)

  x = [(2 * pi * real(i - 1) / n, i=1, n)]
  do j = 1, n
    plate(:, j) = sin(x) + cos(2 * x(j)) / 2
    decay(:, j) = exp(-k * dt * ([(real(i), i=0, n / 2)]**2 + real(min(j - 1, n - j + 1))**2))
  end do
  do step = 1, steps
    call prism_fft_forward(queue, plate, waves)
    call queue%wait()
    waves = waves * decay
    call prism_fft_backward(queue, waves, plate, scaling='size')
    call queue%wait()
    first = 2 * sum(sin(x) * plate(:, 1)) / n
    a(step, :) = [1.0_real32, step * dt]
    logarithm(step) = log(first)
  end do
  call prism_least_squares(queue, a, logarithm, fit)

  do j = 1, n
    exact(:, j) = exp(-k * dt * steps) * sin(x) + exp(-4 * k * dt * steps) * cos(2 * x(j)) / 2
  end do
  difference = maxval(abs(plate - exact))
  print '(a, f6.4, a, f6.4)', "conductivity by the fit: ", -fit(2), ", given: ", k
  print '(a, es8.1)', "largest difference from the exact temperature:", difference
  if (difference > 1e-5 .or. abs(fit(2) + k) > 1e-4) error stop 1
end program heat
