// Variants compared with files of known ones: annotation from a file in ClinVar's format, and precision and
// recall against the truth of planted data.
#pragma once

#include "samples/genomics/vcf.hpp"

namespace genomics {

/// Variants of a genome by position and text, to look up records of files.
class variant_index {
public:
  variant_index(std::vector<called>& variants, const genome& of);
  /// The variant of the record, or null.
  called* find(const vcf_record& record) const;

private:
  std::map<std::tuple<std::size_t, std::string, std::string>, called*> m_by_text;
  const genome& m_genome;
};

/// CLNSIG, GENEINFO and CLNDN of a record of ClinVar's VCF, in plain words: "BRCA1:672" is "BRCA1", blanks
/// are blanks, and diseases are separated by commas.
annotation annotation_of(const vcf_record& record);

/// Groups of a report, from the most serious on.
inline constexpr const char* significances[] = {
    "pathogenic", "likely pathogenic", "uncertain", "likely benign", "benign", "other", "not listed"};
/// Its index in `significances`.
std::size_t group_of(const annotation& known);

/// Called variants against planted ones.
struct comparison {
  std::size_t found = 0, missed = 0, wrong = 0, genotypes = 0; // genotypes: right ones among those found
  std::size_t planted() const { return found + missed; }
  double precision() const { return found + wrong == 0 ? 1 : double(found) / double(found + wrong); }
  double recall() const { return planted() == 0 ? 1 : double(found) / double(planted()); }
};
comparison compare(std::vector<called>& variants, const genome& of, const std::string& truth);

} // namespace genomics
