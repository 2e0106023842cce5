// Sequence Alignment/Map Format Specification, samtools.github.io/hts-specs.
#include "samples/genomics/alignments.hpp"

#include "samples/common/sequences.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace genomics {

namespace {

constexpr int unmapped = 4, reversed = 16; // flags
constexpr int unknown_quality = 255;

std::size_t number(std::string_view text) {
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("\"" + std::string(text) + "\" in a SAM record is no number");
  return out;
}

void read_cigar(std::string_view cigar, prism::align::path& out) {
  while (!cigar.empty()) {
    const std::size_t digits = cigar.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) throw std::runtime_error("a SAM record ends in its path");
    const std::size_t count = number(cigar.substr(0, digits));
    if (cigar[digits] != 'S') out.operations.emplace_back(cigar[digits], count);
    else if (out.operations.empty()) out.skipped = count;
    cigar.remove_prefix(digits + 1);
  }
}

} // namespace

std::string sam_header(const genome& of) {
  std::string out = "@HD\tVN:1.6\tSO:unknown\n";
  for (const contig& c : of.contigs) out += "@SQ\tSN:" + c.name + "\tLN:" + std::to_string(c.size) + "\n";
  return out + "@PG\tID:09_genomics\tPN:09_genomics\n";
}

std::string sam_record(const genome& of, const placed& p) {
  std::ostringstream out;
  const std::string sequence = p.sequence.empty() ? "*" : text_of(p.sequence);
  out << p.name << '\t';
  if (p.found.score == 0) {
    out << (unmapped | (p.reverse ? reversed : 0)) << "\t*\t0\t0\t*\t*\t0\t0\t" << sequence << "\t*\n";
    return out.str();
  }
  const contig& on = of.at(p.path.position);
  out << (p.reverse ? reversed : 0) << '\t' << on.name << '\t' << p.path.position - on.first + 1 << '\t'
      << unknown_quality << '\t';
  if (p.path.skipped != 0) out << p.path.skipped << 'S';
  std::size_t used = p.path.skipped;
  for (const auto& [operation, count] : p.path.operations) {
    out << count << operation;
    if (operation != 'D') used += count;
  }
  if (used != p.sequence.size()) out << p.sequence.size() - used << 'S';
  out << "\t*\t0\t0\t" << sequence << "\t*\tAS:i:" << p.found.score << '\n';
  return out.str();
}

placed read_sam_record(const genome& of, const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  if (fields.size() < 11) throw std::runtime_error("a SAM record has fewer than 11 fields");
  placed out;
  out.name = fields[0];
  const std::size_t flags = number(fields[1]);
  out.reverse = (flags & reversed) != 0;
  if (fields[9] != "*")
    for (const char c : fields[9]) out.sequence.push_back(samples::base_code(c));
  if ((flags & unmapped) != 0) return out;
  for (const contig& c : of.contigs)
    if (c.name == fields[2]) out.path.position = c.first + number(fields[3]) - 1;
  read_cigar(fields[5], out.path);
  if (fields.size() < 12 || fields[11].rfind("AS:i:", 0) != 0)
    throw std::runtime_error("a SAM record has no score");
  out.found.score = int(number(std::string_view(fields[11]).substr(5)));
  return out;
}

} // namespace genomics
