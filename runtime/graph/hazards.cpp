#include "runtime/graph/hazards.hpp"

#include <algorithm>

namespace prism::graph {

void hazards::collect(memory::interval bytes, bool reads, bool writes, memory::memory_set touched,
                      std::vector<hazard>& out) {
  for (const use& u : m_uses) {
    if (!u.bytes.overlaps(bytes)) continue;
    const bool arrives = !(u.arrivals & touched).empty();
    if (!writes && !u.writes && !arrives) continue;
    if (u.who->finished()) continue;
    out.push_back({u.who, reads && (u.writes || arrives)});
  }
}

void hazards::add(memory::interval bytes, bool writes, memory::memory_set arrivals, node_ref who) {
  std::vector<node_ref> released; // destroyed last
  if (writes) {
    // The new writer waits for all of these; who waits for it waits for them.
    const auto covered = std::stable_partition(m_uses.begin(), m_uses.end(),
                                               [&](const use& u) { return !bytes.covers(u.bytes) || u.who == who; });
    for (auto it = covered; it != m_uses.end(); ++it) released.push_back(std::move(it->who));
    m_uses.erase(covered, m_uses.end());
  }
  if (m_uses.size() >= m_prune_at) {
    forget_finished(released);
    m_prune_at = std::max<std::size_t>(16, m_uses.size() * 2);
  }
  m_uses.push_back({bytes, writes, arrivals, std::move(who)});
}

void hazards::users(memory::interval bytes, std::vector<node_ref>& out) const {
  for (const use& u : m_uses)
    if (u.bytes.overlaps(bytes) && !u.who->finished()) out.push_back(u.who);
}

void hazards::forget_finished(std::vector<node_ref>& released) {
  const auto gone =
      std::stable_partition(m_uses.begin(), m_uses.end(), [](const use& u) { return !u.who->finished(); });
  for (auto it = gone; it != m_uses.end(); ++it) released.push_back(std::move(it->who));
  m_uses.erase(gone, m_uses.end());
}

} // namespace prism::graph
