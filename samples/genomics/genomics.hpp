// From reads to variants: FASTQ.gz -> parse -> align on a device -> trace on the host -> call -> VCF, as a
// prism::pipeline whose stages run concurrently. Bases are codes 0..3 for ACGT and 4 for anything else.
#pragma once

#include <prism/prism.hpp>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace genomics {

using bases = std::vector<std::uint8_t>;

struct read {
  std::string name;
  bases sequence;
};
struct genome {
  std::string name;
  bases sequence;
};

/// Blocks of whole records of a FASTQ file, plain or gzip. Throws std::runtime_error that names the file.
class fastq_blocks {
public:
  fastq_blocks(const std::string& file, std::size_t records_a_block);
  ~fastq_blocks();
  /// The next block; empty at the end of the file.
  std::string next();

private:
  struct state;
  std::unique_ptr<state> m_state;
};
/// The reads of a block. Throws std::runtime_error if it is not FASTQ.
std::vector<read> parse(const std::string& block);
/// The first sequence of a FASTA file. Throws std::runtime_error.
genome read_genome(const std::string& file);
bases reverse_complement(const bases& b);

/// The position of a read, in the genome's direction.
struct placed {
  std::string name;
  bases sequence; // reversed and complemented if it comes from the other strand
  bool reverse = false;
  int score = 0;                           // below the threshold the read is not placed
  std::size_t window = 0, window_size = 0; // part of the genome with the alignment
  std::size_t position = 0, skipped = 0; // after trace: first base of the genome, bases of the read before it
  std::vector<std::pair<char, std::size_t>> operations; // 'M', 'I' or 'D', and its length
};
/// Aligns both strands of each read on the queue's device; returns the better one.
std::vector<placed> align(sycl::queue& queue, std::vector<read> reads, sycl::buffer<std::uint8_t>& reference);
/// Computes the alignment itself, with the same scores.
void trace(placed& p, const bases& reference);

struct variant {
  std::size_t position = 0; // from 0, as VCF writes it: the base before an insertion or deletion
  std::string before, after;
  std::size_t depth = 0, support = 0;
  double quality = 0;                            // of the change, phred
  std::size_t copies = 0;                        // of two
  int genotype_quality = 0, likelihoods[3] = {}; // phred; of 0, 1 and 2 copies
};

/// The bases that the reads have at each position of a genome.
class pile {
public:
  explicit pile(const genome& of) : m_genome(of), m_counts(of.sequence.size()), m_depth(of.sequence.size()) {}
  void add(const placed& p);
  /// Changes of one or both copies of the genome that at least four reads have.
  std::vector<variant> variants() const;
  double mean_depth() const;

private:
  struct change {
    std::size_t position;
    std::string before, after;
    friend bool operator<(const change& a, const change& b) {
      return std::tie(a.position, a.before, a.after) < std::tie(b.position, b.before, b.after);
    }
  };
  void add_gap(std::size_t position, std::string removed, std::string inserted);
  const genome& m_genome;
  std::vector<std::array<std::uint32_t, 4>> m_counts;
  std::vector<std::uint32_t> m_depth;
  std::map<change, std::uint32_t> m_gaps;
};

void write_vcf(std::ostream& out, const genome& of, const std::vector<variant>& variants);

// SAM 1.6, without base qualities.
void write_sam_header(std::ostream& out, const genome& of);
void write_sam(std::ostream& out, const genome& of, const placed& p);

struct settings {
  std::size_t batch = 64;          // reads in a batch
  prism::execution_policy policy;  // for the device of the alignment
  std::vector<std::string> prefer; // or a list of devices
  std::ostream* sam = nullptr;     // where to write the alignments
};
struct outcome {
  std::vector<variant> variants;
  std::size_t reads = 0, placed = 0;
  double mean_depth = 0;
  prism::pipeline_report report;
};
outcome run(const std::string& fastq, const genome& reference, const settings& how);
/// The time of the alignments alone, with reads already parsed, for comparison with the pipeline.
prism::seconds align_alone(const std::string& fastq, const genome& reference, const settings& how);

} // namespace genomics
