// From reads to variants: FASTQ -> parse -> align on a device -> trace -> count, then call genotypes on a
// device -> annotate. Each arrow is a channel of a prism::pipeline: the stages run at the same time, and the
// memory that reads use is limited.
#pragma once

#include "samples/genomics/knowledge.hpp"

#include <prism/prism.hpp>

#include <iosfwd>

namespace genomics {

struct settings {
  std::size_t batch = 1024;              // most reads in a batch
  std::size_t memory = 64 << 20;         // bytes that the reads in work may use
  prism::stage_options align, genotypes; // their devices: a policy or a list
  std::ostream* sam = nullptr;           // where to write the alignments
  std::string journal;                   // a file, so that a killed run can go on; empty: none
  std::string annotation;                // a VCF file in ClinVar's format; empty: none
};
struct outcome {
  explicit outcome(const genome& of) : pile(of.sequence) {}
  std::vector<called> variants;
  prism::align::pileup pile;
  std::size_t reads = 0, placed = 0, resumed = 0; // resumed: reads whose batches the journal had
  std::vector<prism::stage_report> stages;
  prism::seconds wall{0};
  prism::pipeline_report alignment; // of the first pipeline alone
};
outcome run(const std::string& fastq, const genome& reference, const settings& how);
/// The time of the alignments alone, with reads already parsed, for comparison with the pipeline.
prism::seconds align_alone(const std::string& fastq, const genome& reference, const settings& how);

/// A line for each position of the genome that reads cover: contig, position, base, depth, reads with A, C,
/// G, T, with a deletion of this base, and with an insertion behind it.
void write_pile_up(std::ostream& out, const genome& of, const prism::align::pileup& pile);

} // namespace genomics
