#include "runtime/exec_graph/fusion.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace prism::runtime {

namespace {

constexpr std::size_t most_candidates = 8;  // other launches that are tried for each kernel
constexpr std::size_t most_visits = 10'000; // limit of one search for a path between two commands

bool overlap(const fusion_access& a, const fusion_access& b) {
  if (a.space == fusion_access::anywhere || b.space == fusion_access::anywhere) return true;
  return a.space == b.space && a.begin < b.end && b.begin < a.end;
}
bool conflict(const fusion_access& a, const fusion_access& b) {
  return (a.writes || b.writes) && overlap(a, b);
}
bool same_elements(const fusion_access& a, const fusion_access& b) {
  return a.stride != 0 && a.stride == b.stride && a.space == b.space && a.begin == b.begin &&
         a.space != fusion_access::anywhere;
}

std::string text(const std::array<std::uint64_t, 3>& e) {
  return std::to_string(e[2]) + " x " + std::to_string(e[1]) + " x " + std::to_string(e[0]);
}

class planner {
public:
  planner(std::span<const fusion_node> nodes, const fusion_limits& limits)
      : m_nodes(nodes), m_limits(limits), m_unit_of(nodes.size(), none) {}

  fusion_plan run() {
    for (const std::size_t n : order()) assign(n);
    for (std::size_t n = 0; n < m_nodes.size(); ++n)
      if (m_nodes[n].calls_elements) give_elements(n);
    for (const unit& u : m_units) {
      if (u.nodes.size() < 2) continue;
      m_plan.launches.push_back({u.nodes, {}, {}});
      find_removed(m_plan.launches.back());
    }
    return std::move(m_plan);
  }

private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct unit {
    std::vector<std::size_t> nodes;
    std::vector<std::size_t> after; // units
    std::uint64_t argument_bytes = 0, arguments = 0;
  };

  /// Topological order, smallest index first. Nodes in cycles are omitted; finalize refuses them.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> left(m_nodes.size()), out;
    std::vector<std::vector<std::size_t>> followers(m_nodes.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
      left[n] = m_nodes[n].after.size();
      for (const std::size_t before : m_nodes[n].after) followers[before].push_back(n);
      if (left[n] == 0) ready.push(n);
    }
    while (!ready.empty()) {
      const std::size_t n = ready.top();
      ready.pop();
      out.push_back(n);
      for (const std::size_t next : followers[n])
        if (--left[next] == 0) ready.push(next);
    }
    return out;
  }

  void assign(std::size_t n) {
    const fusion_node& node = m_nodes[n];
    std::vector<std::size_t> candidates;
    if (!node.calls_elements)
      for (const std::size_t before : node.after) add(candidates, m_unit_of[before]);
    std::sort(candidates.rbegin(), candidates.rend()); // the latest launch first
    const std::size_t neighbours = candidates.size();
    for (std::size_t u = m_units.size(); u-- > 0 && candidates.size() < neighbours + most_candidates;)
      if (!node.calls_elements && m_nodes[m_units[u].nodes[0]].is_kernel && node.is_kernel &&
          m_nodes[m_units[u].nodes[0]].items == node.items)
        add(candidates, u);
    std::vector<std::pair<std::size_t, std::string>> refused;
    std::size_t chosen = none;
    for (std::size_t i = 0; i < candidates.size() && chosen == none; ++i) {
      std::string why = refusal(candidates[i], n);
      if (why.empty()) chosen = candidates[i];
      else if (i < neighbours && node.is_kernel && m_nodes[m_units[candidates[i]].nodes[0]].is_kernel)
        refused.emplace_back(candidates[i], std::move(why));
    }
    for (const auto& [unit, why] : refused)
      m_plan.notes.push_back(node.name + " is not fused with " + m_nodes[m_units[unit].nodes.back()].name +
                             ": " + why);
    if (chosen == none) {
      chosen = m_units.size();
      m_units.emplace_back();
    }
    unit& into = m_units[chosen];
    into.nodes.push_back(n);
    into.argument_bytes += node.argument_bytes;
    into.arguments += node.arguments;
    m_unit_of[n] = chosen;
    for (const std::size_t before : node.after)
      if (m_unit_of[before] != chosen) add(into.after, m_unit_of[before]);
  }

