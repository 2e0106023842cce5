#include "devices/record/device.hpp"

#include "devices/record/memory.hpp"
#include "devices/record/program.hpp"
#include "devices/record/queue.hpp"

#include <algorithm>

namespace prism::devices::record {

record_device::record_device(std::size_t number, device_setup setup)
    : m_number(number), m_driver(std::move(setup.owner)), m_info(std::move(setup.info)) {}

std::vector<recorded_submission> record_device::log() const {
  std::lock_guard lock(m_driver->mutex);
  return m_log;
}

void record_device::clear_log() {
  std::lock_guard lock(m_driver->mutex);
  m_log.clear();
}

void record_device::hold() {
  std::lock_guard lock(m_driver->mutex);
  m_released = std::min(m_released, m_submissions);
}

void record_device::release() {
  {
    std::lock_guard lock(m_driver->mutex);
    m_released = UINT64_MAX;
  }
  record_queue::advance(*m_driver);
}

void record_device::release_next(std::size_t submissions) {
  {
    std::lock_guard lock(m_driver->mutex);
    if (m_released != UINT64_MAX) m_released += submissions;
  }
  record_queue::advance(*m_driver);
}

void record_device::fail_next(device_error error, std::size_t skip) {
  std::lock_guard lock(m_driver->mutex);
  m_planned_failures.insert_or_assign(m_submissions + 1 + skip, std::move(error));
}

std::unique_ptr<memory> record_device::create_memory(std::uint64_t bytes, memory_kind kind,
                                                     std::uint64_t alignment) {
  const auto before = m_used.fetch_add(bytes);
  alignment = std::max<std::uint64_t>(alignment, 64);
  void* data = nullptr;
  if (bytes <= m_info.max_allocation && before <= m_info.global_memory &&
      bytes <= m_info.global_memory - before)
    data = std::aligned_alloc(alignment,
                              (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  if (data == nullptr) {
    m_used -= bytes;
    throw device_error(error_category::out_of_memory, "",
                       "allocate " + std::to_string(bytes) + " bytes on " + m_info.name + ": " +
                           std::to_string(before) + " of " + std::to_string(m_info.global_memory) +
                           " bytes are in use");
  }
  return std::make_unique<record_memory>(*this, static_cast<std::byte*>(data), bytes, kind, false);
}

std::unique_ptr<memory> record_device::adopt(void* host, std::uint64_t bytes) {
  if (!m_info.adopt_host_memory || reinterpret_cast<std::uintptr_t>(host) % m_info.adopt_alignment != 0)
    return nullptr;
  return std::make_unique<record_memory>(*this, static_cast<std::byte*>(host), bytes, memory_kind::buffer,
                                         true);
}

std::unique_ptr<program> record_device::create_program(const program_source& source) {
  if (std::find(m_info.image_kinds.begin(), m_info.image_kinds.end(), source.kind) ==
      m_info.image_kinds.end())
    throw device_error(error_category::unsupported, "",
                       "create a program on " + m_info.name + ": it does not take this kind of image");
  std::vector<std::byte> image;
  if (source.kind != image::kind::host_group) { // whose data is a function, not bytes
    const auto* bytes = static_cast<const std::byte*>(source.data);
    image.assign(bytes, bytes + source.size);
  }
  return std::make_unique<record_program>(source.kind, std::move(image), source.record, m_info);
}

std::unique_ptr<program> record_device::create_program_from_binary(std::span<const std::byte> binary,
                                                                   const program_source& source) {
  return read_binary(binary, source.record, m_info);
}

std::unique_ptr<queue> record_device::create_queue(const queue_options& options) {
  return std::make_unique<record_queue>(*this, options);
}

std::unique_ptr<command_buffer>
record_device::create_command_buffer(std::span<const command_buffer_step> steps) {
  return std::make_unique<record_command_buffer>(steps);
}

bool record_device::can_wait_for(const timeline& other) const noexcept {
  const auto* theirs = dynamic_cast<const record_queue*>(&other);
  return theirs != nullptr && theirs->owner() == m_driver;
}

std::string record_device::fingerprint() const {
  return "record " + m_info.driver_version + " " + m_info.name;
}

} // namespace prism::devices::record
