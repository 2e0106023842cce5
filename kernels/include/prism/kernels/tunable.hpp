// GEMM and reduction with explicit parameters, for the tuner: the parameter space for a device, the library's
// initial configuration, and the kernel of any configuration. The rules of blas.hpp apply.
#pragma once

#include <prism/tuner.hpp>
#include <sycl/sycl.hpp>

namespace prism::kernels {

/// The work-group sizes to try; both families have about the same number.
enum class block_family { powers_of_two, fibonacci };

/// "style": tiled (tiles in local memory, one element per work-item) or blocked (rows x columns elements per
/// work-item, in registers). "group_y" x "group_x" work-items in a group.
parameter_space gemm_space(const sycl::device& device, block_family family = block_family::powers_of_two);
/// The configuration that gemm() uses.
configuration gemm_initial(const sycl::device& device, block_family family = block_family::powers_of_two);
/// c = alpha a b + beta c. Throws sycl::exception (invalid) for a configuration outside of every space.
sycl::event gemm_with(sycl::queue& queue, const configuration& how, float alpha, sycl::buffer<float, 2>& a,
                      sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c);

/// "style": library (sycl::reduction), strided (adjacent work-items read adjacent elements) or blocked (each
/// work-item has a contiguous range). "groups" of "group" work-items.
parameter_space reduce_space(const sycl::device& device, std::size_t items,
                             block_family family = block_family::powers_of_two);
/// The configuration that reduce() uses.
configuration reduce_initial(const sycl::device& device, block_family family = block_family::powers_of_two);
/// result[0] = sum of x.
sycl::event reduce_with(sycl::queue& queue, const configuration& how, sycl::buffer<float>& x,
                        sycl::buffer<float>& result);

} // namespace prism::kernels