  static void add(std::vector<std::size_t>& to, std::size_t value) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
  }

  /// The reason why node `n` cannot join a launch; empty if it can.
  std::string refusal(std::size_t into, std::size_t n) const {
    const fusion_node& node = m_nodes[n];
    const unit& u = m_units[into];
    const fusion_node& first = m_nodes[u.nodes[0]];
    if (!node.is_kernel || !first.is_kernel) return "one of them is not a kernel";
    if (!node.obstacle.empty()) return node.name + " " + node.obstacle;
    if (!first.obstacle.empty()) return first.name + " " + first.obstacle;
    if (node.items != first.items || node.local != first.local)
      return "their ranges differ, " + text(first.items) + " and " + text(node.items) +
             (node.items != first.items
                  ? ""
                  : ", groups of " + text(first.local) + " and " + text(node.local) + " (none: a range)");
    if (u.nodes.size() >= m_limits.kernels)
      return "a launch has at most " + std::to_string(m_limits.kernels) + " kernels";
    if (u.argument_bytes + node.argument_bytes > m_limits.argument_bytes)
      return "together they capture more than " + std::to_string(m_limits.argument_bytes) + " bytes";
    if (u.arguments + node.arguments > m_limits.arguments)
      return "together they capture more than " + std::to_string(m_limits.arguments) + " pointers";
    for (const std::size_t earlier : u.nodes)
      if (std::string why = hazard(earlier, n); !why.empty()) return why;
    return way_between(into, node);
  }

  std::string hazard(std::size_t earlier, std::size_t later) const {
    for (const fusion_access& a : m_nodes[earlier].accesses)
      for (const fusion_access& b : m_nodes[later].accesses) {
        if (!conflict(a, b) || same_elements(a, b)) continue;
        const std::string both = m_nodes[earlier].name + (a.writes ? " writes" : " reads") + " and " +
                                 m_nodes[later].name + (b.writes ? " writes" : " reads");
        if (a.space == fusion_access::anywhere || b.space == fusion_access::anywhere)
          return both + " memory that may be the same";
        if (a.stride == 0 || b.stride == 0)
          return both + " the same memory, and " + m_nodes[a.stride == 0 ? earlier : later].name +
                 " may access other work-items' elements";
        return both + " overlapping memory by different elements";
      }
    return {};
  }

  /// A launch must not come both before and after another command.
  std::string way_between(std::size_t into, const fusion_node& node) const {
    std::vector<std::size_t> open;
    std::vector<bool> seen(m_units.size());
    for (const std::size_t before : node.after)
      if (m_unit_of[before] != into) open.push_back(m_unit_of[before]);
    for (std::size_t visits = 0; !open.empty(); ++visits) {
      const std::size_t u = open.back();
      open.pop_back();
      if (u == into) return "other commands must run between them";
      if (visits == most_visits) return "too many commands precede them to check for commands between them";
      if (seen[u]) continue;
      seen[u] = true;
      open.insert(open.end(), m_units[u].after.begin(), m_units[u].after.end());
    }
    return {};
  }

  /// Fuses node `n` with the launch that computes the elements that it calls.
  void give_elements(std::size_t n) {
    const fusion_node& caller = m_nodes[n];
    const auto refuse = [&](const std::string& why) {
      m_plan.notes.push_back(caller.name + " cannot compute elements: " + why);
    };
    if (!m_limits.computes_elements) return refuse("the device's launches do not");
    if (!caller.obstacle.empty()) return refuse("it " + caller.obstacle);
    if (caller.after.empty()) return refuse("no kernel of the graph computes them");
    unit& from = m_units[m_unit_of[caller.after[0]]];
    fused_launch launch{from.nodes, {}, {}};
    for (const std::size_t before : caller.after)
      if (&m_units[m_unit_of[before]] != &from) return refuse("they are computed in several launches");
    if (caller.argument_bytes + from.argument_bytes > m_limits.argument_bytes)
      return refuse("together the kernels capture more than " + std::to_string(m_limits.argument_bytes) +
                    " bytes");
    for (const std::size_t k : from.nodes) {
      if (!m_nodes[k].is_kernel || !m_nodes[k].obstacle.empty())
        return refuse(m_nodes[k].name + " " + (m_nodes[k].is_kernel ? m_nodes[k].obstacle : "is no kernel"));
      for (const fusion_access& access : m_nodes[k].accesses)
        if (access.writes && !access.promoted)
          return refuse(m_nodes[k].name + " writes memory that is not promoted");
    }
    find_removed(launch, n);
    const auto is_read = [&](const fused_memory& memory) {
      return std::any_of(caller.accesses.begin(), caller.accesses.end(), [&](const fusion_access& access) {
        return access.space == memory.space && access.begin == memory.begin;
      });
    };
    const auto element = std::find_if(launch.removed.begin(), launch.removed.end(), is_read);
    if (element == launch.removed.end()) return refuse("they are in memory that cannot be removed");
    launch.element = std::size_t(element - launch.removed.begin());
    launch.nodes.push_back(n);
    m_plan.launches.push_back(std::move(launch));
    from.nodes.clear(); // it is done
  }

  void find_removed(fused_launch& launch, std::size_t caller = none) {
    std::map<std::tuple<std::uint64_t, std::uint64_t>, bool> seen;
    for (const std::size_t n : launch.nodes)
      for (const fusion_access& access : m_nodes[n].accesses) {
        if (!access.promoted || access.space == fusion_access::anywhere ||
            !seen.emplace(std::tuple(access.space, access.begin), true).second)
          continue;
        const std::string why = reason_to_store(launch, access, caller);
        if (why.empty()) launch.removed.push_back({access.space, access.begin, access.stride});
        else m_plan.notes.push_back("promoted memory of " + m_nodes[n].name + " cannot be removed: " + why);
      }
  }

  std::string reason_to_store(const fused_launch& launch, const fusion_access& memory,
                              std::size_t caller) const {
    if (!m_limits.removes_memory) return m_limits.why_not;
    bool written = false;
    for (const std::size_t n : launch.nodes) {
      bool writes = false;
      for (const fusion_access& access : m_nodes[n].accesses) {
        if (!overlap(access, memory)) continue;
        if (!same_elements(access, memory))
          return m_nodes[n].name + " may access other work-items' elements of it";
        if (!access.promoted) return m_nodes[n].name + "'s image has accesses whose argument is not known";
        if (!written && (access.reads || !access.writes_always))
          return m_nodes[n].name + " uses it before all of it was written";
        writes = true;
      }
      written = written || writes;
    }
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
      if (n == caller || std::find(launch.nodes.begin(), launch.nodes.end(), n) != launch.nodes.end())
        continue;
      for (const fusion_access& access : m_nodes[n].accesses)
        if (access.space == memory.space && overlap(access, memory))
          return m_nodes[n].name + ", which is not in the launch, uses it";
    }
    return {};
  }

  std::span<const fusion_node> m_nodes;
  const fusion_limits& m_limits;
  std::vector<std::size_t> m_unit_of;
  std::vector<unit> m_units;
  fusion_plan m_plan;
};

} // namespace

fusion_plan plan_fusion(std::span<const fusion_node> nodes, const fusion_limits& limits) {
  return planner(nodes, limits).run();
}

} // namespace prism::runtime
