#include "runtime/exec_graph/order.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

/// Traverses the graph in iterations: first, for one device after another, all commands that the device can
/// execute now, level by level, then single commands.
class walk {
public:
  explicit walk(std::span<const order_node> nodes)
      : m_nodes(nodes), m_left(nodes.size()), m_followers(nodes.size()), m_behind(nodes.size()) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      m_levels.resize(std::max(m_levels.size(), nodes[n].device + 1));
      m_left[n] = nodes[n].after.size();
      for (const std::size_t before : nodes[n].after) m_followers[before].push_back(n);
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (m_left[n] == 0) ready(n);
    complete_all();
  }

  std::optional<std::vector<ordered_segment>> run() {
    std::size_t before;
    do {
      before = m_segments.size();
      for (std::vector<std::size_t>& level : m_levels) graph_segment(level);
      alone_segments();
    } while (m_segments.size() != before);
    if (m_done != m_nodes.size()) return std::nullopt;
    return std::move(m_segments);
  }

private:
  void ready(std::size_t n) {
    switch (m_nodes[n].where) {
      // completes immediately, so it never costs a barrier
      case node_kind::nothing: m_complete.push_back(n); return;
      case node_kind::device: m_levels[m_nodes[n].device].push_back(n); return;
      case node_kind::alone: m_alone.push_back(n); return;
    }
  }

  void complete(std::size_t which) {
    m_complete.push_back(which);
    complete_all();
  }
  void complete_all() {
    while (!m_complete.empty()) {
      const std::size_t n = m_complete.back();
      m_complete.pop_back();
      ++m_done;
      for (const std::size_t next : m_followers[n]) {
        m_behind[next].insert(m_behind[next].end(), m_behind[n].begin(), m_behind[n].end());
        unique(m_behind[next]);
        if (--m_left[next] == 0) ready(next);
      }
    }
  }

  /// `waiting`: the commands that one device can execute now; commands that become ready are added to it.
  void graph_segment(std::vector<std::size_t>& waiting) {
    if (waiting.empty()) return;
    const std::size_t number = m_segments.size();
    ordered_segment segment;
    for (bool first = true; !waiting.empty(); first = false) {
      std::vector<std::size_t> level = std::move(waiting);
      waiting.clear();
      std::sort(level.begin(), level.end());
      bool waits = !first;
      for (const std::size_t n : level) {
        segment.steps.push_back({n, waits});
        waits = false;
        for (const std::size_t p : m_behind[n])
          if (p != number) segment.after.push_back(p);
        m_behind[n] = {number}; // this segment is itself ordered after those
      }
      for (const std::size_t n : level) complete(n);
    }
    unique(segment.after);
    m_segments.push_back(std::move(segment));
  }

  void alone_segments() {
    std::vector<std::size_t> all = std::move(m_alone);
    m_alone.clear();
    std::sort(all.begin(), all.end());
    for (const std::size_t n : all) {
      m_segments.push_back({node_kind::alone, {{n, false}}, m_behind[n]});
      m_behind[n] = {m_segments.size() - 1};
    }
    for (const std::size_t n : all) complete(n);
  }

  static void unique(std::vector<std::size_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  std::span<const order_node> m_nodes;
  std::vector<std::size_t> m_left; // unfinished predecessors of each node
  std::vector<std::vector<std::size_t>> m_followers;
  std::vector<std::vector<std::size_t>> m_behind; // segments that precede each node
  std::vector<std::vector<std::size_t>> m_levels; // for each device
  std::vector<std::size_t> m_complete, m_alone;
  std::vector<ordered_segment> m_segments;
  std::size_t m_done = 0;
};

} // namespace

std::optional<std::vector<ordered_segment>> order_of(std::span<const order_node> nodes) {
  return walk(nodes).run();
}

} // namespace prism::runtime
