// Counts bases on the host and calls genotypes on a device. A work-item computes the three likelihoods of one
// change.
#include <prism/align/variants.hpp>

#include <algorithm>

namespace prism::align {
namespace {

constexpr char letters[] = "ACGTN";
// In ten-thousandths of phred: a read that shows the other base than its copy has, with an error rate of
// 0.01; one that shows the base of its copy; one of either copy.
constexpr std::uint32_t unit = 10000, error_cost = 200000, right_cost = 436, half_cost = 30103;
constexpr std::uint32_t deepest = 20000; // above it the sums exceed 32 bits
constexpr std::uint32_t least_quality = 20 * unit, most_quality = 999 * unit;

struct genotype {
  std::uint32_t copies, likelihoods[3]; // ten-thousandths of phred, relative to the best
};

genotype genotype_of(std::uint32_t support, std::uint32_t depth) {
  const std::uint32_t others = depth - support;
  const std::uint32_t costs[3] = {support * error_cost + others * right_cost, depth * half_cost,
                                  support * right_cost + others * error_cost};
  std::uint32_t best = 0;
  if (costs[1] < costs[best]) best = 1;
  if (costs[2] < costs[best]) best = 2;
  return {best, {costs[0] - costs[best], costs[1] - costs[best], costs[2] - costs[best]}};
}

/// The genotypes of all candidates, computed on the queue's device.
std::vector<genotype> genotypes_of(sycl::queue& queue, const std::vector<variant>& candidates) {
  std::vector<std::uint32_t> counts; // support and depth of each
  for (const variant& v : candidates) {
    const std::size_t scale = v.depth / deepest + 1;
    counts.push_back(std::uint32_t(v.support / scale)), counts.push_back(std::uint32_t(v.depth / scale));
  }
  std::vector<genotype> out(candidates.size());
  {
    sycl::buffer<std::uint32_t> given(counts.data(), sycl::range<1>(counts.size()));
    sycl::buffer<genotype> called(out.data(), sycl::range<1>(out.size()));
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor count(given, h, sycl::read_only);
      const sycl::accessor result(called, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(out.size()),
                     [=](sycl::id<1> i) { result[i] = genotype_of(count[2 * i[0]], count[2 * i[0] + 1]); });
    });
    queue.wait_and_throw();
  }
  return out;
}

int rounded(std::uint32_t quality) { return int((quality + unit / 2) / unit); }

std::string text_of(const std::vector<std::uint8_t>& bases, std::size_t first, std::size_t count) {
  std::string out;
  for (std::size_t i = first; i < first + count; ++i) out += letters[std::min<int>(bases[i], 4)];
  return out;
}

} // namespace

void pileup::add(const std::vector<std::uint8_t>& read, const path& found) {
  std::size_t at = found.position, in_read = found.skipped;
  for (const auto& [operation, count] : found.operations) {
    if (operation == 'M') {
      for (std::size_t i = 0; i < count; ++i)
        if (const std::uint8_t base = read[in_read + i]; base < 4) ++m_columns[at + i].bases[base];
      at += count, in_read += count;
    } else if (operation == 'D') {
      add_gap(at - 1, text_of(m_genome, at, count), "");
      for (std::size_t i = 0; i < count; ++i) ++m_columns[at + i].deleted;
      at += count;
    } else {
      add_gap(at - 1, "", text_of(read, in_read, count));
      in_read += count;
    }
  }
}

/// A gap can be at several positions with the same result; VCF requires the leftmost.
void pileup::add_gap(std::size_t position, std::string removed, std::string inserted) {
  std::string& moved = removed.empty() ? inserted : removed;
  const auto letter = [&](std::size_t at) { return text_of(m_genome, at, 1); };
  while (position > 0 && letter(position)[0] == moved.back()) {
    moved.insert(moved.begin(), moved.back());
    moved.pop_back();
    --position;
  }
  ++m_gaps[{position, letter(position) + removed, letter(position) + inserted}];
}

std::uint32_t pileup::gaps(std::size_t position, bool inserted) const {
  std::uint32_t out = 0;
  for (auto i = m_gaps.lower_bound({position, "", ""}); i != m_gaps.end() && i->first.position == position;
       ++i)
    out += (i->first.after.size() > i->first.before.size()) == inserted ? i->second : 0;
  return out;
}

std::vector<variant> pileup::variants(sycl::queue& queue, std::size_t first, std::size_t count,
                                      std::size_t least_support) const {
  std::vector<variant> candidates;
  const std::size_t end = std::min(first + count, m_columns.size());
  for (std::size_t i = first; i < end; ++i)
    for (std::uint8_t base = 0; base < 4; ++base)
      if (base != m_genome[i] && m_columns[i].bases[base] >= least_support)
        candidates.push_back({i,
                              text_of(m_genome, i, 1),
                              std::string(1, letters[base]),
                              m_columns[i].depth(),
                              m_columns[i].bases[base],
                              0,
                              0,
                              0,
                              {}});
  for (auto i = m_gaps.lower_bound({first, "", ""}); i != m_gaps.end() && i->first.position < end; ++i)
    if (i->second >= least_support)
      candidates.push_back({i->first.position,
                            i->first.before,
                            i->first.after,
                            std::max(m_columns[i->first.position].depth(), i->second),
                            i->second,
                            0,
                            0,
                            0,
                            {}});
  if (candidates.empty()) return {};
  const std::vector<genotype> genotypes = genotypes_of(queue, candidates);
  std::vector<variant> out;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const genotype& g = genotypes[i];
    if (g.copies == 0 || g.likelihoods[0] < least_quality) continue;
    variant& v = candidates[i];
    v.copies = int(g.copies);
    v.quality = double(std::min(g.likelihoods[0], most_quality)) / unit;
    std::uint32_t second = most_quality;
    for (std::uint32_t c = 0; c < 3; ++c) {
      v.likelihoods[c] = rounded(std::min(g.likelihoods[c], most_quality));
      if (c != g.copies) second = std::min(second, g.likelihoods[c]);
    }
    v.genotype_quality = std::min(rounded(second), 99);
    out.push_back(std::move(v));
  }
  std::sort(out.begin(), out.end(), [](const variant& a, const variant& b) {
    return std::tie(a.position, a.before, a.after) < std::tie(b.position, b.before, b.after);
  });
  return out;
}

} // namespace prism::align
