// Memory of the host device: ordinary host memory, allocated or adopted. Address, host pointer and kernel
// pointer are the same number.
#pragma once

#include "devices/api/device.hpp"

#include <atomic>

namespace prism::devices::host {

/// Bytes allocated on the device. Its memories share the budget, so that the limit holds for the process, not
/// for one call.
struct memory_budget {
  std::uint64_t limit = 0;
  std::atomic<std::uint64_t> used{0};
};

class host_memory final : public memory {
public:
  /// Throws device_error{out_of_memory}.
  host_memory(memory_budget& budget, std::uint64_t bytes, memory_kind kind, std::uint64_t alignment);
  host_memory(void* adopted, std::uint64_t bytes) noexcept;
  ~host_memory() override;
  host_memory(const host_memory&) = delete;
  host_memory& operator=(const host_memory&) = delete;

  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override { return reinterpret_cast<std::uint64_t>(m_data); }
  void* host_pointer() const noexcept override { return m_data; }
  memory_kind kind() const noexcept override { return m_kind; }

private:
  memory_budget* m_budget = nullptr; // null for adopted memory
  void* m_data = nullptr;
  std::uint64_t m_bytes;
  memory_kind m_kind = memory_kind::buffer;
};

} // namespace prism::devices::host
