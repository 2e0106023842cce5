// Reads with zlib, which also reads uncompressed files.
#include "samples/genomics/reads.hpp"
#include "samples/common/sequences.hpp"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace genomics {

namespace {

// An alignment over it would need a gap of this length, which costs more than the best score of 256 bases.
constexpr std::size_t between_contigs = 512;

bases codes(const std::string& text) {
  bases out(text.size());
  std::transform(text.begin(), text.end(), out.begin(), samples::base_code);
  return out;
}

} // namespace

struct lines::state {
  std::string name;
  gzFile file;
};

lines::lines(const std::string& file) : m_state(new state{file, gzopen(file.c_str(), "rb")}) {
  if (m_state->file == nullptr) throw std::runtime_error("cannot open " + file);
}
lines::~lines() { gzclose(m_state->file); }

bool lines::next(std::string& line) {
  line.clear();
  char chunk[1024];
  while (gzgets(m_state->file, chunk, sizeof chunk)) {
    line += chunk;
    if (!line.empty() && line.back() == '\n') break;
  }
  int status = Z_OK;
  const char* words = gzerror(m_state->file, &status);
  if (status != Z_OK && status != Z_STREAM_END) throw std::runtime_error(m_state->name + ": " + words);
  if (line.empty()) return false;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return true;
}

const contig& genome::at(std::size_t position) const {
  const auto behind = std::upper_bound(contigs.begin(), contigs.end(), position,
                                       [](std::size_t value, const contig& c) { return value < c.first; });
  return *(behind - 1);
}

genome read_genome(const std::string& file) {
  lines source(file);
  genome out;
  for (std::string line; source.next(line);) {
    if (line.empty()) continue;
    if (line[0] != '>' && out.contigs.empty())
      throw std::runtime_error(file + " is not a FASTA file: it begins with \"" + line.substr(0, 20) + "\"");
    if (line[0] == '>') {
      if (!out.contigs.empty()) out.sequence.resize(out.sequence.size() + between_contigs, 4);
      out.contigs.push_back({line.substr(1, line.find_first_of(" \t") - 1), out.sequence.size(), 0});
    } else {
      const bases more = codes(line);
      out.sequence.insert(out.sequence.end(), more.begin(), more.end());
      out.contigs.back().size += more.size();
    }
  }
  if (out.sequence.empty()) throw std::runtime_error(file + " contains no sequence");
  return out;
}

std::string fastq_blocks::next(std::size_t records, std::size_t bytes) {
  std::string block, line;
  for (std::size_t count = 0; count < 4 * std::max<std::size_t>(records, 1); ++count) {
    if (count % 4 == 0 && block.size() >= bytes) break;
    if (!m_lines.next(line)) {
      if (count % 4 != 0)
        throw std::runtime_error(m_name + ": the last record has " + std::to_string(count % 4) +
                                 " lines instead of 4");
      break;
    }
    block += line + '\n';
  }
  return block;
}

std::vector<read> parse(const std::string& block) {
  std::vector<read> out;
  std::size_t at = 0;
  const auto line = [&] {
    const std::size_t end = std::min(block.find('\n', at), block.size());
    const std::string text = block.substr(at, end - at);
    at = end + 1;
    return text;
  };
  while (at < block.size()) {
    const std::string name = line(), sequence = line(), plus = line(), quality = line();
    if (name.empty() || name[0] != '@' || plus.empty() || plus[0] != '+' || sequence.size() != quality.size())
      throw std::runtime_error("this is not a FASTQ record: \"" + name.substr(0, 40) + "\"");
    out.push_back({name.substr(1, name.find_first_of(" \t") - 1), codes(sequence)});
  }
  return out;
}

bases reverse_complement(const bases& b) {
  bases out(b.rbegin(), b.rend());
  for (std::uint8_t& base : out) base = base > 3 ? base : std::uint8_t(3 - base);
  return out;
}

std::string text_of(const bases& b) {
  std::string out;
  for (const std::uint8_t base : b) out += "ACGTN"[base];
  return out;
}

} // namespace genomics
