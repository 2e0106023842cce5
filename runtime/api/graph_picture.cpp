// command_graph::print_graph: writes a graph as a Graphviz file or as a picture (SVG).
#include "runtime/api/graph_impl.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace prism {

using sycl::errc;
using sycl::detail::access_impl;
using sycl::detail::graph_part;
using sycl::detail::name_of;
using sycl::detail::throw_error;
using modifiable = command_graph<graph_state::modifiable>;
using executable = command_graph<graph_state::executable>;

namespace {

std::string described(const command_group& group) {
  const auto* kernel = std::get_if<kernel_command>(&group.what);
  if (!kernel) return {};
  return "\\nrange " + std::to_string(kernel->global[2]) + " x " + std::to_string(kernel->global[1]) + " x " +
         std::to_string(kernel->global[0]) + ", " + std::to_string(kernel->captured.size()) +
         " bytes of arguments, " + std::to_string(group.requirements.size()) + " accessors";
}

struct drawn_node {
  std::string label; // lines separated by "\n" as two characters, which Graphviz reads
  std::vector<std::size_t> after;
};
struct frame {
  std::string label;
  std::vector<std::size_t> nodes;
};

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void write_dot(std::ostream& out, const std::vector<drawn_node>& nodes, const std::vector<frame>& frames) {
  out << "digraph prism {\n";
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    out << "  n" << n << " [label=\"" << nodes[n].label << "\"];\n";
    for (const std::size_t before : nodes[n].after) out << "  n" << before << " -> n" << n << ";\n";
  }
  for (std::size_t f = 0; f < frames.size(); ++f) {
    out << "  subgraph cluster_" << f << " {\n    label=\"" << frames[f].label << "\";\n";
    for (const std::size_t n : frames[f].nodes) out << "    n" << n << ";\n";
    out << "  }\n";
  }
  out << "}\n";
}

std::vector<std::string> lines_of(const std::string& label) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label.compare(i, 2, "\\n") == 0) {
      out.emplace_back();
      ++i;
    } else if (label[i] == '<') out.back() += "&lt;";
    else if (label[i] == '>') out.back() += "&gt;";
    else if (label[i] == '&') out.back() += "&amp;";
    else out.back() += label[i];
  }
  return out;
}

/// Places each node one row below the lowest of those that it waits for, and the nodes of a row side by side.
class layout {
public:
  static constexpr int row_height = 110, text_height = 16, letter = 7, gap = 30;
  explicit layout(const std::vector<drawn_node>& nodes) : m_at(nodes.size()) {
    std::vector<std::size_t> row(nodes.size(), 0);
    // Nodes may be listed before those that they wait for; a graph has no cycle, so this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = 0; n < nodes.size(); ++n)
        for (const std::size_t before : nodes[n].after)
          if (row[n] <= row[before] && row[before] + 1 < nodes.size()) {
            row[n] = row[before] + 1;
            changed = true;
          }
    }
    std::vector<int> used;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (row[n] >= used.size()) used.resize(row[n] + 1, gap);
      std::size_t longest = 4;
      const auto lines = lines_of(nodes[n].label);
      for (const std::string& line : lines) longest = std::max(longest, line.size());
      box& b = m_at[n];
      b = {used[row[n]], gap + int(row[n]) * row_height, int(longest) * letter + 20,
           int(lines.size()) * text_height + 12};
      used[row[n]] += b.width + gap;
      m_width = std::max(m_width, used[row[n]]);
      m_height = std::max(m_height, b.y + b.height + gap);
    }
  }
  struct box {
    int x, y, width, height;
  };
  const box& at(std::size_t n) const { return m_at[n]; }
  int width() const { return m_width; }
  int height() const { return m_height; }

private:
  std::vector<box> m_at;
  int m_width = 2 * gap, m_height = 2 * gap;
};

void write_svg(std::ostream& out, const std::vector<drawn_node>& nodes, const std::vector<frame>& frames) {
  const layout places(nodes);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << places.width() << "\" height=\""
      << places.height() << "\" font-family=\"monospace\" font-size=\"11\">\n"
      << "<defs><marker id=\"end\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
         "orient=\"auto\">"
         "<path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n";
  constexpr const char* colours[] = {"#fde9c8", "#d8ecd2", "#e6dcf2", "#f6d5d5"}; // of fused launches
  const auto fill_of = [&](std::size_t node) {
    for (std::size_t f = 0; f < frames.size(); ++f)
      for (const std::size_t n : frames[f].nodes)
        if (n == node) return colours[f % 4];
    return "#dbe8f7";
  };
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const std::size_t before : nodes[n].after) {
      const layout::box &from = places.at(before), &to = places.at(n);
      out << "<line class=\"edge\" x1=\"" << from.x + from.width / 2 << "\" y1=\"" << from.y + from.height
          << "\" x2=\"" << to.x + to.width / 2 << "\" y2=\"" << to.y
          << "\" stroke=\"black\" marker-end=\"url(#end)\"/>\n";
    }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const layout::box& b = places.at(n);
    out << "<rect class=\"node\" x=\"" << b.x << "\" y=\"" << b.y << "\" width=\"" << b.width
        << "\" height=\"" << b.height << "\" rx=\"5\" fill=\"" << fill_of(n) << "\" stroke=\"black\"/>\n";
    int y = b.y + layout::text_height;
    for (const std::string& line : lines_of(nodes[n].label)) {
      out << "<text x=\"" << b.x + 10 << "\" y=\"" << y << "\">" << line << "</text>\n";
      y += layout::text_height;
    }
  }
  out << "</svg>\n";
}

/// The ending of the name states the form.
void write_picture(const std::string& path, const std::vector<drawn_node>& nodes,
                   const std::vector<frame>& frames) {
  const bool is_svg = ends_with(path, ".svg");
  if (!is_svg && !ends_with(path, ".dot"))
    throw_error(errc::invalid,
                "command_graph::print_graph: the name \"" + path + "\" ends neither in .dot nor in .svg");
  std::ofstream out(path);
  (is_svg ? write_svg : write_dot)(out, nodes, frames);
  out.flush();
  if (!out) throw_error(errc::invalid, "command_graph::print_graph: \"" + path + "\" cannot be written");
}

} // namespace

void modifiable::print_graph(const std::string& path, bool verbose) const {
  std::vector<drawn_node> nodes;
  for (const auto& each : m_impl->nodes()) {
    const std::lock_guard lock(m_impl->mutex());
    std::string label = std::to_string(each->number) + ": " + name_of(each->type);
    if (!each->contents->name.empty()) label += "\\n" + each->contents->name;
    for (const graph_part& part : each->contents->parts)
      if (verbose) label += described(*part.group);
    nodes.push_back({std::move(label), each->after});
  }
  write_picture(path, nodes, {});
}

void executable::print_graph(const std::string& path, bool verbose) const {
  std::vector<drawn_node> nodes;
  for (const graph_command& each : m_impl->flattened())
    nodes.push_back({(each.name.empty() ? std::string("nothing") : each.name) +
                         (verbose ? described(*each.group) : std::string()),
                     each.after});
  std::vector<frame> frames;
  for (auto& launch : m_impl->launched_together()) frames.push_back({"one launch", std::move(launch)});
  write_picture(path, nodes, frames);
}

} // namespace prism
