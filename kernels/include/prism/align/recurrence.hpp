// The recurrence of local alignment with affine gaps, as one work-item computes it. For kernels and the host;
// align.hpp and the sample use it.
//   match +2, mismatch -2, a gap of length n costs 3 + (n - 1), a base above 3 scores 0 against all
// (O. Gotoh, "An improved algorithm for matching biological sequences", J. Mol. Biol. 162, 1982).
#pragma once

#include <algorithm>
#include <cstddef>

namespace prism::align {

inline constexpr int match_score = 2, mismatch_score = -2, gap_open_cost = 3, gap_extend_cost = 1;

constexpr int score_of(int a, int b) { return a > 3 || b > 3 ? 0 : a == b ? match_score : mismatch_score; }

/// A positive score allows gaps in the read of less than 2 * length in total, so no such alignment spans more
/// of the genome than this.
constexpr std::size_t longest_span(std::size_t length) { return 3 * length; }

/// Calls visit(g, i, score) for each base g of genome[begin, end) and each base i of reads[first, first +
/// length), with the best score of the alignments that end there. Processes one base of the genome (column)
/// at a time, with Rows bases of the read in registers. length must be a multiple of Rows and at most
/// Longest; reads are padded with bases that score 0 and so never raise the best score. That also reduces the
/// number of loop iterations, of which software drivers allow a work-item 65,535.
template <int Rows, int Longest, typename Reads, typename Genome, typename Visit>
void for_each_cell(const Reads& reads, std::size_t first, int length, const Genome& genome, std::size_t begin,
                   std::size_t end, const Visit& visit) {
  short h[Longest], e[Longest]; // last column: best score ending here, ... with a gap in the read
  for (int i = 0; i < length; ++i) h[i] = e[i] = 0;
  for (std::size_t g = begin; g < end; ++g) {
    const int base = genome[g];
    int diagonal = 0, above = 0, f = 0; // h of (i-1, g-1), of (i-1, g), and the gap in the genome
    for (int i0 = 0; i0 < length; i0 += Rows) {
#ifdef __clang__
#pragma unroll
#endif
      for (int row = 0; row < Rows; ++row) {
        const int i = i0 + row;
        const int gap_in_read = std::max(int(h[i]) - gap_open_cost, int(e[i]) - gap_extend_cost);
        f = std::max(above - gap_open_cost, f - gap_extend_cost);
        const int here =
            std::max(std::max(0, diagonal + score_of(base, reads[first + i])), std::max(gap_in_read, f));
        diagonal = h[i];
        e[i] = short(std::max(gap_in_read, 0));
        h[i] = short(here);
        above = here;
        visit(g, i, here);
      }
    }
  }
}

/// The best of these scores.
template <int Rows, int Longest, typename Reads, typename Genome>
int best_score(const Reads& reads, std::size_t first, int length, const Genome& genome, std::size_t begin,
               std::size_t end) {
  int best = 0;
  for_each_cell<Rows, Longest>(reads, first, length, genome, begin, end,
                               [&](std::size_t, int, int here) { best = std::max(best, here); });
  return best;
}

} // namespace prism::align
