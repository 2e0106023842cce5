// The path of a local alignment: which bases of a read lie on which bases of the genome. A device finds the
// best score of a read and the part of the genome that has it (<prism/align.hpp>); these functions find the
// path on the host, with the same scores. Thread-safe. Link prism::operations.
//
//   const prism::align::path found = prism::align::path_of(read, genome.data(), prism::align::decoded(...));
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
/// codes. If an alignment without gaps has the score, it is that one, else the first that has it. Empty if
/// the score is 0. Complexity: bases of the read times found.count, in vectors; with gaps one cell at a time.
path path_of(const std::vector<std::uint8_t>& read, const std::uint8_t* genome, const alignment& found);

} // namespace prism::align
