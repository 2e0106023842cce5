// The steps from the score of an alignment to its path, for one read. Kernels and the host run the same ones:
// 1. An alignment without gaps lies on one diagonal, and half of its score are matches. Bits of 32 bases at a
//    time reject the diagonals that have fewer.
// 2. With gaps the alignment has a part of its matches on one diagonal, some of them next to each other. Only
//    the columns around such diagonals are computed, to find the first cell that has the score.
// 3. The path to this cell stays in a band around its diagonal, because gaps cost the score. Each cell of the
//    band keeps four bits: its predecessor, and whether gaps that end in it open there.
// Each bound is necessary for the score, so the results are those of the whole matrix. Source of the band:
// E. Ukkonen, "Algorithms for approximate string matching", Information and Control 64, 1985.
#pragma once

#include <prism/align.hpp>

#include <algorithm>
#include <cstdint>

namespace prism::align::detail {

inline constexpr int bases_of_word = 32, words_of_read = int(longest_read) / bases_of_word;
inline constexpr int diagonals_of_block = 128; // 65,535 iterations are enough for them
inline constexpr int words_of_block = (diagonals_of_block + int(longest_read)) / bases_of_word + 1;
inline constexpr int cells_of_word = 8;

/// A read, and the bases of the genome that contain its alignment. `known`: bases of the read with codes
/// 0..3.
struct window {
  const std::uint8_t* read;
  const std::uint8_t* genome;
  int length, width, known, score;

