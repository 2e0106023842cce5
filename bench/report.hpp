// The benchmarks' report: rows that compare ours with theirs, as a text table and as JSON (schema
// "prism-bench/1"). Rows by size and number of threads are also a table of their own.
#pragma once

#include "bench/measure.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// The goal of a row. `ratio`: maximum of ours / theirs; `excess`: maximum of ours - theirs, in seconds;
/// `ours`: maximum of ours, in seconds.
struct goal {
  enum class kind { none, ratio, excess, ours };
  kind what = kind::none;
  double limit = 0;
};

/// For rows of one operation by size and number of threads, of which the report also has a table.
struct scaled_by {
  std::string operation, size;
  unsigned threads = 1;
};

struct row {
  std::string subject;      // a word of --subject, or "host"
  std::string name;         // "gemm"
  std::string device;       // as SYCL names it
  std::string ours, theirs; // what was compared
  series measured;
  goal wanted;
  std::optional<scaled_by> scaled = {};
};

class report {
public:
  /// Also prints the row on stderr.
  void add(row measured);
  /// Adds a reason in place of a row: a driver that is not installed, a measurement that was not requested,
  /// or a wrong result (`failed`).
  void skip(const std::string& subject, const std::string& device, const std::string& reason,
            bool failed = false);
  void fact(const std::string& name, const std::string& value);
  /// The table, with a geometric mean over the kernel rows of each device, and a table by size and threads.
  std::string text() const;
  std::string json() const;
  /// Writes DIR/bench.txt and DIR/bench.json. Throws std::runtime_error if it cannot write to DIR.
  void write(const std::filesystem::path& folder) const;
  bool failed() const noexcept { return m_failed; }

private:
  struct gap {
    std::string subject, device, reason;
    bool failed;
  };
  struct mean {
    std::string subject, device, theirs;
    double wall, processor;
    std::size_t rows;
  };
  std::vector<mean> means() const;
  std::string scaling_text() const;

  std::vector<row> m_rows;
  std::vector<gap> m_gaps;
  std::vector<std::pair<std::string, std::string>> m_facts;
  bool m_failed = false;
};

} // namespace bench
