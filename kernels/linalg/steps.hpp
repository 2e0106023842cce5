// The steps of which the decompositions on a device consist: kernels on parts of operands, tasks of the host
// on temporary memory, and the order between them. A decomposition is a sequence: each step begins when the
// one before it is complete. Temporary memory is a buffer, which lives until the last step that uses it is
// complete. Submits, never waits.
#pragma once

#include "kernels/blas/product.hpp"
#include "kernels/linalg/host/dense.hpp"
#include "kernels/provider/run.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace prism::linalg {

using blas::events;
using blas::factor;
using blas::matrix;
using blas::parts_of;
using blas::place;
using blas::real_of;
using blas::vector;
using indices = blas::vector<std::int64_t>;

/// Steps of one call, one after the other.
struct sequence {
  sycl::queue& queue;
  events before;
  void then(const sycl::event& done) { before.assign(1, done); }
  /// The event of all so far.
  sycl::event end() const {
    return before.size() == 1 ? before.front() : queue.ext_oneapi_submit_barrier(before);
  }
};

enum class part : std::uint8_t { all, lower, upper };

/// Temporary memory: contiguous columns.
template <typename T>
matrix<T> temporary(std::size_t rows, std::size_t columns) {
  constexpr std::ptrdiff_t parts = parts_of<T>;
  const std::size_t count = std::max<std::size_t>(1, rows * columns * parts_of<T>);
  return {place<real_of<T>>(sycl::buffer<real_of<T>, 1>{sycl::range<1>(count)}), rows, columns, parts,
          parts * static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, rows))};
}
template <typename T>
vector<T> temporary_vector(std::size_t size) {
  return temporary<T>(size, 1).column();
}

/// The part of `to`, element by element, = what `from` means (its form, its conjugate); they do not overlap.
template <typename T>
void copy(sequence& s, const matrix<T>& from, const matrix<T>& to, part which = part::all);
template <typename T>
void copy(sequence& s, const vector<T>& from, const vector<T>& to);
/// Element i of `to` = first + i step.
void set(sequence& s, const indices& to, std::int64_t first, std::int64_t step);
/// Of two infos: before + first where first is more than 0, else second.
void combine(sequence& s, const indices& first, std::int64_t before, const indices& second,
             const indices& to);
/// `to` = the number, from 1, of the first zero on the diagonal, or 0.
template <typename T>
void first_zero(sequence& s, const matrix<T>& a, const indices& to);
/// `diagonal` on the diagonal, `other` elsewhere.
template <typename T>
void fill(sequence& s, const matrix<T>& to, real_of<T> other, real_of<T> diagonal);
/// Rows i and pivots[i] exchanged for i = first ... first + count - 1, in this order or in the other one.
template <typename T>
void exchange_rows(sequence& s, const matrix<T>& a, const indices& pivots, std::size_t first,
                   std::size_t count, bool backwards = false);
/// Row i of A divided by by[i], or 0 where by[i] <= least * by[0]; `rank`: how many are not.
template <typename T>
void divide_rows(sequence& s, const matrix<T>& a, const vector<real_of<T>>& by, real_of<T> least,
                 const indices& rank);
/// Elements (i, j) and (j, i) exchanged.
template <typename T>
void transpose_square(sequence& s, const matrix<T>& a);

enum class norm_kind : std::uint8_t { one, infinity, frobenius, largest };
template <typename T>
void norm(sequence& s, norm_kind kind, const matrix<T>& a, const vector<real_of<T>>& to);
/// The determinant of P L U: sign (of absolute value 1, or 0) and natural logarithm of the absolute value; or
/// the determinant itself in `sign` where `log` has no elements.
template <typename T>
void determinant_of_lu(sequence& s, const matrix<T>& lu, const indices& pivots, const vector<T>& sign,
                       const vector<real_of<T>>& log);

/// C = alpha A B + beta C.
template <typename T>
void multiply(sequence& s, real_of<T> alpha, const matrix<T>& a, const matrix<T>& b, real_of<T> beta,
              const matrix<T>& c);
/// B = inv(A) B for a triangle of A.
template <typename T>
void solve_triangle(sequence& s, const matrix<T>& a, bool lower, bool unit, const matrix<T>& b);
template <typename T>
matrix<T> adjoint(const matrix<T>& a) {
  return a.transposed().conjugated();
}

/// The memory of a buffer in the host's code.
template <typename Real>
struct host_memory {
  Real* first;
  Real& operator[](std::size_t i) const { return first[i]; }
};
/// A temporary matrix as the host's decompositions see it.
template <typename T, typename Real>
host::dense<number<T>> seen(const host_memory<Real>& memory, const matrix<T>& a) {
  return {reinterpret_cast<number<T>*>(memory.first + a.where.offset), host::count(a.rows),
          host::count(a.columns), std::max<host::count>(1, a.column_stride / parts_of<T>)};
}

inline bool is_host_device(const sequence& s) {
  return s.queue.get_device().get_backend() == sycl::backend::ext_prism_host;
}

/// Memory that a command only reads.
template <typename Real>
struct only_read : place<Real> {
  explicit only_read(const place<Real>& of) : place<Real>(of) {}
};

/// work(pointers to the first elements) as a command of the host device, which needs no thread of its own.
/// `where`: a place or an only_read each.
template <typename Work, typename... Places>
void on_host_device(sequence& s, Work work, const Places&... where) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    int next = 0;
    const auto add = [&]<typename Place>(const Place& each) {
      using real = std::remove_pointer_t<decltype(each.pointer)>;
      if (!each.buffer) return h.set_arg(next++, each.pointer);
      sycl::buffer<real, 1> all = *each.buffer;
      if constexpr (std::is_same_v<Place, only_read<real>>)
        h.set_arg(next++, sycl::accessor(all, h, sycl::read_only));
      else h.set_arg(next++, sycl::accessor(all, h, sycl::read_write));
    };
    (add(where), ...);
    h.prism_native([work = std::move(work),
                    offset = std::tuple(where.offset...)](const prism::native_work& now) -> void* {
      const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
        work(static_cast<decltype(Places::pointer)>(now.arguments[I].pointer) + std::get<I>(offset)...);
      };
      call(std::index_sequence_for<Places...>());
      return nullptr;
    });
  }));
}

/// work(host_memory of each buffer) on the host: as a command of the host device, else as a host task.
template <typename Work, typename... Elements>
void on_host(sequence& s, Work work, const sycl::buffer<Elements, 1>&... buffers) {
  if (is_host_device(s))
    return on_host_device(s, [work = std::move(work)](Elements*... first) {
      work(host_memory<Elements>{first}...);
    }, place<Elements>(buffers)...);
  s.then(s.queue.submit([&](sycl::handler& h) {
    using sycl::access_mode, sycl::target;
    h.depends_on(s.before);
    h.host_task([work = std::move(work),
                 memory = std::tuple(sycl::accessor<Elements, 1, access_mode::read_write, target::host_task>(
                     const_cast<sycl::buffer<Elements, 1>&>(buffers), h)...)] {
      std::apply([&](const auto&... each) { work(host_memory<Elements>{&each[0]}...); }, memory);
    });
  }));
}

} // namespace prism::linalg
