// The conformance kit: requirements for every device of every backend. The program tests one driver at a
// time, `prism-conformance <driver>`, or a backend's module, `prism-conformance ./mine.so [number of the
// device]`. A device that runs no kernels has a fingerprint that begins with "null ". An absent driver is
// skipped by name. A new driver is one line of the table in kit.cpp.
#pragma once

#include "devices/api/device.hpp"

#include <gtest/gtest.h>

namespace prism::devices::conformance {

/// The device under test, opened once.
device& the_device();

class kit : public testing::Test {
protected:
  device& m_device = the_device();
  std::unique_ptr<queue> m_queue = m_device.create_queue({});

  bool executes() const { return !m_device.info().image_kinds.empty() && !m_records_only; }
  /// Memory of kind buffer that contains `bytes`.
  std::unique_ptr<memory> make(std::span<const std::byte> bytes);
  std::unique_ptr<memory> make(std::uint64_t bytes, memory_kind kind = memory_kind::buffer);
  void write(memory& to, std::uint64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(memory& from, std::uint64_t offset, std::uint64_t bytes);
  std::vector<std::byte> read(memory& from) { return read(from, 0, from.size()); }
  /// Submits to m_queue and waits. The test fails on an error, or if the command takes more than a minute.
  void run(const command& what);
  void finish(queue& on, std::uint64_t point);

private:
  bool m_records_only =
      m_device.fingerprint().starts_with("record ") || m_device.fingerprint().starts_with("null ");
};

std::vector<std::byte> pattern(std::uint64_t bytes, unsigned seed);
template <typename T>
std::vector<T> as(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<std::byte*>(values.data()));
  return values;
}
template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

} // namespace prism::devices::conformance
