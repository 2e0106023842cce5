// The host device's transforms: vector_leaf.hpp compiled for several instruction sets, and which of them this
// processor has. Every one of them is a file of its own that shares no inline function with another one.
#pragma once

#include "kernels/fft/map.hpp"

namespace prism::fft {

/// Instruction sets with the bytes of their registers: wider vectors would be lowered to several of them, and
/// their shuffles to one move for each element.
struct isa_baseline { ///< SSE2, NEON
  static constexpr int vector_bytes = 16;
};
struct isa_v3 { ///< x86-64-v3: AVX2
  static constexpr int vector_bytes = 32;
};
struct isa_v4 { ///< x86-64-v4: AVX-512
  static constexpr int vector_bytes = 64;
};

/// Blocks `first` to `last` - 1 of `what`; `memory` as vector_leaf's.
template <typename Real, typename Isa>
void run_blocks(const leaf<Real>& what, Real* memory, std::size_t first, std::size_t last);

/// Points `first` to `last` - 1 of a line of `what`, whose points are contiguous on both sides
/// (vector_map.hpp).
template <typename Real, typename Isa>
void run_points(const map<Real, Real, Real>& what, std::size_t line, std::size_t first, std::size_t last);

} // namespace prism::fft
