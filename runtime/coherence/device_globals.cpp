#include "runtime/coherence/device_globals.hpp"

#include "runtime/coherence/make_buffer.hpp"
#include "runtime/device/device_state.hpp"

namespace prism::runtime {

buffer_ptr device_globals::get(const void* object, std::uint64_t bytes) {
  const std::lock_guard lock(m_mutex);
  buffer_ptr& found = m_buffers[object];
  if (found == nullptr) {
    buffer_options options;
    options.extent[2] = bytes;
    options.host = const_cast<void*>(object);
    options.host_is_initial_data = options.host_read_only = true;
    const auto made = make_buffer(m_device.all(), options);
    made->root()->stays = true; // kernels may store the object's address
    found = made;
  }
  return found;
}

bool device_globals::may_hold(std::uint64_t address) {
  const std::lock_guard lock(m_mutex);
  for (const auto& [object, buffer] : m_buffers) {
    buffer_state& root = *view_of(*buffer).root();
    // try_to_lock: this thread may already hold the lock, if the command also uses the object
    const std::unique_lock root_lock(root.mutex, std::try_to_lock);
    if (!root_lock) return true;
    for (const auto& [device, memory] : root.allocations.objects())
      if (device == &m_device.raw() &&
          (memory->address() == 0 || address - memory->address() < root.allocations.bytes()))
        return true; // 0: unknown
  }
  return false;
}

void device_globals::forget(const image::kernel_record* records, std::size_t count) {
  std::vector<buffer_ptr> removed; // destroyed without the lock
  const std::lock_guard lock(m_mutex);
  for (std::size_t k = 0; k < count && !m_buffers.empty(); ++k)
    for (std::uint32_t i = 0; i < records[k].hidden_count; ++i) {
      const auto found = m_buffers.find(records[k].hidden[i].key);
      if (found == m_buffers.end()) continue;
      removed.push_back(std::move(found->second));
      m_buffers.erase(found);
    }
}

} // namespace prism::runtime
