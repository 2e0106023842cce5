// command_graph::print_graph: writes a graph as a Graphviz file.
#include "runtime/api/graph_impl.hpp"

#include <fstream>

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

/// Writes a Graphviz file.
class picture {
public:
  explicit picture(const std::string& path) : m_path(path) {
    const std::string ending = ".dot";
    if (path.size() <= ending.size() ||
        path.compare(path.size() - ending.size(), ending.size(), ending) != 0) {
      throw_error(errc::invalid,
                  "command_graph::print_graph: the name \"" + path + "\" does not end in .dot");
    }
    m_out.open(path);
    m_out << "digraph prism {\n";
  }
  void add(std::size_t number, const std::string& label, const std::vector<std::size_t>& after) {
    m_out << "  n" << number << " [label=\"" << label << "\"];\n";
    for (const std::size_t before : after) m_out << "  n" << before << " -> n" << number << ";\n";
  }
  void add_frame(const std::string& label, const std::vector<std::size_t>& numbers) {
    m_out << "  subgraph cluster_" << m_frames++ << " {\n    label=\"" << label << "\";\n";
    for (const std::size_t number : numbers) m_out << "    n" << number << ";\n";
    m_out << "  }\n";
  }
  void finish() {
    m_out << "}\n";
    m_out.flush();
    if (!m_out)
      throw_error(errc::invalid, "command_graph::print_graph: \"" + m_path + "\" cannot be written");
  }

private:
  const std::string m_path;
  std::ofstream m_out;
  std::size_t m_frames = 0;
};

} // namespace

void modifiable::print_graph(const std::string& path, bool verbose) const {
  picture out(path);
  for (const auto& each : m_impl->nodes()) {
    const std::lock_guard lock(m_impl->mutex());
    std::string label = std::to_string(each->number) + ": " + name_of(each->type);
    if (!each->contents->name.empty()) label += "\\n" + each->contents->name;
    for (const graph_part& part : each->contents->parts)
      if (verbose) label += described(*part.group);
    out.add(each->number, label, each->after);
  }
  out.finish();
}

void executable::print_graph(const std::string& path, bool verbose) const {
  picture out(path);
  const std::vector<graph_command> commands = m_impl->flattened();
  for (std::size_t n = 0; n < commands.size(); ++n)
    out.add(n,
            (commands[n].name.empty() ? std::string("nothing") : commands[n].name) +
                (verbose ? described(*commands[n].group) : std::string()),
            commands[n].after);
  for (const auto& launch : m_impl->launched_together()) out.add_frame("one launch", launch);
  out.finish();
}

} // namespace prism
