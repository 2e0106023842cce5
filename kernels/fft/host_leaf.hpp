// The host device's transforms: vector_leaf.hpp compiled for several instruction sets.
#pragma once

#include "kernels/blas/host_isa.hpp"
#include "kernels/fft/map.hpp"

namespace prism::fft {

using isa_baseline = host_isa::baseline;
using isa_v3 = host_isa::v3;
using isa_v4 = host_isa::v4;

/// Blocks `first` to `last` - 1 of `what`; `memory` as vector_leaf's.
template <typename Real, typename Isa>
void run_blocks(const leaf<Real>& what, Real* memory, std::size_t first, std::size_t last);

/// Points `first` to `last` - 1 of a line of `what`, whose points are contiguous on both sides
/// (vector_map.hpp).
template <typename Real, typename Isa>
void run_points(const map<Real, Real, Real>& what, std::size_t line, std::size_t first, std::size_t last);

} // namespace prism::fft
