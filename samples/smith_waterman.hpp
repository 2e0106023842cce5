// Smith-Waterman local alignment with affine gaps: the best score of each read anywhere in a genome. The
// scores are the defaults of ssw-align; the recurrence is in prism/align/recurrence.hpp. One work-item
// aligns one read to one piece of the genome. Pieces overlap by the longest possible span of an alignment
// with a positive score, so no alignment is lost.
#pragma once

#include "samples/common/sequences.hpp"
#include "samples/common/timed.hpp"

#include <vector>

namespace samples {

inline constexpr int longest_read = 128; // bases; longer reads are refused with std::invalid_argument

struct alignment_scores {
  std::vector<int> best; // one for each read
  double cells = 0;      // of the dynamic programming matrix, without overlap
  timing time;
};

alignment_scores align(sycl::queue& queue, const std::vector<sequence>& reads, const sequence& genome);

/// The textbook algorithm on this thread: the reference if ssw-align is not installed.
int reference_score(const sequence& read, const sequence& genome);

} // namespace samples
