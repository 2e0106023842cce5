// Most reads align without a gap, so all diagonals are tried first, many at once. The matrix with the path to
// each cell is filled for the other reads only.
#include <prism/align/path.hpp>

#include <algorithm>

namespace prism::align {
namespace {

constexpr std::ptrdiff_t at_once = 64; // diagonals

/// Best score of each of the diagonals first ... first + at_once: base i of the read lies on base
/// first + i of the window. The window has at least one base on each side of these as padding.
void diagonal_scores(const std::vector<std::uint8_t>& read, const std::uint8_t* window,
                     std::int16_t (&best)[at_once]) {
  std::int16_t here[at_once] = {};
  std::fill(best, best + at_once, std::int16_t(0));
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i] > 3) continue; // scores 0 against all
    std::int16_t bases[at_once];
    for (std::ptrdiff_t d = 0; d < at_once; ++d) bases[d] = window[std::ptrdiff_t(i) + d];
    const std::int16_t mine = read[i];
    for (std::ptrdiff_t d = 0; d < at_once; ++d) {
      const std::int16_t known = bases[d] > 3 ? 0 : -1;
      const std::int16_t pair = std::int16_t((bases[d] == mine ? match_score : mismatch_score) & known);
      const std::int16_t next = std::max<std::int16_t>(0, std::int16_t(here[d] + pair));
      here[d] = next;
      best[d] = std::max(best[d], next);
    }
  }
}

/// The path on one diagonal whose best score is `score`. `window` is that of its first base.
path on_diagonal(const std::vector<std::uint8_t>& read, const std::uint8_t* window, int score) {
  int here = 0;
  std::size_t begin = 0, i = 0;
  for (; i < read.size(); ++i) {
    here = std::max(0, here + score_of(read[i], window[i]));
    if (here == 0) begin = i + 1;
    if (here == score) break;
  }
  return {begin, begin, {{'M', i + 1 - begin}}};
}

enum step : std::uint8_t {
  none = 0,
  diagonal = 1,
  insertion = 2,
  deletion = 3,
  opens_insertion = 4,
  opens_deletion = 8
};

struct matrix {
  std::vector<std::uint8_t> steps; // read x window; the low two bits: the predecessor of the best path
  std::size_t row = 0, column = 0; // of the best cell
};

/// The first cell with the best score in the window, and the path to every cell.
matrix filled(const std::vector<std::uint8_t>& read, const std::uint8_t* window, std::size_t width) {
  const std::size_t n = read.size();
  matrix m{std::vector<std::uint8_t>(n * width), 0, 0};
  std::vector<int> h(n + 1, 0),
      in_read(n + 1, -gap_open_cost); // last column; in_read: ends with a base of the genome only
  int best = 0;
  for (std::size_t g = 0; g < width; ++g) {
    int before = 0, in_genome = -gap_open_cost; // in_genome: ends with a base of the read only
    for (std::size_t i = 1; i <= n; ++i) {
      std::uint8_t how = 0;
      const int opened_deletion = h[i] - gap_open_cost, longer_deletion = in_read[i] - gap_extend_cost;
      in_read[i] = std::max(opened_deletion, longer_deletion);
      if (opened_deletion >= longer_deletion) how |= opens_deletion;
      const int opened_insertion = h[i - 1] - gap_open_cost, longer_insertion = in_genome - gap_extend_cost;
      in_genome = std::max(opened_insertion, longer_insertion);
      if (opened_insertion >= longer_insertion) how |= opens_insertion;
      const int paired = before + score_of(read[i - 1], window[g]);
      const int here = std::max({0, paired, in_read[i], in_genome});
      if (here > 0) how |= here == paired ? diagonal : here == in_read[i] ? deletion : insertion;
      before = h[i];
      h[i] = here;
      m.steps[(i - 1) * width + g] = how;
      if (here > best) best = here, m.row = i - 1, m.column = g;
    }
  }
  return m;
}

path with_gaps(const std::vector<std::uint8_t>& read, const std::uint8_t* window, std::size_t width) {
  const matrix m = filled(read, window, width);
  std::size_t row = m.row + 1, column = m.column + 1; // one past the cell
  std::vector<std::pair<char, std::size_t>> backwards;
  const auto add = [&](char operation) {
    if (backwards.empty() || backwards.back().first != operation) backwards.emplace_back(operation, 0);
    ++backwards.back().second;
  };
  const auto at = [&] { return m.steps[(row - 1) * width + column - 1]; };
  while (row > 0 && column > 0 && (at() & 3) != none) {
    if (const int how = at() & 3; how == diagonal) {
      add('M'), --row, --column;
    } else if (how == deletion) { // until the cell that opened the gap
      bool opens = false;
      while (!opens) opens = (at() & opens_deletion) != 0, add('D'), --column;
    } else {
      bool opens = false;
      while (!opens) opens = (at() & opens_insertion) != 0, add('I'), --row;
    }
  }
  return {column, row, {backwards.rbegin(), backwards.rend()}};
}

} // namespace

path path_of(const std::vector<std::uint8_t>& read, const std::uint8_t* genome, const alignment& found) {
  if (found.score <= 0 || read.empty() || found.count == 0) return {};
  const auto length = std::ptrdiff_t(read.size()), width = std::ptrdiff_t(found.count);
  const std::uint8_t* const window = genome + found.first;
  const auto score = std::int16_t(std::min<std::ptrdiff_t>(found.score, 2 * match_score * length));
  std::vector<std::uint8_t> padded(std::size_t(width + 2 * length + at_once), 4);
  std::copy(window, window + width, padded.begin() + length);
  for (std::ptrdiff_t first = 1; first < width + length; first += at_once) {
    std::int16_t best[at_once];
    diagonal_scores(read, padded.data() + first, best);
    const std::int16_t* const fits = std::find(best, best + at_once, score);
    if (fits == best + at_once) continue;
    const std::ptrdiff_t offset = first + (fits - best);
    path out = on_diagonal(read, padded.data() + offset, score);
    out.position = std::size_t(std::ptrdiff_t(found.first + out.position) + offset - length);
    return out;
  }
  path out = with_gaps(read, window, found.count);
  out.position += found.first;
  return out;
}

} // namespace prism::align
