#include "runtime/memory/buffer_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace prism::memory {

namespace {
constexpr std::size_t page = 4096; // this alignment allows any device to adopt the block
constexpr std::uint64_t device_alignment = 256;

memory_pool::pooled take(memory_pool& pool, std::uint64_t bytes, memory_pool::pooled* offered) {
  if (offered != nullptr && *offered != nullptr && memory_pool::serves((*offered)->size(), bytes))
    return std::move(*offered);
  return pool.take(bytes, devices::memory_kind::buffer, device_alignment);
}
} // namespace

buffer_memory::buffer_memory(std::uint64_t bytes, void* host, bool may_adopt)
    : m_bytes(bytes), m_user(host), m_may_adopt(may_adopt), m_allocations(1) {
  m_allocations[0].host = host;
  if (host != nullptr) m_host_view = memory_id(0);
}

buffer_memory::~buffer_memory() {
  for (allocation& p : m_allocations)
    while (!p.uses.empty()) p.uses.pop_back(); // adopted objects must be destroyed before their owner
  for (allocation& p : m_allocations)
    if (p.allocated) std::free(p.host);
}

/// An allocation without an object. All that can fail comes before an object is taken: the object may still
/// have users, and must not go back to its pool.
memory_id buffer_memory::make_place(devices::device& owner) {
  m_views.reserve(m_views.size() + 1);
  // An id stays with its device, so that a buffer that is moved in and out does not use up all ids.
  for (std::size_t i = 1; i < m_allocations.size(); ++i)
    if (m_allocations[i].uses.empty() && m_allocations[i].owner == &owner) {
      allocation& p = m_allocations[i];
      p.host = nullptr;
      p.begin = p.window = p.last_needed = 0;
      return memory_id(i);
    }
  if (m_allocations.size() == max_memories)
    throw devices::device_error(devices::error_category::unsupported, "",
                                "a buffer can have at most " + std::to_string(max_memories) + " allocations");
  m_allocations.emplace_back().owner = &owner;
  m_allocations.back().uses.reserve(1);
  return memory_id(m_allocations.size() - 1);
}

void buffer_memory::put(memory_id id, devices::device& device, memory_pool::pooled object) {
  at(id).host = object->host_pointer();
  at(id).uses.push_back({&device, std::move(object)});
}

void* buffer_memory::host_block() const {
  const std::size_t rounded = std::max<std::size_t>((m_bytes + page - 1) / page * page, page);
  void* block = std::aligned_alloc(page, rounded);
  if (block == nullptr)
    throw devices::device_error(devices::error_category::out_of_memory, "",
                                "host memory for a buffer of " + std::to_string(m_bytes) +
                                    " bytes: allocation failed");
  return block;
}

bool buffer_memory::leave_user_memory() {
  if (!uses_user_memory() || !m_allocations[0].uses.empty()) return false;
  void* const block = host_block();
  std::memcpy(block, m_user, m_bytes);
  m_allocations[0].host = block;
  m_allocations[0].allocated = true;
  m_user = nullptr;
  return true;
}

memory_id buffer_memory::host_view() {
  if (m_host_view) return *m_host_view;
  // Memory of a device that the host can access serves the host too.
  for (std::size_t i = 1; i < m_allocations.size() && m_may_adopt; ++i)
    if (m_allocations[i].host != nullptr && m_allocations[i].window == 0 &&
        m_allocations[i].owner->info().host_visible) {
      m_host_view = memory_id(i);
      return *m_host_view;
    }
  m_allocations[0].host = host_block();
  m_allocations[0].allocated = true;
  m_host_view = memory_id(0);
  return *m_host_view;
}

bool buffer_memory::adopt(memory_id id, devices::device& device, bool needs_address) {
  std::unique_ptr<devices::memory> object = device.adopt(at(id).host, m_bytes);
  if (object == nullptr || (needs_address && object->address() == 0)) return false;
  at(id).uses.push_back({&device, memory_pool::pooled(object.release())});
  return true;
}

bool buffer_memory::can_adopt(const devices::device& device) const {
  return m_may_adopt && m_bytes != 0 && device.info().host_visible && device.info().adopt_host_memory;
}

bool buffer_memory::may_allocate(const devices::device& device, bool needs_address) const {
  const auto known =
      std::find_if(m_views.begin(), m_views.end(), [&](const view& v) { return v.device == &device; });
  return known == m_views.end() || (needs_address && object(known->id, device)->address() == 0);
}

