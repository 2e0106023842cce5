// Elements that a kernel computes by calling other kernels of its graph. These write each element of a buffer
// with property::promote_private, in one kernel or several that are fused. The graph is finalized with
// property::graph::perform_fusion. The buffer has no memory then: each call of element_number() computes the
// element where it is needed, in the launch of the kernel that calls it. On the host device, and where
// kernels cannot be fused, finalize() refuses such a kernel (errc::kernel_not_supported) and states why.
//
// The calling kernel must not write memory that the other kernels read.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/kernel_abi.hpp>
#include <sycl/handler.hpp>

#include <type_traits>

namespace prism::detail {

/// In a command group: its kernel calls elements of the buffer.
template <typename T>
void require_elements(sycl::buffer<T>& of, sycl::handler& h) {
  const sycl::accessor read(of, h, sycl::read_only); // the kernel must not capture it
}

/// In the kernel: number `part` of element `index`; an element has several if it is complex. `part` is a
/// constant.
template <typename N>
N element_number(std::uint32_t index, std::uint32_t part) {
  if constexpr (std::is_same_v<N, float>) return __prism_element_f32(index, part);
  else if constexpr (std::is_same_v<N, double>) return __prism_element_f64(index, part);
  else {
    static_assert(std::is_integral_v<N> && sizeof(N) == 8,
                  "numbers are float, double or integers of 64 bits");
    return static_cast<N>(__prism_element_i64(index, part));
  }
}

} // namespace prism::detail
