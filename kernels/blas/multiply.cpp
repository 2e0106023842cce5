// Chooses the library's own product for a call, and handles the cases around it: C with contiguous rows, an
// empty sum, a vector in place of a matrix, a mirrored operand that must be copied.
#include "kernels/blas/packed_batch.hpp"
#include "kernels/blas/skinny.hpp"

#include <algorithm>
#include <cstdlib>

namespace prism::blas {
namespace {

constexpr std::size_t least_columns = 5; // fewer fit the register tiles

template <typename T>
bool writes_rows(const matrix<T>& c) {
  return std::abs(c.column_stride) <= std::abs(c.row_stride);
}

/// Copies the elements that `a` stands for into separate memory.
template <typename T>
matrix<T> whole(sycl::queue& queue, const matrix<T>& a, const events& depends) {
  using real = real_of<T>;
  constexpr std::size_t parts = parts_of<T>;
  sycl::buffer<real> made{sycl::range<1>(a.size() * parts)};
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor to(made, h, sycl::write_only, sycl::no_init);
    const auto from = a.read(h);
    const std::size_t columns = a.columns;
    h.parallel_for(sycl::range<2>(a.rows, a.columns), [=](sycl::id<2> at) {
      real value[parts];
      from.placed().read(at[0], at[1], value);
      for (std::size_t p = 0; p < parts; ++p) to[(at[0] * columns + at[1]) * parts + p] = value[p];
    });
  });
  return {place<real>(made), a.rows, a.columns, static_cast<std::ptrdiff_t>(a.columns * parts),
          static_cast<std::ptrdiff_t>(parts)};
}

/// Trials are of square matrices. Their parameters are used where no extent is more than four times another.
template <typename T>
bool is_like_a_square(const product<T>& what) {
  const auto [least, most] = std::minmax({what.c.rows, what.c.columns, what.a.columns});
  return most <= 4 * least;
}

/// Whether one thread computes the product in the time in which B would be packed by another kernel, and its
/// operands are general matrices.
template <typename T>
bool is_small(const product<T>& what) {
  constexpr std::size_t few = 48 * 48 * 48; // multiplications
  return what.all && what.a.kind == form::general && what.b.kind == form::general &&
         what.c.columns >= least_columns && what.c.size() * what.a.columns <= few;
}

/// A single product that is not a vector's, by the method for the device.
template <typename T>
sycl::event multiply_anywhere(sycl::queue& queue, const product<T>& what, const events& depends) {
  const sycl::device device = queue.get_device();
  product<T> plain = what;
  if constexpr (parts_of<T> == 1)
    if (what.how.how == gemm_parameters::method::by_device && is_like_a_square(what))
      plain.how =
          tuned_parameters(device, std::is_same_v<T, double>, double(what.c.size()) * double(what.a.columns));
  const bool is_host = device.get_backend() == sycl::backend::ext_prism_host,
             can_pack = is_host || (parts_of<T> == 1 && runs_packed(device));
  if constexpr (parts_of<T> == 1)
    if (can_pack && plain.how.how == gemm_parameters::method::by_device)
      if (const auto done = multiply_skinny(queue, plain, depends)) return *done;
  if constexpr (parts_of<T> == 1)
    if (can_pack && plain.how.how == gemm_parameters::method::by_device && is_small(plain))
      if (const auto done = multiply_packed_batch(queue, plain, depends)) return *done;
  if constexpr (parts_of<T> == 1)
    if (can_pack && !is_host && has_wide_vectors(device) &&
        plain.how.how != gemm_parameters::method::registers)
      return multiply_packed_half(queue, plain, depends);
  if (can_pack && plain.how.how != gemm_parameters::method::registers)
    return has_wide_vectors(device) ? multiply_packed_wide(queue, plain, depends)
                                    : multiply_packed_narrow(queue, plain, depends);
  if (what.a.kind != form::general) plain.a = whole(queue, what.a, depends);
  if (what.b.kind != form::general) plain.b = whole(queue, what.b, depends);
  return multiply_in_registers(queue, plain, depends);
}

} // namespace

template <typename T>
sycl::event scale(sycl::queue& queue, const product<T>& what, const events& depends) {
  using real = real_of<T>;
  if (what.beta.is(real(1)) && !what.real_diagonal) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const gemm_target<real> all = what.target(h);
    h.parallel_for(sycl::range<2>(what.c.rows, what.c.columns), [=](sycl::id<2> at) {
      const gemm_target<real> c = all.placed();
      if (!c.has(at[0], at[1])) return;
      real* const to = c.data + (static_cast<std::ptrdiff_t>(at[0]) * c.row_stride +
                                 static_cast<std::ptrdiff_t>(at[1]) * c.column_stride);
      const real* const beta = c.beta.parts;
      if constexpr (parts_of<T> == 1) {
        to[0] = c.reads ? beta[0] * to[0] : real(0);
      } else {
        const bool is_real = c.real_diagonal && at[0] == at[1];
        const real re = c.reads ? to[0] : real(0), im = c.reads && !is_real ? to[1] : real(0);
        to[0] = c.reads ? beta[0] * re - beta[1] * im : real(0);
        to[1] = c.reads && !is_real ? beta[0] * im + beta[1] * re : real(0);
      }
    });
  });
}

/// Large products one after the other, each on the whole device; small ones in one kernel: on processors a
/// few products for each work-item, elsewhere a few work-items for each product.
template <typename T>
sycl::event multiply_batch(sycl::queue& queue, const product<T>& what, const events& depends) {
  constexpr std::size_t small = 64 * 64 * 64;
  if (what.a.columns != 0 && !what.alpha.is(real_of<T>(0)) && what.c.size() * what.a.columns <= small) {
    const product<T> by_rows = writes_rows(what.c) ? what : what.transposed();
    const sycl::device device = queue.get_device();
    if constexpr (parts_of<T> == 1)
      if (by_rows.c.columns >= least_columns &&
          (device.get_backend() == sycl::backend::ext_prism_host || runs_packed(device)))
        if (std::optional<sycl::event> done = multiply_packed_batch(queue, by_rows, depends)) return *done;
    return multiply_in_registers(queue, by_rows, depends);
  }
  events done;
  for (std::size_t i = 0; i < what.count; ++i) done.push_back(multiply<T>(queue, what.number(i), depends));
  return queue.ext_oneapi_submit_barrier(done);
}

template <typename T>
sycl::event multiply(sycl::queue& queue, const product<T>& what, const events& depends) {
  using real = real_of<T>;
  if (what.c.size() == 0 || what.count == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (what.count > 1) return multiply_batch(queue, what, depends);
  if (what.alpha.is(real(0)) || what.a.columns == 0)
    return scale(queue, writes_rows(what.c) ? what : what.transposed(), depends);
  // A vector has no form: the imaginary part of a Hermitian matrix of one element is not read.
  if (what.all && what.c.columns == 1 && what.b.kind == form::general)
    return multiply_vector<T>(queue, what.alpha, what.a, what.b.column(), what.beta, what.c.column(),
                              depends);
  if (what.all && what.c.rows == 1 && what.a.kind == form::general)
    return multiply_vector<T>(queue, what.alpha, what.b.transposed(), what.a.row(), what.beta, what.c.row(),
                              depends);
  return multiply_anywhere(queue, writes_rows(what.c) ? what : what.transposed(), depends);
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event scale<T>(sycl::queue&, const product<T>&, const events&);                             \
  template sycl::event multiply<T>(sycl::queue&, const product<T>&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::blas
