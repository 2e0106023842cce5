// The benchmarks' report: rows of ours against theirs, as a table for people and as JSON (schema
// "prism-bench/1").
#pragma once

#include "bench/measure.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What a row must reach. `ratio`: ours / theirs at most; `excess`: ours - theirs at most, in seconds;
/// `ours`: ours at most, in seconds.
struct goal {
  enum class kind { none, ratio, excess, ours };
  kind what = kind::none;
  double limit = 0;
};

struct row {
  std::string subject;      // a word of --subject, or "host"
  std::string name;         // "gemm"
  std::string device;       // as SYCL names it
  std::string ours, theirs; // what was compared
  series measured;
  goal wanted;
};

class report {
public:
  /// Rows appear on stderr as they come.
  void add(row measured);
  /// A driver that is not here, what was not asked for, or a result that is wrong (`failed`): the reason is
  /// shown in place of the row.
  void skip(const std::string& subject, const std::string& device, const std::string& reason,
            bool failed = false);
  void fact(const std::string& name, const std::string& value);
  /// A summary over the ratios of all kernel rows of each device.
  std::string text() const;
  std::string json() const;
  /// DIR/bench.txt and DIR/bench.json. Throws std::runtime_error when DIR cannot be written.
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

  std::vector<row> m_rows;
  std::vector<gap> m_gaps;
  std::vector<std::pair<std::string, std::string>> m_facts;
  bool m_failed = false;
};

} // namespace bench
