// Determines the copies that a command needs before it uses buffers, and the commands it must wait for. Locks
// all buffers of the command, in address order. If planning throws, nothing has changed, except that empty
// allocations may have been made.
#pragma once

#include "runtime/coherence/buffer_view.hpp"

namespace prism::runtime {

/// One use of a buffer by the command being planned.
struct buffer_use {
  buffer_view* buffer = nullptr;
  memory::byte_box where; // in the view's own coordinates
  // instead of `where` on a device that cannot hold the whole buffer
  std::optional<memory::byte_box> stated{};
  bool reads = false, writes = false;
  bool on_host = false;
  bool needs_address = false;
  bool claims_region = false;  // other commands may use the rest of the buffer at the same time
  bool accepts_failed = false; // bytes of a command that failed are used like others
  // the device's memory that the buffer gives up by this use; bytes that only it had are lost if the copy
  // fails
  std::optional<memory::memory_id> leaves{};
  memory::copy_reason why = memory::copy_reason::written_elsewhere;
  memory::interval claim; // result: the bytes that hazards protect, in the root's coordinates
  memory::memory_id at{}; // result: the memory in which it is used
};

using use_list = small_vector<buffer_use, 4>;

/// An allocation that did not fit into a device's memory.
struct room_request {
  struct used {
    buffer_state* root;
    memory::interval bytes;
  };
  device_state* device;
  small_vector<used, 4> own;     // what the command uses, which stays
  std::uint64_t bytes;           // of the allocation
  const scheduled_command* user; // may be null
  devices::device_error failed;
};

/// Memory that a buffer gave up, and the commands that still use it.
struct handed_memory {
  memory::memory_pool::pooled object;
  std::vector<command_ref> users;
  handed_memory() = default;
  handed_memory(handed_memory&&) noexcept = default;
  handed_memory& operator=(handed_memory&&) = delete;
  ~handed_memory(); // waits for the users if no buffer took the object
};

inline bool mode_reads(access_mode m) {
  return m == access_mode::read || m == access_mode::write ||
         m == access_mode::read_write; // write preserves the bytes that it does not write
}
inline bool mode_writes(access_mode m) { return m != access_mode::read; }

/// Whether a buffer of this size exceeds the device's memory.
bool is_too_large(device_state& device, std::uint64_t bytes);
/// Whether the device can only hold ranges of the buffer, which is locked.
bool holds_ranges_only(device_state& device, const buffer_state& root);

/// Plans and registers a command's uses of buffers. Locks the buffers from construction to destruction.
class buffer_plan {
public:
  /// `device`: where the command runs; null: every use is on the host. `user`: for messages and logs of
  /// evictions; may be null.
  buffer_plan(device_state* device, use_list& uses, const scheduled_command* user = nullptr);
  /// Whether the bytes are current on the host but not on the device. A copy to another device should then
  /// start from the host.
  bool current_on_host_only(const buffer_use& use);
  /// The failure of the last command that wrote some of the bytes; null if they are valid.
  std::exception_ptr failure_of_bytes(const buffer_use& use);
  /// Chooses memories and copies. `runs_copies`: the command runs on `device` and executes copies first.
  /// Throws device_error when out of memory. make_in_room (make_room.hpp) makes room instead.
  void make(bool runs_copies);
  /// After make() failed: unlocks the buffers, so that others can be moved and commands waited for. Throws
  /// the failure again unless the device's memory was full.
  room_request unlock_for_room(const devices::device_error& failed);
  /// After unlock_for_room; then all must be planned again.
  void lock_again();
  /// Offers memory for an allocation of its size, in place of memory of the pool. Call it while the buffers
  /// are unlocked.
  void offer(handed_memory&& memory) { m_offered.push_back(std::move(memory)); }
  /// The copies that the command itself executes first, in order.
  const devices::command_list& own_copies() const { return m_own_copies; }
  /// Carries out the plan: submits the copies of other devices, adds dependencies to `c`, and registers it as
  /// a user.
  void commit(const command_ref& c);

  devices::memory* object(const buffer_use& use) const;
  /// The offset of the view's first byte in that object. It may be before the object, where only a range of
  /// the buffer is there; then it counts modulo 2^64, and those of the range's bytes are right.
  std::uint64_t offset_of(const buffer_use& use) const;
  void* host_pointer(const buffer_use& use) const; // of the root's first byte

private:
  struct peer_copy {
    device_state* on;
    devices::copy_command what;
    memory::memory_id to;
    memory::byte_box where;
    memory::copy_reason why;
    std::size_t after, also_after; // the numbers of copies that it waits for; its own: none
  };
  struct own_copy {
    memory::byte_box where;
    memory::memory_id to;
  };
  struct per_root {
    root_ref root;
    std::unique_lock<std::mutex> lock;
    memory::plan planned;
    memory::memory_set own_pending_copies;
    small_vector<own_copy, 2> own;
    std::vector<peer_copy> peer_copies;
  };
  per_root& of(const buffer_view& view);
  void lock();
  memory::interval claim_of(const buffer_use& use) const;
  void plan_root(per_root& r);
  void choose_memory(buffer_state& root, buffer_use& use);
  memory::memory_pool::pooled* offered_for(std::uint64_t bytes);
  void accept_offered(buffer_state& root, memory::memory_id at);
  bool needs_window(const buffer_state& root) const {
    return m_device != nullptr && holds_ranges_only(*m_device, root);
  }
  memory::interval bytes_used(const buffer_state& root) const;
  void assign_copies(per_root& r);
  void assign_copy(per_root& r, const memory::planned_copy& p);
  void assign_peer_copy(per_root& r, const memory::planned_copy& p);
  void assign_in_pieces(per_root& r, const memory::planned_copy& read, const memory::planned_copy& write);
  void record(per_root& r, const scheduled_command& user) const;

  device_state* m_device;
  const scheduled_command* m_user;
  std::uint64_t m_asked = 0; // bytes of the allocation that is being made
  bool m_runs_copies = false;
  use_list& m_uses;
  small_vector<command_ref, 4> m_released; // destroyed after the locks are released
  std::vector<handed_memory> m_offered;    // the same
  small_vector<per_root, 4> m_roots;
  devices::command_list m_own_copies;
};

buffer_use use_of(buffer_node& buffer, const box& region, bool reads, bool writes);

} // namespace prism::runtime
