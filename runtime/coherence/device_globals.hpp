// The program's device_global variables: one buffer for each object and device. Any thread.
#pragma once

#include "runtime/device/device_state.hpp"

#include <map>
#include <mutex>

namespace prism::runtime {

class device_globals final : public global_variables {
public:
  explicit device_globals(device_state& device) : m_device(device) {}
  buffer_ptr get(const void* object, std::uint64_t bytes) override;
  bool may_hold(std::uint64_t address) override;
  void forget(const image::kernel_record* records, std::size_t count) override;

private:
  device_state& m_device;
  std::mutex m_mutex;
  std::map<const void*, buffer_ptr> m_buffers;
};

} // namespace prism::runtime
