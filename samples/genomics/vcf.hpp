// Variants as VCF 4.3: written with their genotypes and annotation; records of other files are read in
// blocks.
#pragma once

#include "samples/genomics/reads.hpp"

#include <prism/align/variants.hpp>

#include <iosfwd>

namespace genomics {

/// What a file in ClinVar's format says of a variant; empty where it has none.
struct annotation {
  std::string id, significance, gene, disease;
};
struct called : prism::align::variant {
  annotation known;
};
const char* genotype_of(const prism::align::variant& v); // "0/1" or "1/1"
void write_vcf(std::ostream& out, const genome& of, const std::vector<called>& variants);

/// A record of a VCF file, for one of its alternatives, with the fewest bases that express it.
struct vcf_record {
  std::string contig;
  std::size_t position = 0; // from 0
  std::string id, before, after, info, genotype;
};
class vcf_records {
public:
  explicit vcf_records(const std::string& file) : m_name(file), m_lines(file) {}
  /// About `count` records; none at the end of the file. Throws std::runtime_error for other files.
  std::vector<vcf_record> next(std::size_t count);

private:
  std::string m_name;
  lines m_lines;
  std::size_t m_line = 0;
};
/// The value of a key in the field INFO, with %-codes replaced; empty if there is none.
std::string info_value(const std::string& info, const std::string& key);
/// The position in the genome's sequence; none if it has no such contig. "chr1" and "1" are the same.
std::size_t position_of(const vcf_record& record, const genome& of);
constexpr std::size_t nowhere = std::size_t(-1);

} // namespace genomics
