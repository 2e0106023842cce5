// Local alignment of reads to a genome: the best score of each read and the part of the genome where it is.
//   match +2, mismatch -2, a gap of length n costs 3 + (n - 1), a base above 3 scores 0 against all
// (O. Gotoh, "An improved algorithm for matching biological sequences", J. Mol. Biol. 162, 1982). A work-item aligns one read
// to one piece of the genome; pieces overlap by the longest span that a positive alignment can have.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace prism::kernels {

inline constexpr std::size_t longest_read = 256;
inline constexpr int match_score = 2, mismatch_score = -2, gap_open_cost = 3, gap_extend_cost = 1;

/// Reads behind each other, bases as codes 0..3, padded: make them with pack().
struct packed_reads {
  std::vector<std::uint8_t> bases;
  std::vector<std::uint32_t> starts, lengths; // padded lengths
};
/// Throws sycl::exception (invalid) for a read of more than longest_read bases, or none.
packed_reads pack(const std::vector<std::vector<std::uint8_t>>& reads);

struct alignment {
  int score = 0;
  std::size_t first = 0, count = 0; // the alignment lies within these bases of the genome; of several best ones, the first
};

/// Which part of the genome a work-item takes: short ones give more of them, long ones repeat less.
enum class align_pieces { of_256, of_1024, of_2048 };
/// Submits and waits. The genome has at most 2^29 bases.
std::vector<alignment> align(sycl::queue& queue, align_pieces pieces, const packed_reads& reads, sycl::buffer<std::uint8_t>& genome);

} // namespace prism::kernels
