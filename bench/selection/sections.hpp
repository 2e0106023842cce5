// The sections of docs/selection-measured.md, each as text. They throw on errors; the text names missing
// drivers.
#pragma once

#include <exception>
#include <string>

namespace bench {

struct selection_options {
  bool quick = false;
  std::string genome,
      reads; // FASTA and FASTQ of the pipeline; if empty, the section only states that it was not measured
};

/// The last clause of a message of a driver or PRISM.
inline std::string reason_of(const std::exception& e) {
  const std::string all = e.what(), line = all.substr(0, all.find('\n'));
  const std::size_t clause = line.rfind(": ");
  return clause == line.npos ? line : line.substr(clause + 2);
}

std::string decision_section();
std::string prediction_section(const selection_options& how);
std::string division_section(const selection_options& how);
std::string tuning_section(const selection_options& how);
std::string pipeline_section(const selection_options& how);

} // namespace bench
