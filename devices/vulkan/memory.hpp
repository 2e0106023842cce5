// Memory of a Vulkan device: blocks (one VkDeviceMemory with one VkBuffer) and ranges of them.
//
// Small allocations share blocks, because drivers limit the number of allocations. Every block has a device
// address. If it is not one of our host addresses, it is reserved in the host's address space, so that a
// device pointer never equals a host pointer. A device without buffer device addresses has one block only,
// the arena, which kernels reach as a storage buffer; its address is reserved too, at a multiple of 2^32
// (lower/lower.hpp). Any thread may allocate and free; each allocator has a lock,
// and a small allocation makes no driver call when warm.
#pragma once

#include "devices/vulkan/block_places.hpp"
#include "devices/vulkan/free_list.hpp"
#include "devices/vulkan/interop.hpp"
#include "devices/vulkan/loader.hpp"

#include "devices/api/device.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace prism::devices::vulkan {

class device;
class usm_window;

enum class placement {
  device_local,  // also mapped if device memory is host memory
  host_coherent, // mapped, and host-cached if there is a choice
};

/// How a block is shared with other programs: the allocation of an open file, or one that becomes a file.
struct shared_file {
  int descriptor = -1; // to import; -1: the block is made for export
  bool imports() const noexcept { return descriptor >= 0; }
};

class block {
public:
  /// Throws device_error{out_of_memory}.
  block(device& owner, std::uint64_t bytes, placement where);
  /// Imports host memory; both must be aligned to the device's import alignment. Throws device_error if the
  /// driver refuses.
  block(device& owner, void* host, std::uint64_t bytes);
  /// Memory that other programs import (export_as_file), or an allocation of theirs, of `bytes` bytes.
  /// external_memory.cpp.
  block(device& owner, std::uint64_t bytes, shared_file file);
  /// A range of the program's buffer, whose memory stays the program's. Throws device_error{invalid} if the
  /// buffer's usage lacks something, {unsupported} without buffer device addresses. adopted_buffer.cpp.
  block(device& owner, const vulkan_buffer& program);
  ~block();
  block(const block&) = delete;
  block& operator=(const block&) = delete;

  VkBuffer buffer() const noexcept { return m_buffer; }
  VkDeviceMemory handle() const noexcept { return m_memory; }
  std::uint64_t size() const noexcept { return m_size; }
  std::uint64_t address() const noexcept { return m_address; }
  std::byte* mapped() const noexcept { return m_mapped; } // null if the host cannot access it
  /// Keeps host mappings away from the block's device addresses; false if the host already has other mappings
  /// there.
  bool reserve_address();
  bool exportable() const noexcept { return m_exportable; }
  std::uint64_t allocated() const noexcept { return m_allocated; } // bytes of the VkDeviceMemory
  std::uint32_t memory_type() const noexcept { return m_type; }

private:
  friend class allocator;
  void make_buffer(VkExternalMemoryHandleTypeFlags shared);
  void reserve_arena_address();
  void allocate(std::uint32_t type, std::uint64_t bytes, const void* next, bool map);
  void release() noexcept;

  device& m_device;
  std::uint64_t m_size = 0, m_address = 0, m_charged = 0, m_allocated = 0;
  std::uint32_t m_heap = 0, m_type = 0;
  bool m_exportable = false, m_is_adopted = false;
  VkBuffer m_buffer = VK_NULL_HANDLE;
  VkDeviceMemory m_memory = VK_NULL_HANDLE;
  std::byte* m_mapped = nullptr;
  void* m_reservation = nullptr;
  std::uint64_t m_reserved_bytes = 0;
  free_list m_free; // guarded by the allocator
};

/// A range of a block.
struct range {
  block* owner = nullptr;
  std::uint64_t offset = 0, size = 0;

  VkBuffer buffer() const noexcept { return owner->buffer(); }
  std::uint64_t address() const noexcept { return owner->address() + offset; }
  std::byte* mapped() const noexcept { return owner->mapped() ? owner->mapped() + offset : nullptr; }
};

class allocator {
public:
  explicit allocator(device& owner);
  ~allocator();

  /// Throws device_error{out_of_memory}. The range's address is a multiple of `alignment`.
  range allocate(std::uint64_t bytes, placement where, std::uint64_t alignment);
  void free(const range& what) noexcept;
  /// The buffer with all memory, on a device without buffer device addresses; the first call makes it. Throws
  /// device_error{out_of_memory}.
  VkBuffer arena();
  void clear() noexcept; // before the device closes; nothing is allocated any more

  std::uint32_t find_type(std::uint32_t allowed, placement where) const;
  block_places& places() noexcept { return m_places; }
  /// Counts bytes against a heap; false if it has no room. Needed because drivers that overcommit do not
  /// refuse.
  bool charge(std::uint32_t heap, std::uint64_t bytes) noexcept;
  void discharge(std::uint32_t heap, std::uint64_t bytes) noexcept;

private:
  range take(block& from, std::uint64_t bytes, std::uint64_t alignment);
  std::unique_ptr<block> make_block(std::uint64_t bytes, placement where);
  range allocate_in_arena(std::uint64_t bytes, std::uint64_t wanted, std::uint64_t alignment);
  block& make_arena(); // the caller locks

  device& m_device;
  std::mutex m_mutex;
  std::unique_ptr<block> m_arena;
  std::vector<std::unique_ptr<block>> m_shared[2]; // by placement
  std::vector<std::unique_ptr<block>> m_dedicated;
  block_places m_places;
  std::mutex m_heap_mutex;
  std::uint64_t m_heap_used[VK_MAX_MEMORY_HEAPS] = {};
};

class memory final : public devices::memory {
public:
  memory(device& owner, std::uint64_t bytes, memory_kind kind, std::uint64_t alignment);
  memory(device& owner, void* host, std::uint64_t bytes);
  /// Memory shared by a file; external_memory.cpp.
  memory(device& owner, std::uint64_t bytes, std::uint64_t alignment, shared_file file);
  /// A range of the program's buffer; adopted_buffer.cpp.
  memory(device& owner, const vulkan_buffer& program);
  ~memory() override;

  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override {
    return m_window ? reinterpret_cast<std::uint64_t>(m_host) : m_range.address();
  }
  void* host_pointer() const noexcept override { return m_host; }
  memory_kind kind() const noexcept override { return m_kind; }
  void* native(std::string_view what) const noexcept override;

  VkBuffer buffer() const noexcept { return m_range.buffer(); }
  std::uint64_t buffer_offset() const noexcept { return m_range.offset; }
  const block& in() const noexcept { return *m_range.owner; }

private:
  device& m_device;
  counted_object m_counted;
  std::uint64_t m_bytes;
  memory_kind m_kind;
  usm_window* m_window = nullptr; // set if the range belongs to the window
  std::unique_ptr<block> m_own;   // a block of this memory alone: adopted or shared
  range m_range;
  std::byte* m_host = nullptr;
};

} // namespace prism::devices::vulkan
