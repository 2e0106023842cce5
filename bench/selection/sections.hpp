// The parts of docs/selection-measured.md, each as text. They throw for what goes wrong; a driver that is missing is named in the
// text.
#pragma once

#include <string>

namespace bench {

struct selection_options {
  bool quick = false;
  std::string genome, reads; // FASTA and FASTQ of the pipeline; empty: that part is left out and says so
};

std::string decision_section();
std::string prediction_section(const selection_options& how);
std::string division_section(const selection_options& how);
std::string tuning_section(const selection_options& how);
std::string pipeline_section(const selection_options& how);

} // namespace bench
