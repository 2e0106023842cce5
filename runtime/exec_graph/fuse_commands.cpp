#include "runtime/exec_graph/fuse_commands.hpp"

#include "runtime/exec_graph/fused_group.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

std::uint64_t items_of(const fusion_node& node) { return node.items[0] * node.items[1] * node.items[2]; }

std::string note_of(const std::vector<fusion_node>& nodes, const fused_launch& launch) {
  std::string out;
  for (const std::size_t n : launch.nodes) out += (out.empty() ? "" : ", ") + nodes[n].name;
  out += " run as one launch of " + std::to_string(items_of(nodes[launch.nodes.back()])) + " work-items";
  if (launch.element) out += ", which computes elements of the kernels before the last when it needs them";
  for (const fused_memory& memory : launch.removed)
    out += "; " + std::to_string(memory.stride * items_of(nodes[launch.nodes[0]])) +
           " bytes between them are not stored";
  return out;
}

/// Replaces the first kernel of each launch by the fused command, and removes the others.
class rewriter {
public:
  rewriter(device_state& device, std::vector<graph_command> commands)
      : m_device(device), m_method(fusion_method_of(device)), m_commands(std::move(commands)),
        m_nodes(fusion_nodes(device, m_method, m_commands)),
        m_plan(plan_fusion(m_nodes, fusion_limits_of(m_method))), m_launch_of(m_commands.size(), none),
        m_position(m_commands.size()) {}

  fused_commands run() {
    make_groups();
    refuse_callers();
    find_positions();
    for (std::size_t n = 0; n < m_commands.size(); ++n)
      if (leads(n)) add(n);
    m_out.notes.insert(m_out.notes.end(), m_plan.notes.begin(), m_plan.notes.end());
    return std::move(m_out);
  }

private:
  static constexpr std::size_t none = ~std::size_t{0};

  void make_groups() {
    m_groups.resize(m_plan.launches.size());
    for (std::size_t l = 0; l < m_plan.launches.size(); ++l) {
      fused_launch& launch = m_plan.launches[l];
      std::string refusal;
      m_groups[l] = fused_group(m_device.info(), m_method, m_commands, m_nodes, launch, refusal);
      if (m_groups[l] == nullptr && !launch.removed.empty()) { // try again without removing memory
        m_out.notes.push_back("promoted memory of " + m_nodes[launch.nodes[0]].name +
                              " cannot be removed: " + refusal);
        launch.removed.clear();
        m_groups[l] = fused_group(m_device.info(), m_method, m_commands, m_nodes, launch, refusal);
      }
      if (m_groups[l] == nullptr) {
        m_out.notes.push_back(m_nodes[launch.nodes[0]].name +
                              " and the kernels after it are not fused: " + refusal);
        continue;
      }
      for (const std::size_t n : launch.nodes) m_launch_of[n] = l;
    }
  }

  /// A kernel that calls elements cannot run alone.
  void refuse_callers() const {
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
      if (!m_nodes[n].calls_elements || m_launch_of[n] != none) continue;
      std::string why = m_nodes[n].name + " cannot compute elements of the kernels before it";
      for (const std::vector<std::string>* reasons : {&m_plan.notes, &m_out.notes})
        for (const std::string& each : *reasons) why += "; " + each;
      throw error(error_code::kernel_not_supported, why);
    }
  }

  bool leads(std::size_t n) const {
    return m_launch_of[n] == none || m_plan.launches[m_launch_of[n]].nodes[0] == n;
  }

  void find_positions() {
    std::size_t count = 0;
    for (std::size_t n = 0; n < m_commands.size(); ++n)
      if (leads(n)) m_position[n] = count++;
    for (std::size_t n = 0; n < m_commands.size(); ++n)
      if (!leads(n)) m_position[n] = m_position[m_plan.launches[m_launch_of[n]].nodes[0]];
  }

  void add(std::size_t n) {
    graph_command made;
    std::vector<std::size_t> members{n};
    if (m_launch_of[n] == none) {
      made = m_commands[n];
      made.after.clear();
    } else {
      const fused_launch& launch = m_plan.launches[m_launch_of[n]];
      members = launch.nodes;
      made.group = m_groups[m_launch_of[n]];
      m_out.notes.push_back(note_of(m_nodes, launch));
      m_out.fused += launch.nodes.size();
      ++m_out.launches;
      m_out.launched_together.push_back(launch.nodes);
      for (const fused_memory& memory : launch.removed)
        m_out.removed_bytes += memory.stride * items_of(m_nodes[n]);
    }
    for (const std::size_t member : members)
      for (const std::size_t before : m_commands[member].after)
        if (m_position[before] != m_position[n] &&
            std::find(made.after.begin(), made.after.end(), m_position[before]) == made.after.end())
          made.after.push_back(m_position[before]);
    m_out.commands.push_back(std::move(made));
  }

  device_state& m_device;
  const fusion_method m_method;
  const std::vector<graph_command> m_commands;
  const std::vector<fusion_node> m_nodes;
  fusion_plan m_plan;
  std::vector<std::shared_ptr<const command_group>> m_groups; // of the launches; null: could not be made
  std::vector<std::size_t> m_launch_of, m_position;
  fused_commands m_out;
};

} // namespace

fused_commands fuse(device_state& device, std::vector<graph_command> commands) {
  if (fusion_method_of(device) != fusion_method::none) return rewriter(device, std::move(commands)).run();
  fused_commands out;
  out.notes.push_back("no kernels are fused: " + device.label() + " does not support fused launches");
  out.commands = std::move(commands);
  return out;
}

} // namespace prism::runtime
