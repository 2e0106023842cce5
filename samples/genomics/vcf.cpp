// The Variant Call Format Specification, VCFv4.3, samtools.github.io/hts-specs.
#include "samples/genomics/vcf.hpp"

#include <cstdio>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace genomics {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

std::string without_prefix(const std::string& name) {
  return name.rfind("chr", 0) == 0 ? name.substr(3) : name;
}

/// Values of INFO have no blanks, semicolons, equals signs and percent signs.
std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    out += c == ' ' ? "_" : c == ';' || c == '=' || c == '%' || c == '\t' ? code : std::string(1, c);
  }
  return out;
}

void trim(vcf_record& r) {
  while (r.before.size() > 1 && r.after.size() > 1 && r.before.back() == r.after.back())
    r.before.pop_back(), r.after.pop_back();
  while (r.before.size() > 1 && r.after.size() > 1 && r.before[0] == r.after[0])
    r.before.erase(0, 1), r.after.erase(0, 1), ++r.position;
}

constexpr char meta[] =
    "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Reads over the position\">\n"
    "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Share of them with the change\">\n"
    "##INFO=<ID=CLNSIG,Number=.,Type=String,Description=\"Clinical significance, from the annotation\">\n"
    "##INFO=<ID=GENEINFO,Number=1,Type=String,Description=\"Gene, from the annotation\">\n"
    "##INFO=<ID=CLNDN,Number=.,Type=String,Description=\"Disease, from the annotation\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Quality of the genotype, phred\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Likelihoods of 0/0, 0/1 and 1/1, phred\">\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\treads\n";

} // namespace

const char* genotype_of(const prism::align::variant& v) { return v.copies == 2 ? "1/1" : "0/1"; }

void write_vcf(std::ostream& out, const genome& of, const std::vector<called>& variants) {
  out << "##fileformat=VCFv4.3\n##source=prism 09_genomics\n";
  for (const contig& c : of.contigs) out << "##contig=<ID=" << c.name << ",length=" << c.size << ">\n";
  out << meta;
  for (const called& v : variants) {
    const contig& on = of.at(v.position);
    char figures[80];
    std::snprintf(figures, sizeof figures, "%.1f\tPASS\tDP=%zu;AF=%.3f", v.quality, v.depth,
                  double(v.support) / double(v.depth));
    out << on.name << '\t' << v.position - on.first + 1 << '\t' << (v.known.id.empty() ? "." : v.known.id)
        << '\t' << v.before << '\t' << v.after << '\t' << figures;
    if (!v.known.significance.empty()) out << ";CLNSIG=" << encoded(v.known.significance);
    if (!v.known.gene.empty()) out << ";GENEINFO=" << encoded(v.known.gene);
    if (!v.known.disease.empty()) out << ";CLNDN=" << encoded(v.known.disease);
    out << "\tGT:GQ:PL\t" << genotype_of(v) << ':' << v.genotype_quality << ':' << v.likelihoods[0] << ','
        << v.likelihoods[1] << ',' << v.likelihoods[2] << '\n';
  }
}

std::vector<vcf_record> vcf_records::next(std::size_t count) {
  std::vector<vcf_record> out;
  std::string line;
  while (out.size() < count && m_lines.next(line)) {
    ++m_line;
    if (m_line == 1 && line.rfind("##fileformat=VCF", 0) != 0)
      throw std::runtime_error(m_name + " is not a VCF file: it begins with \"" + line.substr(0, 20) + "\"");
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> f = split(line, '\t');
    char* end = nullptr;
    const unsigned long position = f.size() < 8 ? 0 : std::strtoul(f[1].c_str(), &end, 10);
    if (position == 0 || *end != '\0')
      throw std::runtime_error(m_name + ", line " + std::to_string(m_line) + ": this is not a VCF record");
    for (const std::string& after : split(f[4], ',')) {
      if (after.find_first_not_of("ACGTNacgtn") != std::string::npos) continue; // ".", "*" and symbols
      vcf_record r{f[0], position - 1, f[2], f[3], after, f[7], f.size() < 10 ? "" : f[9].substr(0, 3)};
      trim(r);
      out.push_back(std::move(r));
    }
  }
  return out;
}

std::string info_value(const std::string& info, const std::string& key) {
  for (const std::string& part : split(info, ';'))
    if (part.rfind(key + "=", 0) == 0) {
      std::string out;
      for (std::size_t i = key.size() + 1; i < part.size(); ++i) {
        if (part[i] == '%' && i + 2 < part.size()) {
          out += char(std::strtol(part.substr(i + 1, 2).c_str(), nullptr, 16));
          i += 2;
        } else {
          out += part[i];
        }
      }
      return out;
    }
  return {};
}

std::size_t position_of(const vcf_record& record, const genome& of) {
  for (const contig& c : of.contigs)
    if (without_prefix(c.name) == without_prefix(record.contig) && record.position < c.size)
      return c.first + record.position;
  return nowhere;
}

} // namespace genomics
