// The devices of the process: those that the selector matches, those of native contexts, and the reference
// device. Readers take no lock. Devices are added but never removed.
#pragma once

#include "runtime/device/device_state.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace prism::runtime {

class device_list {
public:
  /// Only before the list is visible to other threads.
  void add_listed(std::unique_ptr<device_state> device) { m_listed.push_back(std::move(device)); }
  device_state& adopt(std::unique_ptr<device_state> device);
  /// Call at most once.
  void set_reference(std::unique_ptr<device_state> device);

  const std::vector<std::unique_ptr<device_state>>& listed() const { return m_listed; }
  device_state* reference() const noexcept {
    return m_opened_reference.load(std::memory_order_acquire);
  } // null: not opened yet
  /// Calls `visit` with every device; first the listed devices, then those of native contexts, then the
  /// reference.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& device : m_listed) visit(*device);
    for (const adopted_device* a = m_adopted.load(std::memory_order_acquire); a != nullptr; a = a->next)
      visit(*a->device);
    if (device_state* const opened = reference()) visit(*opened);
  }
  /// Whether the pointer lies in device memory that was freed by sycl::free. False when that is not certain.
  bool was_freed(std::uint64_t address) const;

  /// False at the end of the process and in a forked child, where drivers may be unloaded.
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
