// Where a buffer's bytes can be: one memory_id for each separate copy of them, and who sees which copy. A
// device that can use host memory in place shares the id of that memory, so the coherence_map never copies
// between the two. Made lazily: a place exists from its first use. The caller holds the buffer's lock. Throws
// device_error{out_of_memory}.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/memory/coherence_map.hpp"
#include "runtime/memory/memory_pool.hpp"

namespace prism::memory {

class buffer_memory {
public:
  /// `host`: the user's memory, used in place, or null.
  buffer_memory(std::uint64_t bytes, void* host, bool may_adopt);
  buffer_memory(buffer_memory&&) noexcept = default;
  ~buffer_memory(); // only after all commands that use it

  /// Id that the host reads and writes; always the same memory once asked for.
  memory_id host_view();
  std::optional<memory_id> existing_host_view() const { return m_host_view; }
  /// Id that kernels of the pool's device use. needs_address: the memory must have one.
  memory_id device_view(memory_pool& pool, bool needs_address);
  /// Memory of the program's own as the place that `device` uses. First of all, once.
  memory_id adopt_device_memory(devices::device& device, std::unique_ptr<devices::memory> object);
  /// Every device's memory that was made so far.
  std::vector<std::pair<const devices::device*, devices::memory*>> objects() const;
  std::optional<memory_id> existing_device_view(const devices::device& device) const;

  /// Host address of the first byte; null when the host cannot reach that memory.
  void* host_pointer(memory_id id) const;
  /// The object by which `device` uses that memory; null for another device's or plain host memory.
  devices::memory* object(memory_id id, const devices::device& device) const;
  /// The device that made the memory; null for host memory.
  devices::device* owner(memory_id id) const;
  /// With several devices the host's place is made first: copies between two of them may go through it.
  topology reach();
  /// From now on the host's bytes lie in memory of the buffer's own, a copy of the user's. Only while no
  /// device uses that memory in place; false: nothing changed. No command may be using the buffer.
  bool leave_user_memory();
  bool uses_user_memory() const { return m_user != nullptr && m_host_view == memory_id(0); }
  std::uint64_t bytes() const { return m_bytes; }

private:
  struct use {
    devices::device* device;
    memory_pool::pooled object;
  };
  struct place {
    void* host = nullptr;             // null: not reachable
    devices::device* owner = nullptr; // null: host memory
    std::vector<use> uses;            // the owner's own first, then those that adopted it
    bool allocated = false;           // `host` is ours to free
  };
  struct view {
    devices::device* device;
    memory_id id;
  };
  void* host_block() const; // page-aligned, of the buffer's size
  place& at(memory_id id) { return m_places[static_cast<std::size_t>(id)]; }
  const place& at(memory_id id) const { return m_places[static_cast<std::size_t>(id)]; }
  bool adopt(memory_id id, devices::device& device, bool needs_address);
  memory_id add_place(place p);

  std::uint64_t m_bytes;
  void* m_user;
  bool m_may_adopt;
  std::vector<place> m_places; // place 0 is host memory, allocated or the user's
  std::vector<view> m_views;
  std::optional<memory_id> m_host_view;
};

} // namespace prism::memory
