#include "samples/genomics/journal.hpp"

#include <zlib.h>

#include <filesystem>
#include <stdexcept>

namespace genomics {

namespace {

constexpr char end_mark[] = "@end ";

std::string checksum(const void* data, std::size_t bytes) {
  return std::to_string(crc32(0, static_cast<const Bytef*>(data), static_cast<uInt>(bytes)));
}

} // namespace

journal::journal(const std::string& file, const genome& of) : m_file(file), m_genome(of) {
  const std::string title =
      "@journal of 09_genomics, genome " + checksum(of.sequence.data(), of.sequence.size());
  if (!std::filesystem::exists(file) || std::filesystem::file_size(file) == 0)
    if (!(std::ofstream(file) << title << std::endl)) throw std::runtime_error("cannot write " + file);
  m_stream.open(file, std::ios::in | std::ios::out | std::ios::binary);
  std::string line;
  if (!m_stream || !std::getline(m_stream, line)) throw std::runtime_error("cannot open " + file);
  if (line != title)
    throw std::runtime_error(file +
                             " is no journal of a run with this genome; use another file or delete it");
  m_whole = m_stream.tellg();
}

std::optional<std::vector<placed>> journal::next() {
  std::string records, line;
  std::vector<placed> out;
  while (std::getline(m_stream, line) && !m_stream.eof()) {
    if (line.rfind(end_mark, 0) == 0) {
      if (line.substr(sizeof end_mark - 1) != checksum(records.data(), records.size())) break;
      for (std::size_t at = 0; at < records.size();) {
        const std::size_t end = records.find('\n', at);
        out.push_back(read_sam_record(m_genome, records.substr(at, end - at)));
        at = end + 1;
      }
      m_whole = m_stream.tellg();
      return out;
    }
    records += line + '\n';
  }
  m_stream.close();
  std::filesystem::resize_file(m_file, std::uintmax_t(m_whole));
  m_stream.open(m_file, std::ios::out | std::ios::app | std::ios::binary);
  return std::nullopt;
}

void journal::add(const std::string& records) {
  m_stream << records << end_mark << checksum(records.data(), records.size()) << '\n' << std::flush;
  if (!m_stream) throw std::runtime_error("cannot write " + m_file);
}

} // namespace genomics
