// The two kernels of attention: by tiles on processors, by work-items with a few queries on all other
// devices.
#pragma once

#include "kernels/nn/steps.hpp"

namespace prism::nn {

/// On the host device and on OpenCL's processors (`blas::runs_packed`); nothing where a block of queries does
/// not fit the local memory.
template <typename R>
std::optional<sycl::event> attend_by_tiles(sycl::queue& queue, R scale, bool causal, const tensor4<R>& q,
                                           const tensor4<R>& k, const tensor4<R>& v,
                                           const std::optional<tensor4<R>>& mask, const tensor4<R>& y,
                                           const events& depends);

} // namespace prism::nn
