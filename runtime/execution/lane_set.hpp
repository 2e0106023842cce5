// The lanes of a device: those that SYCL queues have, those whose queue is gone, and one for copies that no
// user queue runs. Lanes are never destroyed, as events outlive queues and static objects outlive drivers;
// there are as many as queues lived at one time. Any thread.
#pragma once

#include "runtime/execution/lane.hpp"

#include <mutex>
#include <vector>

namespace prism::schedule {

class lane_set final : private copy_lane_maker {
public:
  lane_set(device_entry& device, services& threads) : m_device(device), m_services(threads) {}
  lane_set(const lane_set&) = delete;

  /// A lane on a queue of the program's own, for one SYCL queue only.
  lane_ref adopt(std::unique_ptr<devices::queue> queue, bool profiling);
  /// An idle lane of that kind or a new one.
  lane_ref take(bool profiling);
  /// For copies that no user queue runs; one a device.
  lane_ref transfer();
  /// Takes a lane whose SYCL queue is gone: reused once its work is done.
  void give_back(lane_ref used);
  /// All lanes, for draining.
  std::vector<lane_ref> all();

private:
  lane_ref make_copies(lane& kernels) override;
  lane::place place_of(std::size_t number) { return {m_device, m_services, *this, unsigned(number)}; }
  std::size_t count();

  device_entry& m_device;
  services& m_services;
  std::mutex m_mutex;
  std::vector<lane_ref> m_all;
  std::vector<lane_ref> m_returned;
  lane_ref m_transfer;
};

} // namespace prism::schedule
