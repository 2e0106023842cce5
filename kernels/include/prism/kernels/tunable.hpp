// GEMM and reduction with their parameters open, for the tuner: the space of a device, the configuration that
// the library starts with, and the kernel of any configuration. Same rules as blas.hpp.
#pragma once

#include <prism/tuner.hpp>
#include <sycl/sycl.hpp>

namespace prism::kernels {

/// Which work-group sizes are tried: both families have about as many.
enum class block_family { powers_of_two, fibonacci };

/// "style" tiled (tiles in local memory, one element a work-item) or blocked (rows x columns elements a
/// work-item, in registers), "group_y" x "group_x" work-items in a group.
parameter_space gemm_space(const sycl::device& device, block_family family = block_family::powers_of_two);
/// What gemm() does.
configuration gemm_initial(const sycl::device& device, block_family family = block_family::powers_of_two);
/// c = alpha a b + beta c. Throws sycl::exception (invalid) for a configuration that no space has.
sycl::event gemm_with(sycl::queue& queue, const configuration& how, float alpha, sycl::buffer<float, 2>& a,
                      sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c);

/// "style" library (sycl::reduction), strided (neighbours read neighbours) or blocked (each work-item its own
/// part), "groups" of "group" work-items.
parameter_space reduce_space(const sycl::device& device, std::size_t items,
                             block_family family = block_family::powers_of_two);
/// What reduce() does.
configuration reduce_initial(const sycl::device& device, block_family family = block_family::powers_of_two);
/// result[0] = sum of x.
sycl::event reduce_with(sycl::queue& queue, const configuration& how, sycl::buffer<float>& x,
                        sycl::buffer<float>& result);

} // namespace prism::kernels
