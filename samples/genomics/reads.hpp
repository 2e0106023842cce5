// Genomes and reads from files. Bases are codes 0..3 for ACGT and 4 for anything else. Files may be plain or
// gzip; errors are std::runtime_error with the file's name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace genomics {

using bases = std::vector<std::uint8_t>;

/// A sequence of the FASTA file, and its part of genome::sequence.
struct contig {
  std::string name;
  std::size_t first = 0, size = 0;
};
struct genome {
  bases sequence; // all contigs, with so many unknown bases between two that no alignment has bases of both
  std::vector<contig> contigs;
  const contig& at(std::size_t position) const; // the contig with this base of `sequence`
};
genome read_genome(const std::string& file);

/// Lines of a file.
class lines {
public:
  explicit lines(const std::string& file);
  ~lines();
  /// Without its end; false at the end of the file.
  bool next(std::string& line);

private:
  struct state;
  std::unique_ptr<state> m_state;
};

struct read {
  std::string name;
  bases sequence;
};

/// Blocks of whole records of a FASTQ file.
class fastq_blocks {
public:
  explicit fastq_blocks(const std::string& file) : m_name(file), m_lines(file) {}
  /// At most `records` records, and no more after `bytes` bytes; empty at the end of the file.
  std::string next(std::size_t records, std::size_t bytes = std::size_t(-1));

private:
  std::string m_name;
  lines m_lines;
};
/// The reads of a block. Throws std::runtime_error if it is not FASTQ.
std::vector<read> parse(const std::string& block);
bases reverse_complement(const bases& b);
std::string text_of(const bases& b);

} // namespace genomics
