// Reads FASTQ and FASTA with zlib, which also reads uncompressed files.
#include "samples/common/sequences.hpp"
#include "samples/genomics/genomics.hpp"

#include <prism/align.hpp>

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace genomics {

namespace {

bases codes(const std::string& text) {
  bases out(text.size());
  std::transform(text.begin(), text.end(), out.begin(), samples::base_code);
  return out;
}

/// Reads a line without its end; false at the end of the file.
bool line_of(gzFile file, std::string& line, const std::string& name) {
  line.clear();
  char chunk[1024];
  while (gzgets(file, chunk, sizeof chunk)) {
    line += chunk;
    if (!line.empty() && line.back() == '\n') break;
  }
  int status = Z_OK;
  const char* words = gzerror(file, &status);
  if (status != Z_OK && status != Z_STREAM_END) throw std::runtime_error(name + ": " + words);
  if (line.empty()) return false;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return true;
}

struct opened {
  gzFile file;
  explicit opened(const std::string& name) : file(gzopen(name.c_str(), "rb")) {
    if (file == nullptr) throw std::runtime_error("cannot open " + name);
  }
  ~opened() { gzclose(file); }
  opened(const opened&) = delete;
};

} // namespace

struct fastq_blocks::state {
  std::string name;
  opened source;
  std::size_t records;
};

fastq_blocks::fastq_blocks(const std::string& file, std::size_t records)
    : m_state(new state{file, opened(file), std::max<std::size_t>(records, 1)}) {}
fastq_blocks::~fastq_blocks() = default;

std::string fastq_blocks::next() {
  std::string block, line;
  for (std::size_t lines = 0; lines < 4 * m_state->records; ++lines) {
    if (!line_of(m_state->source.file, line, m_state->name)) {
      if (lines % 4 != 0)
        throw std::runtime_error(m_state->name + ": the last record has " + std::to_string(lines % 4) +
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
    if (!sequence.empty() && sequence.size() <= prism::align::longest_read)
      out.push_back({name.substr(1, name.find(' ') - 1), codes(sequence)});
  }
  return out;
}

genome read_genome(const std::string& file) {
  const opened source(file);
  genome out;
  for (std::string line; line_of(source.file, line, file);) {
    if (line.empty()) continue;
    if (line[0] != '>' && out.name.empty())
      throw std::runtime_error(file + " is not a FASTA file: it begins with \"" + line.substr(0, 20) + "\"");
    if (line[0] == '>' && !out.name.empty()) break;
    if (line[0] == '>') {
      out.name = line.substr(1, line.find_first_of(" \t") - 1);
    } else {
      const bases more = codes(line);
      out.sequence.insert(out.sequence.end(), more.begin(), more.end());
    }
  }
  if (out.sequence.empty()) throw std::runtime_error(file + " contains no sequence");
  return out;
}

bases reverse_complement(const bases& b) {
  bases out(b.rbegin(), b.rend());
  for (std::uint8_t& base : out) base = base > 3 ? base : std::uint8_t(3 - base);
  return out;
}

} // namespace genomics
