// Variables of the program that live on devices: one buffer for each object and device.
#include "runtime/coherence/buffer.hpp"
#include "runtime/root/context.hpp"

namespace prism {

namespace schedule {

buffer_ptr device_entry::global(const void* object, std::uint64_t bytes) {
  const std::lock_guard lock(m_mutex);
  buffer_ptr& found = m_globals[object];
  if (found == nullptr) {
    buffer_options options;
    options.extent[2] = bytes;
    options.host = const_cast<void*>(object);
    options.host_is_initial_data = options.host_read_only = true;
    found = create_buffer(options);
  }
  return found;
}

bool device_entry::may_hold_global(std::uint64_t address) {
  const std::lock_guard lock(m_mutex);
  for (const auto& [object, buffer] : m_globals) {
    buffer_root& root = *view_of(*buffer).root();
    const std::unique_lock root_lock(root.mutex, std::try_to_lock); // this thread may hold it: the command uses the object too
    if (!root_lock) return true;
    for (const auto& [device, memory] : root.places.objects())
      if (device == &raw() && (memory->address() == 0 || address - memory->address() < root.places.bytes())) return true; // 0: unknown
  }
  return false;
}

void device_entry::forget_globals(const image::kernel_record* records, std::size_t count) {
  std::vector<buffer_ptr> gone; // destroyed without the lock
  const std::lock_guard lock(m_mutex);
  for (std::size_t k = 0; k < count && !m_globals.empty(); ++k)
    for (std::uint32_t i = 0; i < records[k].hidden_count; ++i) {
      const auto found = m_globals.find(records[k].hidden[i].key);
      if (found == m_globals.end()) continue;
      gone.push_back(std::move(found->second));
      m_globals.erase(found);
    }
}

} // namespace schedule

buffer_ptr device_global_on(device_node& device, const void* object, std::uint64_t bytes) {
  return static_cast<schedule::device_entry&>(device).global(object, bytes);
}

} // namespace prism
