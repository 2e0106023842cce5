// Writes alignments as SAM 1.6 (Sequence Alignment/Map Format Specification, samtools.github.io/hts-specs).
#include "samples/genomics/genomics.hpp"

#include <ostream>

namespace genomics {

namespace {

constexpr int unmapped = 4, reversed = 16; // flags
constexpr int unknown_quality = 255;

} // namespace

void write_sam_header(std::ostream& out, const genome& of) {
  out << "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:" << of.name << "\tLN:" << of.sequence.size()
      << "\n@PG\tID:09_genomics\tPN:09_genomics\n";
}

void write_sam(std::ostream& out, const genome& of, const placed& p) {
  const std::string name = p.name.substr(0, p.name.find_first_of(" \t"));
  std::string sequence;
  for (const std::uint8_t base : p.sequence) sequence += "ACGTN"[base];
  if (p.score == 0) {
    out << name << '\t' << (unmapped | (p.reverse ? reversed : 0)) << "\t*\t0\t0\t*\t*\t0\t0\t" << sequence
        << "\t*\n";
    return;
  }
  std::size_t used = p.skipped;
  out << name << '\t' << (p.reverse ? reversed : 0) << '\t' << of.name << '\t' << p.position + 1 << '\t'
      << unknown_quality << '\t';
  if (p.skipped != 0) out << p.skipped << 'S';
  for (const auto& [operation, count] : p.operations) {
    out << count << operation;
    if (operation != 'D') used += count;
  }
  if (used != p.sequence.size()) out << p.sequence.size() - used << 'S';
  out << "\t*\t0\t0\t" << sequence << "\t*\tAS:i:" << p.score << '\n';
}

} // namespace genomics
