#include "runtime/memory/memory_budget.hpp"

namespace prism::memory {

bool memory_budget::charge(std::uint64_t bytes) {
  std::uint64_t now = in_use();
  do {
    if (bytes > m_limit || now > m_limit - bytes) return false;
  } while (!m_in_use.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed));
  note_change();
  return true;
}

void memory_budget::add(std::weak_ptr<resident> owner) {
  const std::lock_guard lock(m_mutex);
  if (m_residents.size() >= m_prune_at) {
    std::erase_if(m_residents, [](const std::weak_ptr<resident>& r) { return r.expired(); });
    const std::owner_less<std::weak_ptr<resident>> before;
    std::sort(m_residents.begin(), m_residents.end(), before); // a buffer is registered at each allocation
    m_residents.erase(
        std::unique(m_residents.begin(), m_residents.end(),
                    [&](const auto& a, const auto& b) { return !before(a, b) && !before(b, a); }),
        m_residents.end());
    m_prune_at = std::max<std::size_t>(64, 2 * m_residents.size());
  }
  m_residents.push_back(std::move(owner));
}

std::vector<std::shared_ptr<resident>> memory_budget::residents() {
  std::vector<std::shared_ptr<resident>> out;
  const std::lock_guard lock(m_mutex);
  for (const std::weak_ptr<resident>& each : m_residents)
    if (auto owner = each.lock()) out.push_back(std::move(owner));
  return out;
}

} // namespace prism::memory
