#include "runtime/memory/usm_registry.hpp"

#include <array>
#include <cassert>
#include <mutex>

namespace prism::memory {

namespace {

struct recent_blocks {
  const usm_registry* of = nullptr;
  std::uint64_t generation = 0;
  std::array<usm_block, 8> blocks{};
  unsigned next = 0;
};
thread_local recent_blocks recent;

bool contains(const usm_block& b, std::uint64_t address) { return b.base != 0 && address - b.base < b.bytes; }

} // namespace

void usm_registry::insert(const usm_block& block, memory_pool::pooled memory) {
  const std::unique_lock lock(m_mutex);
  [[maybe_unused]] const bool inserted =
      m_blocks.try_emplace(block.base, entry{block, std::move(memory)}).second;
  assert(inserted);
  m_generation.fetch_add(1, std::memory_order_release);
}

usm_block usm_registry::find(std::uint64_t address) const {
  const std::uint64_t generation = m_generation.load(std::memory_order_acquire);
  if (recent.of != this || recent.generation != generation) {
    recent = {};
    recent.of = this;
    recent.generation = generation;
  }
  for (const usm_block& b : recent.blocks)
    if (contains(b, address)) return b;
  const std::shared_lock lock(m_mutex);
  auto it = m_blocks.upper_bound(address);
  if (it == m_blocks.begin()) return {};
  --it;
  const usm_block& found = it->second.block;
  if (!contains(found, address)) return {};
  if (m_generation.load(std::memory_order_relaxed) == generation)
    recent.blocks[recent.next++ % recent.blocks.size()] = found;
  return found;
}

usm_block usm_registry::find_if(const std::function<bool(const usm_block&)>& is_it) const {
  const std::shared_lock lock(m_mutex);
  for (const auto& [base, each] : m_blocks)
    if (is_it(each.block)) return each.block;
  return {};
}

memory_pool::pooled usm_registry::remove(std::uint64_t address) {
  const std::unique_lock lock(m_mutex);
  const auto it = m_blocks.find(address);
  if (it == m_blocks.end()) return nullptr;
  memory_pool::pooled memory = std::move(it->second.memory);
  m_blocks.erase(it);
  m_generation.fetch_add(1, std::memory_order_release);
  return memory;
}

} // namespace prism::memory
