// Variants of a genome with two copies, from the paths of its reads (<prism/align/path.hpp>): the bases of
// the reads are counted at each position, and a kernel computes the most likely genotypes. The likelihood is
// that of H. Li, "A statistical framework for SNP calling ...", Bioinformatics 27, 2011, with one error rate
// for all bases, in integers: each device gives the same result. Link prism::operations.
//
//   prism::align::pileup reads(genome);
//   for (...) reads.add(read, prism::align::path_of(read, genome.data(), found));
//   for (const prism::align::variant& v : reads.variants(queue, 0, genome.size())) ...
#pragma once

#include <prism/align/path.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace prism::align {

struct variant {
  std::size_t position = 0; // from 0, as VCF writes it: the base before an insertion or deletion
  std::string before, after;
  std::size_t depth = 0, support = 0; // reads over the position, and those with the change
  double quality = 0;                 // of the change, phred
  int copies = 0;                     // of two
  int genotype_quality = 0;           // phred
  std::array<int, 3> likelihoods{};   // of 0, 1 and 2 copies, phred; the most likely one has 0
};

/// The bases that the reads have at each position of a genome. Not thread-safe.
class pileup {
public:
  struct column {
    std::array<std::uint32_t, 4> bases{}; // reads with A, C, G, T
    std::uint32_t deleted = 0;            // reads with a deletion of this base
    std::uint32_t depth() const { return bases[0] + bases[1] + bases[2] + bases[3] + deleted; }
  };
  /// `genome` (codes) must live as long as this object.
  explicit pileup(const std::vector<std::uint8_t>& genome) : m_genome(genome), m_columns(genome.size()) {}
  void add(const std::vector<std::uint8_t>& read, const path& found);
  const std::vector<column>& columns() const noexcept { return m_columns; }
  /// Reads with an insertion behind the base, of any text, and reads with a deletion of the bases behind it.
  std::uint32_t insertions(std::size_t position) const { return gaps(position, true); }
  std::uint32_t deletions(std::size_t position) const { return gaps(position, false); }
  /// Changes of one or both copies in [first, first + count), in order, that at least `least_support` reads
  /// have. Submits a kernel to the queue and waits for it. Throws what the device reports.
  std::vector<variant> variants(sycl::queue& queue, std::size_t first, std::size_t count,
                                std::size_t least_support = 4) const;

private:
  struct change {
    std::size_t position;
    std::string before, after;
    friend bool operator<(const change& a, const change& b) {
      return std::tie(a.position, a.before, a.after) < std::tie(b.position, b.before, b.after);
    }
  };
  void add_gap(std::size_t position, std::string removed, std::string inserted);
  std::uint32_t gaps(std::size_t position, bool inserted) const;
  const std::vector<std::uint8_t>& m_genome;
  std::vector<column> m_columns;
  std::map<change, std::uint32_t> m_gaps;
};

} // namespace prism::align
