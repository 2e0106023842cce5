#include "devices/vulkan/usm_window.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace prism::devices::vulkan {

namespace {

constexpr std::uint64_t page = 4096;

[[noreturn]] void no_window(std::uint64_t bytes, const char* asked) {
  throw device_error(error_category::out_of_memory, std::strerror(errno),
                     "making a window of " + std::to_string(bytes) + " bytes for host and shared USM: " +
                         asked + "; PRISM_VULKAN_USM_SIZE sets its size");
}

} // namespace

usm_window::usm_window(device& owner, std::uint64_t bytes, bool split) {
  const std::uint64_t alignment = std::max(owner.hardware().import_alignment, page);
  m_size = round_up(std::min(bytes, owner.hardware().max_allocation / alignment * alignment), alignment);
  int file = -1; // some drivers refuse to import memory of a file, so only for two mappings
  if (split) {
    file = memfd_create("prism-usm", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(m_size)) != 0) {
      if (file >= 0) close(file);
      no_window(m_size, "no file in memory");
    }
  }
  try {
    m_base = map(file, alignment);
    m_block = std::make_unique<block>(owner, split ? map(file, alignment) : m_base, m_size);
  } catch (...) {
    if (file >= 0) close(file);
    unmap();
    throw;
  }
  if (file >= 0) close(file);
  m_gaps.give(0, m_size);
}

usm_window::~usm_window() {
  m_block.reset();
  unmap();
}

std::byte* usm_window::map(int file, std::uint64_t alignment) {
  const std::uint64_t bytes = m_size + alignment - page; // anonymous and file mappings start at a page
  const int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) no_window(m_size, "no address space");
  m_mappings.push_back({at, bytes});
  const auto address = reinterpret_cast<std::uint64_t>(at);
  if (file >= 0 && round_up(address, alignment) != address)
    no_window(m_size, "the driver's import alignment");
  return reinterpret_cast<std::byte*>(round_up(address, alignment));
}

void usm_window::unmap() noexcept {
  for (const mapping& each : m_mappings) munmap(each.at, each.bytes);
}

range usm_window::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t wanted = round_up(std::max<std::uint64_t>(bytes, 1), 64);
  std::lock_guard lock(m_mutex);
  const auto base = reinterpret_cast<std::uint64_t>(m_base);
  if (wanted >= bytes)
    if (const auto offset = m_gaps.take(wanted, std::max<std::uint64_t>(alignment, 64), base))
      return {m_block.get(), *offset, wanted};
  throw device_error(error_category::out_of_memory, "",
                     "allocating " + std::to_string(bytes) + " bytes of host or shared USM: the window of " +
                         std::to_string(m_size) + " bytes has no room; PRISM_VULKAN_USM_SIZE sets its size");
}

void usm_window::free(const range& what) noexcept {
  std::lock_guard lock(m_mutex);
  m_gaps.give(what.offset, what.size);
}

} // namespace prism::devices::vulkan
