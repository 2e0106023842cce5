// The report of a run as text and as a page of HTML that needs no other file: what was read, coverage, the
// variants by significance, the genes, precision and recall where the truth is known, and the device and time
// of each stage with the one that limits the others.
#pragma once

#include "samples/genomics/genomics.hpp"

#include <optional>

namespace genomics {

struct report {
  const genome& reference;
  const outcome& found;
  std::optional<comparison> against_truth;
};

/// Mean depth of each of at most `parts` equal parts of a contig.
std::vector<double> coverage(const report& of, const contig& on, std::size_t parts);
double mean_depth(const report& of);
/// "17:41245466 A > G" or "17:100 AT > A".
std::string change_of(const report& of, const called& v);
/// The stage with the longest time per replica.
const prism::stage_report& bottleneck(const report& of);
std::string device_of(const prism::stage_report& stage); // "the host's thread" without a device

void write_text(std::ostream& out, const report& of);
void write_html(std::ostream& out, const report& of);

} // namespace genomics
