#include "runtime/memory/memory_pool.hpp"

namespace prism::memory {

void memory_pool::recycle::operator()(devices::memory* m) const noexcept {
  std::unique_ptr<devices::memory> object(m);
  if (pool == nullptr) return;
  pool->m_budget.give_back(m->size()); // first: who sees less memory of buffers must see the change too
  if (m->kind() == devices::memory_kind::buffer) pool->m_budget.take_from_buffers(m->size());
  try {
    pool->cache(std::move(object));
  } catch (const std::bad_alloc&) { // out of memory for the list entry: the object was destroyed
  }
}

memory_pool::pooled memory_pool::take(std::uint64_t bytes, devices::memory_kind kind,
                                      std::uint64_t alignment) {
  if (!m_budget.charge(bytes))
    throw devices::device_error(
        devices::error_category::out_of_memory, "",
        "allocate " + std::to_string(bytes) + " bytes: " + std::to_string(m_budget.in_use()) +
            " of the device's budget of " + std::to_string(m_budget.limit()) + " bytes are in use");
  try {
    pooled made = create(bytes, kind, alignment);
    if (made->size() > bytes) m_budget.charge_excess(made->size() - bytes);
    if (made->kind() == devices::memory_kind::buffer) m_budget.charge_to_buffers(made->size());
    return made;
  } catch (...) {
    m_budget.give_back(bytes);
    throw;
  }
}

memory_pool::pooled memory_pool::create(std::uint64_t bytes, devices::memory_kind kind,
                                        std::uint64_t alignment) {
  if (auto found = find(bytes, kind, alignment)) return {found.release(), {this}};
  trim_to(m_budget.available());
  try {
    return {m_device.create_memory(bytes, kind, alignment).release(), {this}};
  } catch (const devices::device_error& failed) {
    if (failed.category() != devices::error_category::out_of_memory || cached_bytes() == 0) throw;
  }
  trim();
  return {m_device.create_memory(bytes, kind, alignment).release(), {this}};
}

void memory_pool::trim_to(std::uint64_t bytes) {
  std::vector<std::unique_ptr<devices::memory>> evicted; // destroyed after the lock is released
  const std::lock_guard lock(m_mutex);
  while (!m_order.empty() && m_bytes > bytes) evicted.push_back(unlink(m_order.begin()));
}

std::unique_ptr<devices::memory> memory_pool::find(std::uint64_t bytes, devices::memory_kind kind,
                                                   std::uint64_t alignment) {
  const std::uint64_t largest = largest_for(bytes);
  const std::lock_guard lock(m_mutex);
  by_size& index = index_of(kind);
  for (auto at = index.lower_bound(bytes); at != index.end() && at->first <= largest;) {
    const auto next = index.upper_bound(at->first);
    // the most recently freed object of a size is the most likely to be in the processor's caches
    for (auto last = next; last != at;)
      if ((--last)->second->address % std::max<std::uint64_t>(alignment, 1) == 0) return unlink(last->second);
    at = next;
  }
  return nullptr;
}

void memory_pool::cache(std::unique_ptr<devices::memory> object) {
  const std::uint64_t bytes = object->size(), address = object->address();
  if (bytes > m_max_bytes && !m_retains_all.load(std::memory_order_acquire)) return;
  std::vector<std::unique_ptr<devices::memory>> evicted; // destroyed after the lock is released
  const std::lock_guard lock(m_mutex);
  if (m_retains_all.load(std::memory_order_relaxed)) {
    m_retained.push_back({std::move(object), bytes, address});
    return;
  }
  while (!m_order.empty() && (m_bytes + bytes > m_max_bytes || m_order.size() >= max_objects))
    evicted.push_back(unlink(m_order.begin()));
  m_order.push_back({std::move(object), bytes, address});
  const auto at = std::prev(m_order.end());
  index_of(at->object->kind()).emplace(bytes, at);
  m_bytes += bytes;
  if (address == 0) return;
  m_ranges[address] = bytes;
  m_with_address.store(m_ranges.size(), std::memory_order_relaxed);
}

std::unique_ptr<devices::memory> memory_pool::unlink(order::iterator at) {
  by_size& index = index_of(at->object->kind());
  for (auto [i, end] = index.equal_range(at->bytes); i != end; ++i)
    if (i->second == at) {
      index.erase(i);
      break;
    }
  m_bytes -= at->bytes;
  if (at->address != 0) m_ranges.erase(at->address);
  m_with_address.store(m_ranges.size(), std::memory_order_relaxed);
  std::unique_ptr<devices::memory> object = std::move(at->object);
  m_order.erase(at);
  return object;
}

void memory_pool::retain_all() {
  const std::lock_guard lock(m_mutex);
  m_retains_all.store(true, std::memory_order_release);
  m_retained.splice(m_retained.end(), m_order);
  for (by_size& index : m_by_size) index.clear();
  m_bytes = 0; // m_ranges stay: their addresses are freed
}

void memory_pool::trim() {
  order all;
  const std::lock_guard lock(m_mutex);
  all.swap(m_order); // destroyed after the lock is released, because it is declared before the lock
  for (by_size& index : m_by_size) index.clear();
  m_ranges.clear();
  m_with_address.store(0, std::memory_order_relaxed);
  m_bytes = 0;
}

bool memory_pool::was_freed(std::uint64_t address) const {
  if (m_with_address.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(m_mutex);
  auto at = m_ranges.upper_bound(address);
  if (at == m_ranges.begin()) return false;
  --at;
  return address - at->first < at->second;
}

std::uint64_t memory_pool::cached_bytes() const {
  const std::lock_guard lock(m_mutex);
  return m_bytes;
}

} // namespace prism::memory
