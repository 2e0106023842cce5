// The engine's part of a SYCL queue: a device queue and the queue's settings.
#pragma once

#include "runtime/device/device_list.hpp"
#include "runtime/execution/device_queue_set.hpp"

#include <algorithm>
#include <mutex>

namespace prism::runtime {

class queue_state final : public queue_node {
public:
  queue_state(device_state& device, const queue_settings& settings)
      : m_device(device), m_settings(settings),
        m_device_queue(device.device_queues().take(settings.profiling)) {}
  queue_state(device_state& device, const queue_settings& settings, device_queue_ref where)
      : m_device(device), m_settings(settings), m_device_queue(std::move(where)) {}
  ~queue_state() override {
    if (!m_device.all().drivers_usable()) return; // the driver may already be unloaded
    try {
      m_device_queue->flush(); // submitted work continues after the queue is destroyed
      m_device.device_queues().give_back(std::move(m_device_queue));
    } catch (...) { // a lost device has no work to flush
    }
  }
  device_node& device() const override { return m_device; }
  void wait() override { m_device_queue->wait(); }
  std::vector<std::exception_ptr> take_failures() override {
    std::vector<std::exception_ptr> all = m_device_queue->take_failures();
    const std::lock_guard lock(m_mutex);
    for (const auto& each : m_others) {
      const std::vector<std::exception_ptr> more = each->take_failures();
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  /// From now on this queue's failures include those of `other`, a queue that the program does not see.
  void take_failures_of(const std::shared_ptr<queue_state>& other) {
    const std::lock_guard lock(m_mutex);
    if (std::find(m_others.begin(), m_others.end(), other) == m_others.end()) m_others.push_back(other);
  }
  bool empty() const override { return m_device_queue->empty(); }
  void flush() override { m_device_queue->flush(); }
  const void* identity() const override { return m_device_queue->identity(); }
  void* native(std::string_view what) const override { return m_device_queue->native(what); }

  device_state& entry() const { return m_device; }
  const device_queue_ref& where() const { return m_device_queue; }
  const queue_settings& settings() const { return m_settings; }

private:
  device_state& m_device;
  queue_settings m_settings;
  device_queue_ref m_device_queue;
  std::mutex m_mutex;
  std::vector<std::shared_ptr<queue_state>> m_others;
};

} // namespace prism::runtime
