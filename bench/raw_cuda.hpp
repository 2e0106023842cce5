// The workload in hand-written CUDA C with plain calls of CUDA's driver: what PRISM on an NVIDIA device is
// compared with. The objects use `side`, which must outlive them.
#pragma once

#include "bench/cuda_side.hpp"
#include "bench/workload.hpp"

namespace bench {

std::unique_ptr<kernel_set> make_cuda_set(const workload& work, cuda_side& side);
/// One launch: cuLaunchKernel of axpy.
std::unique_ptr<submitter> make_cuda_submitter(cuda_side& side, std::size_t items);

} // namespace bench
