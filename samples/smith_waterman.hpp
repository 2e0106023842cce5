// Smith-Waterman local alignment with affine gaps: the best score of each read anywhere in a genome.
// The scores are the defaults of ssw-align; the recurrence is prism/kernels/local_alignment.hpp's. One
// work-item aligns one read to one piece of the genome; pieces overlap by the longest span that an alignment
// with a positive score can have, so no alignment is lost.
#pragma once

#include "samples/common/sequences.hpp"
#include "samples/common/timed.hpp"

#include <vector>

namespace samples {

inline constexpr int longest_read = 128; // bases; longer reads are refused with std::invalid_argument

struct alignment_scores {
  std::vector<int> best; // one a read
  double cells = 0;      // of the dynamic programme, overlap not counted
  timing time;
};

alignment_scores align(sycl::queue& queue, const std::vector<sequence>& reads, const sequence& genome);

/// The textbook form on this thread: the reference where ssw-align is not installed.
int reference_score(const sequence& read, const sequence& genome);

} // namespace samples
