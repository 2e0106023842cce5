// The allocations of a buffer, with a memory_id for each separate copy of its bytes, and the one that each
// device and the host uses. If a device can use host memory in place, it shares the id of that memory, so the
// coherence map never copies between the two. Allocations are made at first use, and a device's may be
// released while nothing uses it. A device that cannot hold the whole buffer has windows: allocations for a
// part each. The caller must lock the buffer. Throws device_error{out_of_memory}.
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
  /// Whether device_view may take memory from the pool.
  bool may_allocate(const devices::device& device, bool needs_address) const;
  /// The memory that kernels of the pool's device use. `needs_address`: it must have a device address.
  /// `offered`: an object of the pool to use for a new allocation that it serves; may be null.
  memory_id device_view(memory_pool& pool, bool needs_address, memory_pool::pooled* offered = nullptr);
  /// Whether the device uses the host's memory in place.
  bool can_adopt(const devices::device& device) const;
  /// The memory with these bytes, for a device that cannot hold the whole buffer.
  memory_id device_window(memory_pool& pool, interval bytes, memory_pool::pooled* offered = nullptr);
  /// The bytes of the buffer that the memory has room for.
  interval room_of(memory_id id) const { return {at(id).begin, at(id).begin + bytes_in(at(id))}; }
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
  /// The memories that the device allocated.
  std::vector<memory_id> memories_of(const devices::device& device) const;
  /// Whether release() can free the memory: it is from a pool, and no other device uses it.
  bool can_release(memory_id id) const;
  /// Gives the host memory of its own if it has none, or if its view is this memory; then no command may be
  /// using the buffer.
  void separate_host_view(memory_id id);
  /// Removes the memory, after can_release and separate_host_view. Its bytes are lost; the pool gets the
  /// object when the result is destroyed.
  memory_pool::pooled release(memory_id id);
  /// How often memory was released. Objects of before may be destroyed.
  std::uint64_t releases() const { return m_releases; }
  /// Bytes of the device's pool that the buffer occupies.
  std::uint64_t bytes_on(const devices::device& device) const;
  /// memory_budget::tick of the last command that needed the memory.
  std::uint64_t last_needed(memory_id id) const { return at(id).last_needed; }
  void mark_needed(memory_id id, std::uint64_t tick) { at(id).last_needed = tick; }
  bool uses_user_memory() const { return m_user != nullptr && m_host_view == memory_id(0); }
  std::uint64_t bytes() const { return m_bytes; }

private:
  struct use {
    devices::device* device;
    memory_pool::pooled object;
  };
  struct allocation {
    void* host = nullptr;                // null: not accessible by the host
    devices::device* owner = nullptr;    // null: host memory
    std::vector<use> uses;               // the owner's first, then those of devices that adopted it
    bool allocated = false;              // `host` was allocated here and must be freed
    std::uint64_t begin = 0, window = 0; // of a window: its first byte in the buffer, and its bytes; else 0
    std::uint64_t last_needed = 0;
  };
  struct view {
    devices::device* device;
    memory_id id;
  };
  void* host_block() const; // page-aligned, of the buffer's size
  allocation& at(memory_id id) { return m_allocations[static_cast<std::size_t>(id)]; }
  const allocation& at(memory_id id) const { return m_allocations[static_cast<std::size_t>(id)]; }
  bool adopt(memory_id id, devices::device& device, bool needs_address);
  memory_id make_place(devices::device& owner);
  void put(memory_id id, devices::device& device, memory_pool::pooled object);
  std::uint64_t bytes_in(const allocation& a) const { return a.window != 0 ? a.window : m_bytes; }

  std::uint64_t m_bytes;
  void* m_user;
  bool m_may_adopt;
  std::vector<allocation> m_allocations; // m_allocations[0] is host memory, allocated here or by the program
  std::vector<view> m_views;
  std::optional<memory_id> m_host_view;
  std::uint64_t m_releases = 0;
};

} // namespace prism::memory
