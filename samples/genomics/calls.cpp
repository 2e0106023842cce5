// Counts the bases of the reads at each position, calls variants, and writes VCF 4.2.
#include "samples/genomics/genomics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace genomics {

namespace {

constexpr char letters[] = "ACGTN";
constexpr std::size_t least_support = 4;
constexpr double least_fraction = 0.6; // of one copy of each chromosome, as in viruses and bacteria
constexpr double base_error = 0.01;

std::string text_of(const bases& b, std::size_t first, std::size_t count) {
  std::string out;
  for (std::size_t i = first; i < first + count; ++i) out += letters[b[i]];
  return out;
}

/// How much more likely the reads are with the change than without it, in phred.
double quality_of(double support, double depth) {
  const double per_read = 10 * std::log10((1 - base_error) / (base_error / 3));
  return std::clamp(per_read * (2 * support - depth), 0.0, 999.0);
}

} // namespace

void pile::add(const placed& p) {
  if (p.score == 0) return;
  const bases& reference = m_genome.sequence;
  std::size_t at = p.position, in_read = p.skipped;
  for (const auto& [operation, count] : p.operations) {
    if (operation == 'M') {
      for (std::size_t i = 0; i < count; ++i)
        if (const std::uint8_t base = p.sequence[in_read + i]; base < 4)
          ++m_counts[at + i][base], ++m_depth[at + i];
      at += count, in_read += count;
    } else if (operation == 'D') {
      add_gap(at - 1, text_of(reference, at, count), "");
      for (std::size_t i = 0; i < count; ++i) ++m_depth[at + i];
      at += count;
    } else {
      add_gap(at - 1, "", text_of(p.sequence, in_read, count));
      in_read += count;
    }
  }
}

/// A gap can be at several positions with the same result; VCF requires the leftmost.
void pile::add_gap(std::size_t position, std::string removed, std::string inserted) {
  std::string& moved = removed.empty() ? inserted : removed;
  while (position > 0 && letters[m_genome.sequence[position]] == moved.back()) {
    moved.insert(moved.begin(), moved.back());
    moved.pop_back();
    --position;
  }
  const std::string anchor(1, letters[m_genome.sequence[position]]);
  ++m_gaps[{position, anchor + removed, anchor + inserted}];
}

std::vector<variant> pile::variants() const {
  std::vector<variant> out;
  for (std::size_t i = 0; i < m_counts.size(); ++i)
    for (std::uint8_t base = 0; base < 4; ++base) {
      const std::size_t support = m_counts[i][base], depth = m_depth[i];
      if (base == m_genome.sequence[i] || support < least_support ||
          double(support) < least_fraction * double(depth))
        continue;
      out.push_back({i, std::string(1, letters[m_genome.sequence[i]]), std::string(1, letters[base]), depth,
                     support, quality_of(double(support), double(depth))});
    }
  for (const auto& [what, support] : m_gaps) {
    const std::size_t depth = std::max<std::size_t>(m_depth[what.position], support);
    if (support < least_support || support < least_fraction * double(depth)) continue;
    out.push_back(
        {what.position, what.before, what.after, depth, support, quality_of(double(support), double(depth))});
  }
  std::sort(out.begin(), out.end(), [](const variant& a, const variant& b) {
    return std::tie(a.position, a.before, a.after) < std::tie(b.position, b.before, b.after);
  });
  return out;
}

double pile::mean_depth() const {
  double sum = 0;
  for (const std::uint32_t d : m_depth) sum += d;
  return m_depth.empty() ? 0 : sum / double(m_depth.size());
}

void write_vcf(std::ostream& out, const genome& of, const std::vector<variant>& variants) {
  out << "##fileformat=VCFv4.2\n##source=prism 09_genomics\n##contig=<ID=" << of.name
      << ",length=" << of.sequence.size() << ">\n"
      << "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Reads over the place\">\n"
      << "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Share of them with the change\">\n"
      << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  for (const variant& v : variants) {
    char figures[96];
    std::snprintf(figures, sizeof figures, "%.1f\tPASS\tDP=%zu;AF=%.3f", v.quality, v.depth,
                  double(v.support) / double(v.depth));
    out << of.name << '\t' << v.position + 1 << "\t.\t" << v.before << '\t' << v.after << '\t' << figures
        << '\n';
  }
}

} // namespace genomics
