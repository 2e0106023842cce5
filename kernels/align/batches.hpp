// Local alignment on processors: sixteen reads side by side in SIMD lanes, against one piece of the genome
// (T. Rognes, "Faster Smith-Waterman database searches with inter-sequence SIMD parallelisation", BMC
// Bioinformatics 12, 2011). The scores of a base against all reads of a batch are a table in memory, the
// query profile. Cells have 8 bits; a piece in which a score may have exceeded them is computed again
// with 16.
#pragma once

#include "kernels/align/operands.hpp"

namespace prism::align::detail {

// The form of a result: a 31-bit number, so that an atomic maximum finds the best result of all work-items.
// The high bits hold the score. The low bits hold the piece's number counted from the end, so that of equal
// scores the first piece wins.
inline constexpr int last_piece = (1 << piece_bits) - 1;

struct call {
  const packed_reads& reads;
  blas::place<std::uint8_t> genome;
  std::size_t size;
  blas::place<std::int32_t> best;
};

/// Whether batches are faster on the device than one read in each work-item.
bool prefers_batches(const sycl::device& device);

/// Raises the results of `what` to those of the alignments. `piece`: the length of the pieces in results.
sycl::event submit_batches(sycl::queue& queue, const call& what, std::size_t piece,
                           const sycl::event& cleared);

} // namespace prism::align::detail
