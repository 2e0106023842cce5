// The device computes the best score of a read and the window of the genome that contains this alignment, and
// then the path in this window.
#include "samples/genomics/alignments.hpp"

#include <algorithm>

namespace genomics {

namespace {

namespace pa = prism::align;

/// Relative to the best possible score of a read of this length.
constexpr double least_share = 0.5;

bool fits(const read& r) { return !r.sequence.empty() && r.sequence.size() <= pa::longest_read; }

/// Of each read that fits, first the strand in the file, then the other one.
std::vector<pa::alignment> best_scores(sycl::queue& queue, const std::vector<bases>& strands,
                                       sycl::buffer<std::uint8_t>& reference) {
  const pa::packed_reads packed = pa::pack(strands);
  sycl::buffer<std::int32_t> results{sycl::range<1>(std::max<std::size_t>(1, strands.size()))};
  pa::local(queue, packed, prism::view_of(reference),
            prism::buffer_vector_view<std::int32_t>(results, strands.size()));
  queue.wait_and_throw();
  const sycl::host_accessor written(results, sycl::read_only);
  std::vector<pa::alignment> out;
  for (std::size_t r = 0; r < strands.size(); ++r)
    out.push_back(pa::decoded(written[r], packed, r, reference.size()));
  return out;
}

} // namespace

std::vector<placed> align(sycl::queue& queue, std::vector<read> reads,
                          sycl::buffer<std::uint8_t>& reference) {
  std::vector<bases> strands;
  for (const read& r : reads)
    if (fits(r)) strands.push_back(r.sequence), strands.push_back(reverse_complement(r.sequence));
  const std::vector<pa::alignment> found = best_scores(queue, strands, reference);
  std::vector<placed> out;
  std::size_t at = 0;
  for (read& r : reads) {
    if (!fits(r)) {
      out.push_back({std::move(r.name), std::move(r.sequence), false, {}, {}});
      continue;
    }
    const bool reverse = found[at + 1].score > found[at].score;
    const std::size_t best = at + (reverse ? 1 : 0);
    out.push_back({std::move(r.name), std::move(strands[best]), reverse, found[best], {}});
    placed& p = out.back();
    if (p.found.score < least_share * pa::match_score * double(p.sequence.size())) p.found.score = 0;
    at += 2;
  }
  return out;
}

std::vector<placed> trace(sycl::queue& queue, std::vector<placed> all,
                          sycl::buffer<std::uint8_t>& reference) {
  std::vector<bases> sequences;
  std::vector<pa::alignment> found;
  for (const placed& p : all)
    if (p.found.score > 0) sequences.push_back(p.sequence), found.push_back(p.found);
  std::vector<pa::path> paths = pa::paths(queue, pa::pack(sequences), prism::view_of(reference), found);
  auto next = paths.begin();
  for (placed& p : all)
    if (p.found.score > 0) p.path = std::move(*next++);
  return all;
}

} // namespace genomics
