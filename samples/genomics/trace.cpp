// Aligns on a device and traces on the host. The device computes the best score of a read and the window of
// the genome that contains this alignment. The host fills the matrix of that window only, with the same
// scores, and follows the best path back.
#include "samples/genomics/genomics.hpp"

#include <prism/align.hpp>

#include <algorithm>

namespace genomics {

namespace {

namespace pa = prism::align;

/// Relative to the best possible score of a read of this length.
constexpr double least_share = 0.5;

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
matrix filled(const bases& read, const std::uint8_t* window, std::size_t width) {
  const std::size_t n = read.size();
  matrix m{std::vector<std::uint8_t>(n * width), 0, 0};
  std::vector<int> h(n + 1, 0),
      in_read(n + 1, -pa::gap_open_cost); // last column; in_read: ends with a base of the genome only
  int best = 0;
  for (std::size_t g = 0; g < width; ++g) {
    int before = 0, in_genome = -pa::gap_open_cost; // in_genome: ends with a base of the read only
    for (std::size_t i = 1; i <= n; ++i) {
      std::uint8_t how = 0;
      const int opened_deletion = h[i] - pa::gap_open_cost,
                longer_deletion = in_read[i] - pa::gap_extend_cost;
      in_read[i] = std::max(opened_deletion, longer_deletion);
      if (opened_deletion >= longer_deletion) how |= opens_deletion;
      const int opened_insertion = h[i - 1] - pa::gap_open_cost,
                longer_insertion = in_genome - pa::gap_extend_cost;
      in_genome = std::max(opened_insertion, longer_insertion);
      if (opened_insertion >= longer_insertion) how |= opens_insertion;
      const int paired = before + pa::score_of(read[i - 1], window[g]);
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

} // namespace

std::vector<placed> align(sycl::queue& queue, std::vector<read> reads,
                          sycl::buffer<std::uint8_t>& reference) {
  std::vector<bases> both;
  for (const read& r : reads) both.push_back(r.sequence), both.push_back(reverse_complement(r.sequence));
  const pa::packed_reads packed = pa::pack(both);
  sycl::buffer<std::int32_t> results{sycl::range<1>(std::max<std::size_t>(1, both.size()))};
  pa::local(queue, packed, prism::view_of(reference),
            prism::buffer_vector_view<std::int32_t>(results, both.size()));
  const sycl::host_accessor written(results, sycl::read_only);
  std::vector<pa::alignment> found;
  for (std::size_t r = 0; r < both.size(); ++r)
    found.push_back(pa::decoded(written[r], packed, r, reference.size()));
  std::vector<placed> out;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const bool reverse = found[2 * i + 1].score > found[2 * i].score;
    const pa::alignment& best = found[2 * i + (reverse ? 1 : 0)];
    placed p{std::move(reads[i].name),
             std::move(both[2 * i + (reverse ? 1 : 0)]),
             reverse,
             best.score,
             best.first,
             best.count,
             0,
             0,
             {}};
    if (best.score < least_share * pa::match_score * double(p.sequence.size())) p.score = 0;
    out.push_back(std::move(p));
  }
  return out;
}

void trace(placed& p, const bases& reference) {
  if (p.score == 0) return;
  const matrix m = filled(p.sequence, reference.data() + p.window, p.window_size);
  std::size_t row = m.row + 1, column = m.column + 1; // one past the cell
  std::vector<std::pair<char, std::size_t>> backwards;
  const auto note = [&](char operation) {
    if (backwards.empty() || backwards.back().first != operation) backwards.emplace_back(operation, 0);
    ++backwards.back().second;
  };
  const auto at = [&] { return m.steps[(row - 1) * p.window_size + column - 1]; };
  while (row > 0 && column > 0 && (at() & 3) != none) {
    if (const int how = at() & 3; how == diagonal) {
      note('M'), --row, --column;
    } else if (how == deletion) { // until the cell that opened the gap
      bool opens = false;
      while (!opens) opens = (at() & opens_deletion) != 0, note('D'), --column;
    } else {
      bool opens = false;
      while (!opens) opens = (at() & opens_insertion) != 0, note('I'), --row;
    }
  }
  p.position = p.window + column;
  p.skipped = row;
  p.operations.assign(backwards.rbegin(), backwards.rend());
}

} // namespace genomics
