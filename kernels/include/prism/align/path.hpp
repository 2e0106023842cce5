// The path of a local alignment: which bases of a read lie on which bases of the genome. <prism/align.hpp>
// finds the best score of a read and the part of the genome that has it; these functions find the path, for
// many reads on a device, or for one read on the host. Both give the same path. Link prism::operations.
//
//   const std::vector<prism::align::path> all = prism::align::paths(queue, reads, prism::view_of(genome),
//   found); const prism::align::path one = prism::align::path_of(read, genome.data(), found[0]);
#pragma once

#include <prism/align.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace prism::align {

struct path {
  std::size_t position = 0;                             // the first base of the genome
  std::size_t skipped = 0;                              // bases of the read before the alignment
  std::vector<std::pair<char, std::size_t>> operations; // 'M', 'I' or 'D' of SAM, and its length
};

/// The path of the best alignment of `read` within genome[found.first, found.first + found.count); bases are
/// codes. If an alignment without gaps has the score, it is the first of these; else it ends at the first
/// base of the genome at which one with the score ends. Empty if no alignment there has the score, or if it
/// is 0. Throws sycl::exception (invalid) for a read of more than longest_read bases. Complexity: bases of
/// the read times found.count, 32 bases at once; with gaps also the read times the gaps that the score
/// allows. Thread-safe.
path path_of(const std::vector<std::uint8_t>& read, const std::uint8_t* genome, const alignment& found);

/// The same for each read r of `reads` and found[r], which decoded() gave, on the queue's device; waits.
/// Throws sycl::exception (invalid) for a genome or alignments that cannot be used. Device memory: up to 16
/// MiB in addition to the reads and the paths.
std::vector<path> paths(sycl::queue& queue, const packed_reads& reads,
                        const vector_view<const std::uint8_t>& genome, const std::vector<alignment>& found);
std::vector<path> paths(sycl::queue& queue, const packed_reads& reads,
                        const vector_view<const std::uint8_t, buffer_place<const std::uint8_t>>& genome,
                        const std::vector<alignment>& found);

} // namespace prism::align
