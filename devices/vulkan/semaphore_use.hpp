// A wait for a semaphore that programs share, or its signal, as dispatches of a native_kernel name it
// (external_semaphore::command). The queue makes it a part of a submission; it records no commands.
#pragma once

#include "devices/vulkan/host_worker.hpp"

#include "devices/api/device.hpp"

namespace prism::devices::vulkan {

class semaphore_use final : public devices::kernel {
public:
  semaphore_use(semaphore_value which, bool waits) : m_which(which), m_waits(waits) {}
  kernel_limits limits() const override { return {}; }
  const semaphore_value& which() const noexcept { return m_which; } // the value: of a timeline
  bool waits() const noexcept { return m_waits; }

private:
  const semaphore_value m_which;
  const bool m_waits;
};

} // namespace prism::devices::vulkan
