#include "runtime/device/device_list.hpp"

namespace prism::runtime {

device_state& device_list::adopt(std::unique_ptr<device_state> device) {
  auto* const made = new adopted_device{std::move(device), m_adopted.load(std::memory_order_relaxed)};
  while (!m_adopted.compare_exchange_weak(made->next, made, std::memory_order_release,
                                          std::memory_order_relaxed)) {}
  return *made->device;
}

void device_list::set_reference(std::unique_ptr<device_state> device) {
  m_reference = std::move(device);
  m_opened_reference.store(m_reference.get(), std::memory_order_release);
}

bool device_list::was_freed(std::uint64_t address) const {
  bool found = false;
  for_each([&](device_state& device) { found = found || device.pool().was_freed(address); });
  return found;
}

} // namespace prism::runtime
