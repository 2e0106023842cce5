// The device queues of a device: those in use by SYCL queues, those of destroyed SYCL queues, which are
// reused, and one for copies that do not belong to any SYCL queue. Device queues are never destroyed, because
// events outlive queues and static objects outlive drivers; the exception is drop_unused. Their number is the
// largest number of SYCL queues that existed at one time. Any thread.
#pragma once

#include "runtime/execution/device_queue.hpp"

#include <mutex>
#include <vector>

namespace prism::runtime {

class device_queue_set final : private copy_queue_maker {
public:
  device_queue_set(device_state& device, services& threads) : m_device(device), m_services(threads) {}
  device_queue_set(const device_queue_set&) = delete;

  /// Makes a device queue for a native queue of the program; serves one SYCL queue only.
  device_queue_ref adopt(std::unique_ptr<devices::queue> queue, bool profiling);
  /// Returns an idle device queue of that kind, or a new one.
  device_queue_ref take(bool profiling);
  /// The device's one queue for copies that do not belong to any SYCL queue.
  device_queue_ref transfer();
  /// Takes the device queue of a destroyed SYCL queue; it is reused once its commands are complete.
  void give_back(device_queue_ref used);
  /// Destroys the device queues that nothing else refers to. Only for a device that is about to be closed.
  void drop_unused();
  /// All device queues, for draining.
  std::vector<device_queue_ref> all();

private:
  device_queue_ref make_copies(device_queue& kernels) override;
  device_queue::environment environment_of(std::size_t number) {
    return {m_device, m_services, *this, unsigned(number)};
  }
  std::size_t count();

  device_state& m_device;
  services& m_services;
  std::mutex m_mutex;
  std::vector<device_queue_ref> m_all;
  std::vector<device_queue_ref> m_returned;
  device_queue_ref m_transfer;
};

} // namespace prism::runtime
