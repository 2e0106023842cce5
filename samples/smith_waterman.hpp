// Smith-Waterman local alignment with affine gaps: the best score of each read anywhere in a genome.
//   match +2, mismatch -2, a gap of length n costs 3 + (n - 1), a base that is not ACGT scores 0 against all
// (the defaults of ssw-align). Recurrence after O. Gotoh, "An improved algorithm for matching biological sequences",
// J. Mol. Biol. 162 (1982). One work-item aligns one read to one piece of the genome; pieces overlap by the longest span
// that an alignment with a positive score can have, so no alignment is lost.
#pragma once

#include "samples/common/sequences.hpp"
#include "samples/common/timed.hpp"

#include <vector>

namespace samples {

inline constexpr int longest_read = 128; // bases; longer reads are refused with std::invalid_argument

struct alignment_scores {
  std::vector<int> best;   // one a read
  double cells = 0;        // of the dynamic programme, overlap not counted
  timing time;
};

alignment_scores align(sycl::queue& queue, const std::vector<sequence>& reads, const sequence& genome);

/// The textbook form on this thread: the reference where ssw-align is not installed.
int reference_score(const sequence& read, const sequence& genome);

} // namespace samples
