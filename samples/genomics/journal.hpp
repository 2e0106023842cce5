// A file of the batches that are complete, so that a run that was killed goes on where it ended. Each batch
// is its SAM records and a line with their checksum, written at once. A batch that is not whole, the last one
// of a killed process, is removed and computed again.
#pragma once

#include "samples/genomics/alignments.hpp"

#include <fstream>
#include <optional>

namespace genomics {

class journal {
public:
  /// Opens or creates it. Throws std::runtime_error if it belongs to another genome or cannot be written.
  journal(const std::string& file, const genome& of);
  /// The next batch of the earlier run, as SAM records; none after the last.
  std::optional<std::vector<placed>> next();
  /// Adds a batch. Only after next() returned none.
  void add(const std::string& records);

private:
  std::string m_file;
  const genome& m_genome;
  std::fstream m_stream;
  std::streamoff m_whole = 0; // bytes of whole batches
};

} // namespace genomics
