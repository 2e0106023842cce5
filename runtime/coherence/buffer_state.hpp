// State of a buffer: its allocations, its coherence map and its hazards, protected by one lock. Shared by a
// buffer and its sub-buffers. Its memory on a device may be moved to the host (make_room.hpp).
#pragma once

#include "runtime/coherence/hazards.hpp"
#include "runtime/execution/scheduled_command.hpp"
#include "runtime/memory/buffer_memory.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace prism::runtime {

class device_list;

/// Lives until the last command that uses it is finalized.
struct buffer_state final : memory::resident, std::enable_shared_from_this<buffer_state> {
  buffer_state(device_list& all, const memory::shape& geometry, void* host, bool initialised, bool may_adopt)
      : devices(all), allocations(geometry.bytes(), host, may_adopt),
        contents(memory::make_coherence_map(geometry, initialised ? memory::memory_set(memory::memory_id(0))
                                                                  : memory::memory_set())) {}
  ~buffer_state() override;
  buffer_state(const buffer_state&) = delete;
  const memory::shape& geometry() const { return contents.geometry; }
  std::string memory_name(memory::memory_id id) const; // "host", "opencl:0"; call with `mutex` locked

  device_list& devices; // devices that may have an allocation
  std::mutex mutex;     // guards all members below
  memory::buffer_memory allocations;
  memory::coherence_map contents;
  hazards users;
  struct past_copy {
    std::uint64_t bytes;
    memory::memory_id from, to;
    memory::copy_reason why;
  };
  // only the first copies, because programs may run for days
  static constexpr std::size_t most_history = 1024;
  std::vector<past_copy> history;
  /// Copies that the coherence map treats as done, until their commands are known to have succeeded.
  struct pending_copy {
    command_ref by;
    memory::byte_box where;
    memory::memory_id to;
    std::vector<memory::byte_box>
        written_since{}; // written by commands after the copy: its failure does not affect these bytes
  };
  small_vector<pending_copy, 2> pending_copies;
  void record_write(memory::memory_id at, const memory::byte_box& where);
  /// Removes the destinations of failed copies from the coherence map; finished commands are moved to
  /// `released`.
  void resolve_copies(small_vector<command_ref, 4>& released);
  /// The device's memory is no longer the buffer's; its bytes have been copied, or are being copied, to
  /// another. Null if some are current only there.
  memory::memory_pool::pooled give_up(memory::memory_id id, small_vector<command_ref, 4>& released);
  void avoid_lost_devices();
  void refuse_lost_bytes(const std::vector<memory::planned_copy>& copies) const;

  memory::memory_set evicted{}; // memories that were released, and not needed since
  bool stays = false;           // the program may know the address of a device's memory
  bool written = false;
  bool promoted = false; // see buffer_options; never changes
};
using root_ref = std::shared_ptr<buffer_state>;

} // namespace prism::runtime
