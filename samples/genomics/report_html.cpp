// The report as a page. The coverage is drawn as SVG, with a mark at each variant.
#include "samples/genomics/report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace genomics {

namespace {

constexpr int width = 900, height = 90;
constexpr const char* colours[] = {"#b2182b", "#d6604d", "#8073ac", "#4393c3",
                                   "#2166ac", "#777777", "#aaaaaa"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

std::string fixed(double value, int digits) {
  char out[40];
  std::snprintf(out, sizeof out, "%.*f", digits, value);
  return out;
}

std::string row(const std::vector<std::string>& cells, const char* tag = "td") {
  std::string out = "<tr>";
  for (const std::string& c : cells) out += std::string("<") + tag + ">" + escaped(c) + "</" + tag + ">";
  return out + "</tr>\n";
}

void write_coverage(std::ostream& out, const report& of, const contig& on) {
  const std::vector<double> depths = coverage(of, on, width / 2);
  const double most = std::max(1.0, *std::max_element(depths.begin(), depths.end()));
  out << "<h3>" << escaped(on.name) << ", " << on.size << " bases</h3>\n<svg viewBox=\"0 0 " << width << ' '
      << height + 12 << "\" role=\"img\" aria-label=\"coverage of " << escaped(on.name) << "\">\n"
      << "<path fill=\"#c7d9e8\" d=\"M0," << height;
  const auto x = [&](double share) { return fixed(share * width, 1); };
  for (std::size_t i = 0; i < depths.size(); ++i)
    out << " L" << x((double(i) + 0.5) / double(depths.size())) << ','
        << fixed(height - depths[i] / most * (height - 14), 1);
  out << " L" << width << ',' << height << "Z\"/>\n<text x=\"2\" y=\"11\" font-size=\"11\">depth up to "
      << fixed(most, 0) << "</text>\n";
  for (const called& v : of.found.variants)
    if (v.position >= on.first && v.position < on.first + on.size) {
      const std::string at = x(double(v.position - on.first) / double(on.size));
      out << "<line x1=\"" << at << "\" x2=\"" << at << "\" y1=\"" << height - 40 << "\" y2=\"" << height + 10
          << "\" stroke=\"" << colours[group_of(v.known)] << "\" stroke-width=\"2\"><title>"
          << escaped(change_of(of, v) + ", " + significances[group_of(v.known)]) << "</title></line>\n";
    }
  out << "</svg>\n";
}

void write_table_of_variants(std::ostream& out, const report& of) {
  for (std::size_t group = 0; group < std::size(significances); ++group) {
    std::string rows;
    std::size_t count = 0;
    for (const called& v : of.found.variants)
      if (group_of(v.known) == group) {
        ++count;
        rows += row({change_of(of, v), v.known.gene, v.known.disease, v.known.significance, genotype_of(v),
                     std::to_string(v.support) + " of " + std::to_string(v.depth), fixed(v.quality, 0)});
      }
    if (count == 0) continue;
    out << "<h3><span style=\"color:" << colours[group] << "\">&#9632;</span> " << significances[group]
        << ": " << count << "</h3>\n<table>\n"
        << row({"change", "gene", "disease", "in the annotation", "genotype", "reads", "quality"}, "th")
        << rows << "</table>\n";
  }
}

void write_genes(std::ostream& out, const report& of) {
  std::map<std::string, std::vector<std::size_t>> genes;
  for (const called& v : of.found.variants)
    if (!v.known.gene.empty()) {
      auto& counts = genes[v.known.gene];
      counts.resize(std::size(significances));
      ++counts[group_of(v.known)];
    }
  if (genes.empty()) return;
  std::vector<std::string> head{"gene"};
  head.insert(head.end(), significances, significances + 6);
  out << "<h2>Genes</h2>\n<table>\n" << row(head, "th");
  for (const auto& [name, counts] : genes) {
    std::vector<std::string> cells{name};
    for (std::size_t g = 0; g < 6; ++g) cells.push_back(counts[g] == 0 ? "" : std::to_string(counts[g]));
    out << row(cells);
  }
  out << "</table>\n";
}

void write_stages(std::ostream& out, const report& of) {
  out << "<h2>Stages</h2>\n<table>\n" << row({"stage", "device", "items", "busy, seconds"}, "th");
  for (const prism::stage_report& s : of.found.stages)
    out << row({s.name, device_of(s), std::to_string(std::max(s.in, s.out)), fixed(s.busy.count(), 3)});
  const prism::stage_report& slowest = bottleneck(of);
  out << "</table>\n<p>" << fixed(of.found.wall.count(), 3) << " s in all, "
      << fixed(double(of.found.reads) / of.found.wall.count(), 0) << " reads a second. The bottleneck is <b>"
      << escaped(slowest.name) << "</b> on " << escaped(device_of(slowest)) << ".</p>\n";
}

} // namespace

void write_html(std::ostream& out, const report& of) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<title>Genomics report</title>\n"
         "<style>body{font:15px/1.4 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
         "table{border-collapse:collapse}td,th{text-align:left;padding:.2rem .8rem .2rem 0;"
         "border-bottom:1px solid #ddd}svg{width:100%}</style>\n</head>\n<body>\n<h1>Genomics report</h1>\n"
         "<p>"
      << of.found.reads << " reads, " << of.found.placed << " placed, mean depth " << fixed(mean_depth(of), 1)
      << ", " << of.found.variants.size() << " variants.</p>\n";
  if (of.against_truth) {
    const comparison& t = *of.against_truth;
    out << "<p>Against the truth: " << t.found << " of " << t.planted() << " found (recall "
        << fixed(t.recall(), 3) << "), " << t.wrong << " wrong (precision " << fixed(t.precision(), 3)
        << "), " << t.genotypes << " genotypes right.</p>\n";
  }
  out << "<h2>Variants by significance</h2>\n";
  write_table_of_variants(out, of);
  write_genes(out, of);
  out << "<h2>Coverage</h2>\n";
  for (const contig& c : of.reference.contigs) write_coverage(out, of, c);
  write_stages(out, of);
  out << "</body>\n</html>\n";
}

} // namespace genomics
