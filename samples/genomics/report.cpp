// The functions that both forms of the report share, and the report as text.
#include "samples/genomics/report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace genomics {

namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char out[200];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

/// A character for each part, from no depth to the largest.
std::string bars(const std::vector<double>& depths) {
  constexpr char levels[] = " .:-=+*#%@";
  const double most = std::max(1.0, *std::max_element(depths.begin(), depths.end()));
  std::string out;
  for (const double d : depths) out += levels[std::size_t(d / most * 9)];
  return out;
}

void write_variants(std::ostream& out, const report& of) {
  for (std::size_t group = 0; group < std::size(significances); ++group) {
    std::string lines;
    std::size_t count = 0;
    for (const called& v : of.found.variants) {
      if (group_of(v.known) != group) continue;
      ++count;
      lines += formatted("  %-24s %s  %zu of %zu reads, quality %.0f", change_of(of, v).c_str(),
                         genotype_of(v), v.support, v.depth, v.quality);
      if (!v.known.gene.empty()) lines += "  " + v.known.gene;
      if (!v.known.disease.empty()) lines += ": " + v.known.disease;
      lines += '\n';
    }
    if (count != 0) out << significances[group] << ": " << count << '\n' << lines;
  }
}

} // namespace

std::vector<double> coverage(const report& of, const contig& on, std::size_t parts) {
  parts = std::clamp<std::size_t>(on.size, 1, parts);
  std::vector<double> out(parts);
  std::vector<std::size_t> bases(parts);
  for (std::size_t i = 0; i < on.size; ++i) {
    const std::size_t part = i * parts / on.size;
    out[part] += of.found.pile.columns()[on.first + i].depth();
    ++bases[part];
  }
  for (std::size_t p = 0; p < parts; ++p) out[p] /= double(std::max<std::size_t>(bases[p], 1));
  return out;
}

double mean_depth(const report& of) {
  double sum = 0, bases = 0;
  for (const contig& c : of.reference.contigs) {
    for (std::size_t i = 0; i < c.size; ++i) sum += of.found.pile.columns()[c.first + i].depth();
    bases += double(c.size);
  }
  return bases == 0 ? 0 : sum / bases;
}

std::string change_of(const report& of, const called& v) {
  const contig& on = of.reference.at(v.position);
  return on.name + ':' + std::to_string(v.position - on.first + 1) + ' ' + v.before + " > " + v.after;
}

const prism::stage_report& bottleneck(const report& of) {
  const auto& stages = of.found.alignment.stages;
  const auto time = [&](const prism::stage_report& s) {
    const auto i = std::size_t(&s - stages.data());
    const auto& replicas = of.found.alignment.replicas;
    return s.busy / double(i < replicas.size() ? std::max<std::size_t>(replicas[i], 1) : 1);
  };
  return *std::max_element(stages.begin(), stages.end(),
                           [&](const auto& a, const auto& b) { return time(a) < time(b); });
}

std::string device_of(const prism::stage_report& stage) {
  return stage.device.empty() ? "a thread of the host" : stage.device;
}

void write_text(std::ostream& out, const report& of) {
  const outcome& found = of.found;
  out << formatted("%zu reads, %zu placed, mean depth %.1f\n\nCoverage\n", found.reads, found.placed,
                   mean_depth(of));
  for (const contig& c : of.reference.contigs) {
    const std::vector<double> depths = coverage(of, c, 60);
    out << formatted("  %-12s %9zu bases |", c.name.c_str(), c.size) << bars(depths)
        << formatted("| up to %.0f\n", *std::max_element(depths.begin(), depths.end()));
  }
  out << "\nVariants: " << found.variants.size() << '\n';
  write_variants(out, of);
  if (of.against_truth) {
    const comparison& t = *of.against_truth;
    out << formatted("\nAgainst the truth: %zu of %zu found (recall %.3f), %zu wrong (precision %.3f), "
                     "%zu genotypes right\n",
                     t.found, t.planted(), t.recall(), t.wrong, t.precision(), t.genotypes);
  }
  out << "\nStages\n";
  for (const prism::stage_report& s : found.stages)
    out << formatted("  %-12s %8.3f s %8llu items  ", s.name.c_str(), s.busy.count(),
                     static_cast<unsigned long long>(std::max(s.in, s.out)))
        << device_of(s) << '\n';
  const prism::stage_report& slowest = bottleneck(of);
  out << formatted("%.3f s in all, %.0f reads a second; the bottleneck is \"%s\" on ", found.wall.count(),
                   double(found.reads) / found.wall.count(), slowest.name.c_str())
      << device_of(slowest) << '\n';
}

} // namespace genomics
