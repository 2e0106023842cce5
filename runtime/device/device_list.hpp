// The devices of the process: those that the selector let through, those of the program's own contexts, and
// the reference beside them. Readers take no lock. Devices are added and never taken away.
#pragma once

#include "runtime/device/device_state.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace prism::runtime {

class device_list {
public:
  /// Only before another thread knows the list.
  void add_listed(std::unique_ptr<device_state> device) { m_listed.push_back(std::move(device)); }
  device_state& adopt(std::unique_ptr<device_state> device);
  /// Once.
  void set_reference(std::unique_ptr<device_state> device);

  const std::vector<std::unique_ptr<device_state>>& listed() const { return m_listed; }
  device_state* reference() const noexcept {
    return m_opened_reference.load(std::memory_order_acquire);
  } // null: not opened yet
  /// Calls `visit` with every device, those of foreign contexts and the reference last.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& device : m_listed) visit(*device);
    for (const adopted_device* a = m_adopted.load(std::memory_order_acquire); a != nullptr; a = a->next)
      visit(*a->device);
    if (device_state* const opened = reference()) visit(*opened);
  }
  /// The pointer lies in memory of a device that sycl::free gave back; false when that is not certain.
  bool was_freed(std::uint64_t address) const;

  /// False while the process ends and in a forked child: drivers may be gone.
  bool drivers_usable() const noexcept { return m_usable.load(std::memory_order_relaxed); }
  void end_use_of_drivers() noexcept { m_usable.store(false); }

private:
  struct adopted_device {
    std::unique_ptr<device_state> device;
    adopted_device* next;
  };
  std::vector<std::unique_ptr<device_state>> m_listed;
  std::atomic<adopted_device*> m_adopted{nullptr}; // never destroyed
  std::unique_ptr<device_state> m_reference;
  std::atomic<device_state*> m_opened_reference{nullptr};
  std::atomic<bool> m_usable{true};
};

} // namespace prism::runtime