  int base(int column) const { return column >= 0 && column < width ? genome[column] : 4; }
  /// What the alignment lacks to the best possible score. Its gaps cost no more.
  int loss() const { return 2 * known - score; }
  bool possible() const { return score > 0 && loss() >= 0; }
  int matches() const { return (score + 1) / 2; }
  /// On one diagonal: gaps, each of which costs at least gap_open_cost, divide the matches.
  int matches_of_part() const {
    const int parts = loss() / gap_open_cost + 1;
    return (matches() + parts - 1) / parts;
  }
  /// Next to each other on one diagonal. Gaps, mismatches and unknown bases, which lack at least 2 or are
  /// counted as unknown, divide the matches.
  int matches_of_run() const {
    const int runs = loss() / match_score + length - known + 1;
    return (matches() + runs - 1) / runs;
  }
  /// Bases of the genome, and of the read, that gaps skip. A skipped base of the read also lacks its match.
  int longest_deletion() const { return std::max(0, loss() - (gap_open_cost - gap_extend_cost)); }
  int longest_insertion() const {
    return std::min(longest_deletion(),
                    longest_deletion() / (gap_extend_cost + match_score) + length - known);
  }
};
static_assert(match_score == 2);

/// A row (base of the read) and a column (base of the window).
struct cell {
  int row, column;
};
struct gapless {
  int begin = 0, end = 0; // rows; empty if there is none
};

/// The alignment on a diagonal that has the score; row 0 is in column `diagonal`.
inline gapless on_diagonal(const window& of, int diagonal) {
  int here = 0, begin = 0;
  for (int i = 0; i < of.length; ++i) {
    here = std::max(0, here + score_of(of.read[i], of.base(diagonal + i)));
    if (here == 0) begin = i + 1;
    if (here == of.score) return {begin, i + 1};
  }
  return {};
}

/// Whether the diagonal can have a part of an alignment with gaps.
inline bool has_run(const window& of, int diagonal) {
  const int least = of.matches_of_run();
  int run = 0, longest = 0;
  for (int i = 0; i < of.length && longest < least; ++i) {
    run = score_of(of.read[i], of.base(diagonal + i)) > 0 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest >= least;
}

/// Calls visit(diagonal) for those of [first, first + diagonals_of_block) that have at least `least` bases of
/// the read in common with the genome, in this order, until one returns true. A base above 3 of the genome
/// may count as any other.
template <typename Visit>
inline bool visit_diagonals(const window& of, int least, int first, const Visit& visit) {
  std::uint32_t low[words_of_read], high[words_of_read], known[words_of_read];
  std::uint32_t low_of[words_of_block], high_of[words_of_block];
  const int words = (of.length + bases_of_word - 1) / bases_of_word;
  for (int w = 0; w < words; ++w) {
    low[w] = high[w] = known[w] = 0;
    for (int i = bases_of_word * w; i < std::min(of.length, bases_of_word * (w + 1)); ++i) {
      const std::uint32_t base = of.read[i];
      const int bit = i % bases_of_word;
      low[w] |= (base & 1) << bit, high[w] |= (base >> 1 & 1) << bit;
      known[w] |= std::uint32_t(base < 4) << bit;
    }
  }
  const int count = std::min(diagonals_of_block, of.width - first);
  for (int w = 0; w <= words + (count - 1) / bases_of_word; ++w) {
    std::uint32_t a = 0, b = 0;
    for (int bit = 0; bit < bases_of_word; ++bit) {
      const auto base = std::uint32_t(of.base(first + bases_of_word * w + bit));
      a |= (base & 1) << bit, b |= (base >> 1 & 1) << bit;
    }
    low_of[w] = a, high_of[w] = b;
  }
  for (int d = 0; d < count; ++d) {
    const int shift = d % bases_of_word;
    int spare = of.known - least; // bases that may differ
    for (int w = 0; w < words && spare >= 0; ++w) {
      const int at = w + d / bases_of_word;
      const std::uint32_t a = low_of[at] >> shift | low_of[at + 1] << 1 << (bases_of_word - 1 - shift);
      const std::uint32_t b = high_of[at] >> shift | high_of[at + 1] << 1 << (bases_of_word - 1 - shift);
      spare -= int(sycl::popcount(((a ^ low[w]) | (b ^ high[w])) & known[w]));
    }
    if (spare >= 0 && visit(first + d)) return true;
  }
  return false;
}

/// The columns of an alignment with gaps whose part lies on a diagonal of [lowest, highest].
struct columns {
  int begin, end;
};
inline columns columns_around(const window& of, int lowest, int highest) {
  return {std::max(0, lowest - of.longest_deletion()),
          std::min(of.width, highest + of.length + of.longest_deletion())};
}

/// Of the cells of columns [begin, end) that have the score, the first in the first column, as column * 256 +
/// row; `none` if there is none. Rows: as for for_each_cell; the read is padded for it.
template <int Rows>
inline std::uint32_t first_cell(const window& of, int padded, columns in, std::uint32_t none) {
  std::uint32_t first = none;
  for_each_cell<Rows, int(longest_read)>(of.read, 0, padded, of.genome, std::size_t(in.begin),
                                         std::size_t(in.end), [&](std::size_t g, int row, int here) {
    const auto name = std::uint32_t(g) * std::uint32_t(longest_read) + std::uint32_t(row);
    first = std::min(first, here == of.score ? name : none);
  });
  return first;
}

/// Diagonals of the paths to a cell, in words of cells. Diagonal `before` is that of the cell.
struct band {
  int before, words;
};
inline band band_to(const window& of) {
  const int cells = of.longest_insertion() + of.longest_deletion() + 1;
  return {of.longest_insertion(), (cells + cells_of_word - 1) / cells_of_word};
}
inline constexpr int most_deleted = match_score * int(longest_read) - gap_open_cost;
inline constexpr int longest_band =
    (most_deleted + most_deleted / 3 + cells_of_word) / cells_of_word * cells_of_word;

enum step : std::uint32_t {
  none = 0,
  diagonal = 1,
  insertion = 2,
  deletion = 3,
  opens_insertion = 4,
  opens_deletion = 8
};

constexpr char letter_of(step how) { return how == diagonal ? 'M' : how == insertion ? 'I' : 'D'; }

/// The steps of rows 0 ... end.row: `words` words a row, four bits a cell. The low two bits are the
/// predecessor of the best path; among equals a diagonal step is taken first, then a deletion.
inline void fill_band(const window& of, cell end, band in, std::uint32_t* steps) {
  // Of the row above, shifted by one: the best score, and that of paths that end in a base of the read only.
  short best[longest_band + 1], in_genome[longest_band + 1];
  for (int k = 0; k <= in.words * cells_of_word; ++k) best[k] = 0, in_genome[k] = -gap_open_cost;
  for (int row = 0; row <= end.row; ++row) {
    const int base_of_read = of.read[row], origin = end.column + row - end.row + in.before;
    int left = 0, in_read = -gap_open_cost; // the column before; in_read: ends in a base of the genome only
    for (int w = in.words - 1; w >= 0; --w) {
      std::uint32_t word = 0;
#ifdef __clang__
#pragma unroll
#endif
      for (int j = cells_of_word - 1; j >= 0; --j) {
        const int k = w * cells_of_word + j, column = origin - k;
        std::uint32_t how = 0;
        const int opened_deletion = left - gap_open_cost, longer_deletion = in_read - gap_extend_cost;
        in_read = std::max(opened_deletion, longer_deletion);
        if (opened_deletion >= longer_deletion) how |= opens_deletion;
        const int opened_insertion = best[k] - gap_open_cost,
                  longer_insertion = in_genome[k] - gap_extend_cost;
        const int inserted = std::max(opened_insertion, longer_insertion);
        if (opened_insertion >= longer_insertion) how |= opens_insertion;
        const int paired = best[k + 1] + score_of(base_of_read, of.base(column));
        const int here = std::max(std::max(0, paired), std::max(in_read, inserted));
        if (here > 0) how |= here == paired ? diagonal : here == in_read ? deletion : insertion;
        best[k + 1] = short(here);
        in_genome[k + 1] = short(inserted);
        left = here;
        word |= how << (4 * j);
      }
      steps[row * in.words + w] = word;
    }
  }
}

/// From the cell back to the first one of its path, which is the result. Calls add(step) for each step.
template <typename Add>
inline cell walk(cell at, band in, const std::uint32_t* steps, const Add& add) {
  int k = in.before;
  const auto here = [&] {
    return steps[at.row * in.words + k / cells_of_word] >> (4 * (k % cells_of_word)) & 15;
  };
  const auto move = [&](step how) {
    add(how);
    if (how != insertion) --at.column;
    if (how != deletion) --at.row;
    k += how == deletion ? 1 : how == insertion ? -1 : 0;
  };
  while (at.row >= 0 && at.column >= 0 && (here() & 3) != none) {
    const auto how = step(here() & 3);
    if (how == diagonal) {
      move(how);
      continue;
    }
    const std::uint32_t opens = how == deletion ? opens_deletion : opens_insertion;
    for (bool last = false; !last;) last = (here() & opens) != 0, move(how);
  }
  return {at.row + 1, at.column + 1};
}

} // namespace prism::align::detail