memory_id buffer_memory::device_view(memory_pool& pool, bool needs_address, memory_pool::pooled* offered) {
  devices::device& device = pool.device();
  const auto find_view = [&] {
    return std::find_if(m_views.begin(), m_views.end(), [&](const view& v) { return v.device == &device; });
  };
  if (const auto known = find_view(); known != m_views.end()) {
    if (!needs_address || object(known->id, device)->address() != 0) return known->id;
  } else if (can_adopt(device)) {
    for (std::size_t i = 0; i < m_allocations.size(); ++i)
      if (m_allocations[i].host != nullptr && m_allocations[i].window == 0 &&
          adopt(memory_id(i), device, needs_address)) {
        m_views.push_back({&device, memory_id(i)});
        return memory_id(i);
      }
  }
  const memory_id id = make_place(device);
  put(id, device, take(pool, std::max<std::uint64_t>(m_bytes, 1), offered));
  if (const auto known = find_view(); known != m_views.end()) known->id = id;
  else m_views.push_back({&device, id});
  return id;
}

memory_id buffer_memory::adopt_device_memory(devices::device& device,
                                             std::unique_ptr<devices::memory> object) {
  const memory_id id = make_place(device);
  at(id).uses.push_back({&device, memory_pool::pooled(object.release())});
  m_views.push_back({&device, id});
  return id;
}

std::vector<std::pair<const devices::device*, devices::memory*>> buffer_memory::objects() const {
  std::vector<std::pair<const devices::device*, devices::memory*>> out;
  for (const view& v : m_views) out.emplace_back(v.device, object(v.id, *v.device));
  return out;
}

std::optional<memory_id> buffer_memory::existing_device_view(const devices::device& device) const {
  for (const view& v : m_views)
    if (v.device == &device) return v.id;
  return std::nullopt;
}

memory_id buffer_memory::device_window(memory_pool& pool, interval bytes, memory_pool::pooled* offered) {
  devices::device& device = pool.device();
  for (const memory_id id : memories_of(device))
    if (room_of(id).covers(bytes)) return id;
  host_view(); // the bytes pass through it
  const memory_id id = make_place(device);
  const std::uint64_t window = std::max<std::uint64_t>(bytes.end - bytes.begin, 1);
  put(id, device, take(pool, window, offered));
  at(id).window = window;
  at(id).begin = bytes.begin;
  return id;
}

std::vector<memory_id> buffer_memory::memories_of(const devices::device& device) const {
  std::vector<memory_id> out;
  for (std::size_t i = 1; i < m_allocations.size(); ++i)
    if (m_allocations[i].owner == &device && !m_allocations[i].uses.empty()) out.push_back(memory_id(i));
  return out;
}

bool buffer_memory::can_release(memory_id id) const {
  const std::vector<use>& uses = at(id).uses;
  return at(id).owner != nullptr && uses.size() == 1 && uses.front().object.get_deleter().pool != nullptr;
}

std::uint64_t buffer_memory::bytes_on(const devices::device& device) const {
  std::uint64_t sum = 0;
  for (const memory_id id : memories_of(device))
    if (const memory_pool::pooled& object = at(id).uses.front().object; object.get_deleter().pool != nullptr)
      sum += object->size();
  return sum;
}

void buffer_memory::separate_host_view(memory_id id) {
  if (m_host_view.has_value() && m_host_view != id) return;
  if (m_allocations[0].host == nullptr) {
    m_allocations[0].host = host_block();
    m_allocations[0].allocated = true;
  }
  m_host_view = memory_id(0);
}

memory_pool::pooled buffer_memory::release(memory_id id) {
  memory_pool::pooled object = std::move(at(id).uses.front().object);
  at(id).uses.clear();
  at(id).host = nullptr;
  std::erase_if(m_views, [&](const view& v) { return v.id == id; });
  ++m_releases;
  return object;
}

void* buffer_memory::host_pointer(memory_id id) const { return at(id).host; }

devices::memory* buffer_memory::object(memory_id id, const devices::device& device) const {
  for (const use& u : at(id).uses)
    if (u.device == &device) return u.object.get();
  return nullptr;
}

devices::device* buffer_memory::owner(memory_id id) const { return at(id).owner; }

topology buffer_memory::reach() {
  if (m_views.size() > 1) host_view();
  topology out;
  out.stage = m_host_view.value_or(memory_id(0));
  out.host_reachable.add(memory_id(0));
  for (std::size_t i = 1; i < m_allocations.size(); ++i)
    if (m_allocations[i].host != nullptr) out.host_reachable.add(memory_id(i));
  return out;
}

} // namespace prism::memory
