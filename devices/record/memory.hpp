// Memory of the record device: host bytes that the runtime may access only through copies, unless the
// device's capabilities say otherwise.
#pragma once

#include "devices/record/device.hpp"

#include <cstdlib>

namespace prism::devices::record {

class record_memory final : public memory {
public:
  record_memory(record_device& owner, std::byte* data, std::uint64_t bytes, memory_kind kind, bool adopted)
      : m_device(owner), m_data(data), m_bytes(bytes), m_kind(kind), m_adopted(adopted) {}
  ~record_memory() override {
    if (m_adopted) return;
    std::free(m_data);
    m_device.m_used -= m_bytes;
  }
  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override {
    return m_device.info().addresses ? reinterpret_cast<std::uint64_t>(m_data) : 0;
  }
  void* host_pointer() const noexcept override {
    const bool visible = m_adopted || m_device.info().host_visible || m_kind == memory_kind::host ||
                         m_kind == memory_kind::shared;
    return visible ? m_data : nullptr;
  }
  memory_kind kind() const noexcept override { return m_kind; }
  std::byte* bytes() const noexcept { return m_data; } // for copies, fills and tests

private:
  record_device& m_device;
  std::byte* m_data;
  std::uint64_t m_bytes;
  memory_kind m_kind;
  bool m_adopted;
};

} // namespace prism::devices::record
