#include "samples/genomics/knowledge.hpp"

#include <algorithm>

namespace genomics {

namespace {

/// "|" separates values, "_" stands for a blank.
std::string in_words(const std::string& value) {
  std::string out;
  for (const char c : value)
    if (c == '|') out += ", ";
    else out += c == '_' ? ' ' : c;
  return out;
}

} // namespace

variant_index::variant_index(std::vector<called>& variants, const genome& of) : m_genome(of) {
  for (called& v : variants) m_by_text[{v.position, v.before, v.after}] = &v;
}

called* variant_index::find(const vcf_record& record) const {
  const std::size_t position = position_of(record, m_genome);
  if (position == nowhere) return nullptr;
  const auto there = m_by_text.find({position, record.before, record.after});
  return there == m_by_text.end() ? nullptr : there->second;
}

annotation annotation_of(const vcf_record& record) {
  const std::string genes = info_value(record.info, "GENEINFO"); // NAME:ID|NAME:ID
  std::string names;
  for (std::size_t at = 0; at < genes.size();) {
    const std::size_t end = std::min(genes.find('|', at), genes.size());
    const std::string one = genes.substr(at, end - at);
    names += (names.empty() ? "" : ", ") + one.substr(0, one.find(':'));
    at = end + 1;
  }
  return {record.id == "." ? "" : record.id, in_words(info_value(record.info, "CLNSIG")), names,
          in_words(info_value(record.info, "CLNDN"))};
}

std::size_t group_of(const annotation& known) {
  const std::string& s = known.significance;
  const auto begins = [&](const char* words) { return s.rfind(words, 0) == 0; };
  if (s.empty()) return 6;
  if (begins("Pathogenic")) return 0; // with "Pathogenic/Likely pathogenic"
  if (begins("Likely pathogenic")) return 1;
  if (begins("Uncertain") || begins("Conflicting")) return 2;
  if (begins("Likely benign")) return 3;
  if (begins("Benign")) return 4;
  return 5;
}

comparison compare(std::vector<called>& variants, const genome& of, const std::string& truth) {
  comparison out;
  const variant_index index(variants, of);
  vcf_records records(truth);
  for (auto some = records.next(1000); !some.empty(); some = records.next(1000))
    for (const vcf_record& r : some) {
      const called* const v = index.find(r);
      v == nullptr ? ++out.missed : ++out.found;
      if (v != nullptr && r.genotype == genotype_of(*v)) ++out.genotypes;
    }
  out.wrong = variants.size() - std::min(variants.size(), out.found);
  return out;
}

} // namespace genomics
