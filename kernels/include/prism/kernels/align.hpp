// Local alignment of reads to a genome: the best score of each read and its location in the genome. Scores
// and recurrence: local_alignment.hpp. A work-item aligns one read to one piece of the genome. Pieces overlap
// by the longest span that a positive alignment can have.
#pragma once

#include <prism/kernels/local_alignment.hpp>

#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace prism::kernels {

inline constexpr std::size_t longest_read = 256;

/// Reads, one after the other, with bases as codes 0..3, padded. pack() makes them.
struct packed_reads {
  std::vector<std::uint8_t> bases;
  std::vector<std::uint32_t> starts, lengths; // padded lengths
};
/// Throws sycl::exception (invalid) for a read of more than longest_read bases, or none.
packed_reads pack(const std::vector<std::vector<std::uint8_t>>& reads);

struct alignment {
  int score = 0;
  std::size_t first = 0,
              count =
                  0; // the alignment lies within these bases of the genome; of several best ones, the first
};

/// The length of the pieces of the genome: short ones give more work-items, long ones repeat less.
enum class align_pieces { of_256, of_1024, of_2048 };
/// Submits and waits. The genome has at most 2^29 bases.
std::vector<alignment> align(sycl::queue& queue, align_pieces pieces, const packed_reads& reads,
                             sycl::buffer<std::uint8_t>& genome);

} // namespace prism::kernels
