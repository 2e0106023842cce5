// The kernels of a plan's steps: each submits one command and returns its event at once.
#pragma once

#include "kernels/blas/operand.hpp"
#include "kernels/fft/steps.hpp"

namespace prism::fft {

using blas::place;
using events = std::vector<sycl::event>;

/// The memories of a step, found for one call. `in` is not written.
template <typename Real>
struct bound {
  place<Real> in, out, reals;
  place<std::int32_t> ints;
};

/// The bytes of the vectors that the host device computes with: those of its registers.
std::size_t vector_bytes();
/// On the host device, by vectors of `vector_bytes()` (vector_leaf.hpp).
template <typename Real>
sycl::event run_in_vectors(sycl::queue& queue, const leaf<Real>& what, const bound<Real>& with,
                           const events& depends);
/// Likewise, of the steps for which `maps_in_vectors` is true (vector_map.hpp).
template <typename Real>
bool maps_in_vectors(const map<Real, Real, Real>& what);
template <typename Real>
sycl::event map_in_vectors(sycl::queue& queue, const map<Real, Real, Real>& what, const bound<Real>& with,
                           const events& depends);
/// On all devices: the work-items of a group share a few transforms in local memory.
template <typename Real>
sycl::event run_in_groups(sycl::queue& queue, const leaf<Real>& what, const bound<Real>& with,
                          const events& depends);
/// A work-item does one point.
template <typename Real>
sycl::event run_map(sycl::queue& queue, const map<Real, Real, Real>& what, const bound<Real>& with,
                    const events& depends);
/// Copies that convert.
sycl::event run_from_half(sycl::queue& queue, const map<float, float, float>& what,
                          const place<sycl::half>& in, const place<float>& out, const events& depends);
sycl::event run_to_half(sycl::queue& queue, const map<float, float, float>& what, const place<float>& in,
                        const place<sycl::half>& out, const events& depends);

/// `what` with its memories as a command group captures them.
template <typename Step, typename Real>
Step captured(const Step& what, const bound<Real>& with, sycl::handler& h) {
  Step out = what;
  out.in.data = with.in.read_only(h), out.in.offset += with.in.offset;
  out.out.data = with.out.read_write(h), out.out.offset += with.out.offset;
  out.reals = with.reals.read_only(h), out.reals_offset = with.reals.offset;
  if constexpr (std::is_same_v<Step, leaf<Real>>)
    out.ints = with.ints.read_only(h), out.ints_offset = with.ints.offset;
  return out;
}

} // namespace prism::fft
