// Counts the bases of the reads at each position, calls the genotypes of a diploid genome, and writes
// VCF 4.3. The likelihood of the reads at a position is that of H. Li, "A statistical framework for SNP
// calling ...", Bioinformatics 27, 2011, with one error rate for all bases.
#include "samples/genomics/genomics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace genomics {

namespace {

constexpr char letters[] = "ACGTN";
constexpr std::size_t least_support = 4;
constexpr double least_quality = 20; // phred
constexpr double base_error = 0.01;

std::string text_of(const bases& b, std::size_t first, std::size_t count) {
  std::string out;
  for (std::size_t i = first; i < first + count; ++i) out += letters[b[i]];
  return out;
}

/// Sets genotype, likelihoods and qualities from `support` reads of `depth`. Returns whether it is a variant.
bool call(variant& v) {
  const double k = double(v.support), n = double(v.depth);
  const auto phred = [](double log10_of) { return -10 * log10_of; };
  const double seen = std::log10(1 - base_error), wrong = std::log10(base_error);
  const double costs[3] = {phred(k * wrong + (n - k) * seen), phred(n * std::log10(0.5)),
                           phred(k * seen + (n - k) * wrong)};
  v.copies = std::size_t(std::min_element(costs, costs + 3) - costs);
  double second = 999;
  for (std::size_t g = 0; g < 3; ++g) {
    v.likelihoods[g] = int(std::lround(std::min(costs[g] - costs[v.copies], 999.0)));
    if (g != v.copies) second = std::min(second, costs[g] - costs[v.copies]);
  }
  v.quality = std::clamp(costs[0] - costs[v.copies], 0.0, 999.0);
  v.genotype_quality = int(std::min(second, 99.0));
  return v.support >= least_support && v.copies != 0 && v.quality >= least_quality;
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
      if (base == m_genome.sequence[i]) continue;
      variant v{i, std::string(1, letters[m_genome.sequence[i]]), std::string(1, letters[base])};
      v.depth = m_depth[i];
      v.support = m_counts[i][base];
      if (call(v)) out.push_back(std::move(v));
    }
  for (const auto& [what, support] : m_gaps) {
    variant v{what.position, what.before, what.after};
    v.depth = std::max<std::size_t>(m_depth[what.position], support);
    v.support = support;
    if (call(v)) out.push_back(std::move(v));
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
  out << "##fileformat=VCFv4.3\n##source=prism 09_genomics\n##contig=<ID=" << of.name
      << ",length=" << of.sequence.size() << ">\n"
      << "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Reads over the place\">\n"
      << "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Share of them with the change\">\n"
      << "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      << "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Quality of the genotype, phred\">\n"
      << "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Likelihoods of 0/0, 0/1 and 1/1, phred\">\n"
      << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\treads\n";
  for (const variant& v : variants) {
    char figures[160];
    std::snprintf(figures, sizeof figures, "%.1f\tPASS\tDP=%zu;AF=%.3f\tGT:GQ:PL\t%s:%d:%d,%d,%d", v.quality,
                  v.depth, double(v.support) / double(v.depth), v.copies == 2 ? "1/1" : "0/1",
                  v.genotype_quality, v.likelihoods[0], v.likelihoods[1], v.likelihoods[2]);
    out << of.name << '\t' << v.position + 1 << "\t.\t" << v.before << '\t' << v.after << '\t' << figures
        << '\n';
  }
}

} // namespace genomics
