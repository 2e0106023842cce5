// The device queues of a device: those that SYCL queues have, those whose queue is gone, and one for copies
// that no user queue runs. Lanes are never destroyed, as events outlive queues and static objects outlive
// drivers; there are as many as queues lived at one time. Any thread.
#pragma once

#include "runtime/execution/device_queue.hpp"

#include <mutex>
#include <vector>

namespace prism::runtime {

class device_queue_set final : private copy_queue_maker {
public:
  device_queue_set(device_state& device, services& threads) : m_device(device), m_services(threads) {}
  device_queue_set(const device_queue_set&) = delete;

  /// A device queue on a queue of the program's own, for one SYCL queue only.
  device_queue_ref adopt(std::unique_ptr<devices::queue> queue, bool profiling);
  /// An idle device queue of that kind or a new one.
  device_queue_ref take(bool profiling);
  /// For copies that no user queue runs; one a device.
  device_queue_ref transfer();
  /// Takes a device queue whose SYCL queue is gone: reused once its work is done.
  void give_back(device_queue_ref used);
  /// All device queues, for draining.
  std::vector<device_queue_ref> all();

private:
  device_queue_ref make_copies(device_queue& kernels) override;
  device_queue::place place_of(std::size_t number) { return {m_device, m_services, *this, unsigned(number)}; }
  std::size_t count();

  device_state& m_device;
  services& m_services;
  std::mutex m_mutex;
  std::vector<device_queue_ref> m_all;
  std::vector<device_queue_ref> m_returned;
  device_queue_ref m_transfer;
};

} // namespace prism::runtime
