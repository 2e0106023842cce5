// Fourier and cosine transforms of one to three dimensions, on every device: the library's own kernels, or a
// provider's (<prism/provider.h>). Link prism::operations.
//
//   sycl::queue queue;
//   std::complex<float>* data = ...;                                 // USM; or sycl::buffer with the same
//   views prism::fft::forward(queue, prism::fft::grid(data, {512, 512}));  // in place const prism::fft::plan
//   plan(queue, prism::fft::direction::forward, from, to);  // prepared once, plan(queue, from, to); //
//   copied cheaply, run by any thread
//
// Operands are grids (<prism/fft/grid.hpp>): extents, strides of any sign, and a batch. Element types are
// float, double and half, and std::complex of each; half is storage, computed in float. What is transformed
// follows from the types: complex to complex; real to complex (forward) and complex to real (backward), where
// the last dimension of the complex side has n / 2 + 1 points, those of the half that determines the rest.
//
// forward:  X[k] = scale * sum over j of x[j] exp(-2 pi i j k / n), in each dimension; backward: exp(+...).
// Without a scale a transform and its opposite multiply by the number of points. Any n is computed in
// O(n log n) operations. Of the points that a backward transform to real numbers reads, the imaginary part
// of point 0, and of point n / 2 for an even n, counts as 0.
//
// In place: `in` and `out` begin at the same element and have the same strides; with a real side, the strides
// of all dimensions but the last agree in bytes, and those of the last are 1. Other overlaps of what is read
// and written are not detected. What is only read is not changed. Elements of `out` must not overlap.
//
// Every function submits commands and returns at once with the event of the last one. They start after
// `depends`, and after what the queue or the buffers order before them. Temporary memory, which only sizes
// need that do not fit a work-group, and cosine transforms and half, is taken from the device and given back
// when the commands are complete. Plans for the functions without a plan are remembered, 256 of them.
//
// Errors are thrown by the call: errc::invalid where extents disagree, with the numbers, where a view is
// impossible or an overlap is seen; errc::feature_not_supported where the device lacks the type. What goes
// wrong while a command runs is an asynchronous error of the queue.
//
// Accuracy: the relative L2 error grows as sqrt(log n); docs/operations-fft.md has a table. Tables of roots
// are computed in long double and rounded once. Sources of the algorithms: kernels/fft/planner.cpp.
#pragma once

#include <prism/fft/request.hpp>

namespace prism::fft {

/// Multiplies the result: nothing, 1 / number of points, 1 / sqrt(number of points); times `scale`.
enum class norm : std::uint8_t { none, by_size, orthonormal };
struct options {
  norm normalisation = norm::none;
  double scale = 1;
};

/// The cosine transforms I to IV, with FFTW's factors (REDFT00, 10, 01, 11): II is
/// Y[k] = 2 sum of x[j] cos(pi (j + 1/2) k / n), III with a scale of 1 / (2 n) its inverse; I and IV are
/// their own inverses, with 1 / (2 (n - 1)) and 1 / (2 n). I needs at least 2 points in each dimension. The
/// factors of `norm` are those of a round trip: 1 / (2 n) and its root, of each dimension.
enum class cosine : std::uint8_t { one = 1, two, three, four };

using events = std::vector<sycl::event>;

/// A transform of operands of one shape on one device. Copies share what was prepared; any number of threads
/// may run one plan. The constructor may take milliseconds.
class plan {
public:
  template <typename In, typename Out, typename From, typename To>
  plan(const sycl::queue& queue, direction way, const grid_view<In, From>& in, const grid_view<Out, To>& out,
       const options& how = {})
      : m_state(detail::prepare(queue, detail::described(way, in, out, how.scale, int(how.normalisation)))) {}
  template <typename In, typename Out, typename From, typename To>
  plan(const sycl::queue& queue, cosine kind, const grid_view<In, From>& in, const grid_view<Out, To>& out,
       const options& how = {})
      : m_state(detail::prepare(
            queue, detail::described_cosine(int(kind), in, out, how.scale, int(how.normalisation)))) {}

  /// `in` and `out` have the shapes of the plan (errc::invalid); where they are may differ, but only operands
  /// at the same element are transformed in place.
  template <typename In, typename Out, typename From, typename To>
  sycl::event operator()(sycl::queue& queue, const grid_view<In, From>& in, const grid_view<Out, To>& out,
                         const events& depends = {}) const {
    return detail::run(queue, m_state, detail::described_as(m_state, in, out), detail::memory_of(in),
                       detail::memory_of(out), depends);
  }
  /// Bytes of tables, and of the temporary memory of each run.
  std::size_t table_bytes() const { return detail::table_bytes(m_state); }
  std::size_t temporary_bytes() const { return detail::temporary_bytes(m_state); }

private:
  std::shared_ptr<const detail::state> m_state;
};

namespace detail {

template <typename In, typename Out, typename From, typename To>
sycl::event run_once(sycl::queue& queue, const description& what, const grid_view<In, From>& in,
                     const grid_view<Out, To>& out, const events& depends) {
  return run(queue, remembered(queue, what), what, memory_of(in), memory_of(out), depends);
}

} // namespace detail

/// Complex or real numbers to complex ones. Grids of other views: `grid_view(view)`.
template <typename In, typename Out, typename From, typename To>
sycl::event forward(sycl::queue& queue, const grid_view<In, From>& in, const grid_view<Out, To>& out,
                    const options& how = {}, const events& depends = {}) {
  return detail::run_once(queue,
                          detail::described(direction::forward, in, out, how.scale, int(how.normalisation)),
                          in, out, depends);
}
/// Complex numbers to complex or real ones.
template <typename In, typename Out, typename From, typename To>
sycl::event backward(sycl::queue& queue, const grid_view<In, From>& in, const grid_view<Out, To>& out,
                     const options& how = {}, const events& depends = {}) {
  return detail::run_once(queue,
                          detail::described(direction::backward, in, out, how.scale, int(how.normalisation)),
                          in, out, depends);
}
/// Complex numbers in place.
template <typename T, typename Place>
sycl::event forward(sycl::queue& queue, const grid_view<T, Place>& data, const options& how = {},
                    const events& depends = {}) {
  return forward(queue, data, data, how, depends);
}
template <typename T, typename Place>
sycl::event backward(sycl::queue& queue, const grid_view<T, Place>& data, const options& how = {},
                     const events& depends = {}) {
  return backward(queue, data, data, how, depends);
}
/// Cosine transforms of real numbers, in each dimension.
template <typename In, typename Out, typename From, typename To>
sycl::event cosines(sycl::queue& queue, cosine kind, const grid_view<In, From>& in,
                    const grid_view<Out, To>& out, const options& how = {}, const events& depends = {}) {
  return detail::run_once(queue,
                          detail::described_cosine(int(kind), in, out, how.scale, int(how.normalisation)), in,
                          out, depends);
}

} // namespace prism::fft
