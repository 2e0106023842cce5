// The allocations of a buffer, with a memory_id for each separate copy of its bytes, and the one that each
// device and the host uses. If a device can use host memory in place, it shares the id of that memory, so the
// coherence map never copies between the two. Allocations are made at first use, and a device's may be
// released while nothing uses it. The caller must lock the buffer. Throws device_error{out_of_memory}.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/memory/coherence_map.hpp"
#include "runtime/memory/memory_pool.hpp"

namespace prism::memory {

class buffer_memory {
public:
  /// `host`: memory of the program, to be used in place, or null.
  buffer_memory(std::uint64_t bytes, void* host, bool may_adopt);
  buffer_memory(buffer_memory&&) noexcept = default;
  ~buffer_memory(); // only after all commands that use it

  /// The memory that the host reads and writes; the same for every call.
  memory_id host_view();
  std::optional<memory_id> existing_host_view() const { return m_host_view; }
  /// The memory that kernels of the pool's device use. `needs_address`: it must have a device address.
  memory_id device_view(memory_pool& pool, bool needs_address);
  /// Uses memory that the program made as the allocation of `device`. Must be the first call, at most once.
  memory_id adopt_device_memory(devices::device& device, std::unique_ptr<devices::memory> object);
  /// The devices that have an allocation so far, each with its allocation.
  std::vector<std::pair<const devices::device*, devices::memory*>> objects() const;
  std::optional<memory_id> existing_device_view(const devices::device& device) const;

  /// Host address of the first byte; null when the host cannot access that memory.
  void* host_pointer(memory_id id) const;
  /// The object through which `device` accesses that memory; null for memory of another device and plain host
  /// memory.
  devices::memory* object(memory_id id, const devices::device& device) const;
  /// The device that allocated the memory; null for host memory.
  devices::device* owner(memory_id id) const;
  /// Which memories the host can access. If there are several devices, allocates the host's memory first,
  /// because copies between devices may go through it.
  topology reach();
  /// Moves the host's bytes to memory owned by the buffer. Returns false, without a change, if a device uses
  /// the program's memory in place. No command may be using the buffer.
  bool leave_user_memory();
  /// Whether the device has memory for the buffer that release() can free: it is from a pool, and no other
  /// device uses it.
  bool can_release(const devices::device& device) const;
  /// If the host's view is the device's memory, gives the host memory of its own. No command may be using the
  /// buffer.
  void separate_host_view(const devices::device& device);
  /// Frees the device's memory, after can_release and separate_host_view; its bytes are lost.
  void release(const devices::device& device);
  /// How often memory was released. Objects of before may be destroyed.
  std::uint64_t releases() const { return m_releases; }
  /// Bytes of the device's memory that the buffer occupies.
  std::uint64_t bytes_on(const devices::device& device) const;
  bool uses_user_memory() const { return m_user != nullptr && m_host_view == memory_id(0); }
  std::uint64_t bytes() const { return m_bytes; }

private:
  struct use {
    devices::device* device;
    memory_pool::pooled object;
  };
  struct allocation {
    void* host = nullptr;             // null: not accessible by the host
    devices::device* owner = nullptr; // null: host memory
    std::vector<use> uses;            // the owner's first, then those of devices that adopted it
    bool allocated = false;           // `host` was allocated here and must be freed
  };
  struct view {
    devices::device* device;
    memory_id id;
  };
  void* host_block() const; // page-aligned, of the buffer's size
  allocation& at(memory_id id) { return m_allocations[static_cast<std::size_t>(id)]; }
  const allocation& at(memory_id id) const { return m_allocations[static_cast<std::size_t>(id)]; }
  bool adopt(memory_id id, devices::device& device, bool needs_address);
  memory_id add_allocation(allocation p);
  const use* own_use(const devices::device& device) const; // null: it has no memory of the device's pool

  std::uint64_t m_bytes;
  void* m_user;
  bool m_may_adopt;
  std::vector<allocation> m_allocations; // m_allocations[0] is host memory, allocated here or by the program
  std::vector<view> m_views;
  std::optional<memory_id> m_host_view;
  std::uint64_t m_releases = 0;
};

} // namespace prism::memory
