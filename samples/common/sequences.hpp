// Reads FASTA and FASTQ, plain or gzip: names, and bases as codes 0..3 for ACGT and 4 for anything else.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace samples {

struct sequence {
  std::string name;
  std::vector<std::uint8_t> bases;
};

inline std::uint8_t base_code(char c) {
  switch (c) {
    case 'A':
    case 'a': return 0;
    case 'C':
    case 'c': return 1;
    case 'G':
    case 'g': return 2;
    case 'T':
    case 't': return 3;
    default: return 4;
  }
}

/// Reads at most `limit` records. Throws std::runtime_error that names the file if it cannot be read or is in
/// neither format.
inline std::vector<sequence> read_sequences(const std::string& path, std::size_t limit = std::size_t(-1)) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<sequence> all;
  std::string line;
  bool quality = false;
  std::size_t quality_left = 0;
  char chunk[4096];
  while (gzgets(file, chunk, sizeof chunk)) {
    line += chunk;
    if (line.back() != '\n' && !gzeof(file)) continue;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (quality) {
      quality_left -= std::min(quality_left, line.size());
      quality = quality_left > 0;
    } else if (!line.empty() && (line[0] == '>' || line[0] == '@')) {
      if (all.size() == limit) break;
      all.push_back({line.substr(1, line.find(' ') - 1), {}});
    } else if (!line.empty() && line[0] == '+' && !all.empty()) {
      quality_left = all.back().bases.size();
      quality = quality_left > 0;
    } else if (!line.empty()) {
      if (all.empty()) {
        gzclose(file);
        throw std::runtime_error(path + " is neither FASTA nor FASTQ: it begins with '" + line.substr(0, 20) +
                                 "'");
      }
      for (char c : line) all.back().bases.push_back(base_code(c));
    }
    line.clear();
  }
  gzclose(file);
  if (all.empty()) throw std::runtime_error(path + " holds no sequence");
  return all;
}

} // namespace samples
