// What a SYCL queue holds: a lane and its order.
#pragma once

#include "runtime/device/device_list.hpp"
#include "runtime/execution/lane_set.hpp"

namespace prism::schedule {

class queue_entry final : public queue_node {
public:
  queue_entry(device_entry& device, const queue_settings& settings)
      : m_device(device), m_settings(settings), m_lane(device.lanes().take(settings.profiling)) {}
  queue_entry(device_entry& device, const queue_settings& settings, lane_ref where)
      : m_device(device), m_settings(settings), m_lane(std::move(where)) {}
  ~queue_entry() override {
    if (!m_device.all().drivers_usable()) return; // the driver may be gone already
    try {
      m_lane->flush(); // its work goes on without it
      m_device.lanes().give_back(std::move(m_lane));
    } catch (...) { // a lost device: nothing left to start
    }
  }
  device_node& device() const override { return m_device; }
  void wait() override { m_lane->wait(); }
  std::vector<std::exception_ptr> take_failures() override { return m_lane->take_failures(); }
  bool empty() const override { return m_lane->empty(); }
  const void* identity() const override { return m_lane->identity(); }
  void* native(std::string_view what) const override { return m_lane->native(what); }

  device_entry& entry() const { return m_device; }
  const lane_ref& where() const { return m_lane; }
  const queue_settings& settings() const { return m_settings; }

private:
  device_entry& m_device;
  queue_settings m_settings;
  lane_ref m_lane;
};

} // namespace prism::schedule
