// Buffers of the engine: the bytes' places, the ledger and the hazards behind one lock, and views (sub-buffers) onto
// them. Planning happens under the locks of all buffers of a command, in address order; a plan that throws changes
// nothing but that empty places may have been made.
#pragma once

#include "runtime/execution/lane.hpp"
#include "runtime/memory/buffer_memory.hpp"

namespace prism::schedule {

/// Shared by a buffer and its sub-buffers; lives until the last command that uses it is settled.
struct buffer_root {
  buffer_root(const memory::shape& geometry, void* host, bool initialised, bool may_adopt)
      : places(geometry.bytes(), host, may_adopt),
        contents(memory::make_ledger(geometry, initialised ? memory::memory_set(memory::memory_id(0)) : memory::memory_set())) {}
  ~buffer_root();
  buffer_root(const buffer_root&) = delete;
  const memory::shape& geometry() const { return contents.geometry; }
  std::string place_name(memory::memory_id id) const; // "host", "opencl:0"; with `mutex` held

  std::mutex mutex; // guards all below
  memory::buffer_memory places;
  memory::ledger contents;
  graph::hazards users;
  struct past_copy {
    std::uint64_t bytes;
    memory::memory_id from, to;
    memory::copy_reason why;
  };
  static constexpr std::size_t most_history = 1024; // the first ones: programs may run for days
  std::vector<past_copy> history;
  /// Copies that the ledger counts as made, until their commands are known to have succeeded.
  struct arrival {
    command_ref by;
    memory::byte_box where;
    memory::memory_id to;
    std::vector<memory::byte_box> written_since{}; // there, by commands: what the copy would have brought does not matter any more
  };
  small_vector<arrival, 2> arrivals;
  void note_written(memory::memory_id at, const memory::byte_box& where);
  /// What did not arrive is forgotten; finished commands go to `released`.
  void settle_arrivals(small_vector<command_ref, 4>& released);
  void avoid_lost_devices();
  void refuse_lost_bytes(const std::vector<memory::planned_copy>& copies) const;
  bool written = false;
  bool promoted = false; // see buffer_options; never changes
};
using root_ref = std::shared_ptr<buffer_root>;

class buffer_view final : public buffer_node {
public:
  buffer_view(root_ref root, std::uint64_t byte_offset, const memory::shape& geometry, std::uint64_t element_bytes,
              bool is_whole)
      : m_root(std::move(root)), m_offset(byte_offset), m_shape(geometry), m_element_bytes(element_bytes),
        m_whole(is_whole) {}
  std::uint64_t bytes() const override { return m_shape.bytes(); }

  const root_ref& root() const { return m_root; }
  std::uint64_t offset() const { return m_offset; }
  std::uint64_t element_bytes() const { return m_element_bytes; }
  const memory::shape& geometry() const { return m_shape; }
  memory::interval claim() const { return {m_offset, m_offset + bytes()}; }
  /// The least interval that holds `own`, a box in this view's space.
  memory::interval claim(const memory::byte_box& own) const {
    const memory::interval here = memory::bounds(m_shape, own);
    return {here.begin + m_offset, here.end + m_offset};
  }
  /// In this view's own space. Throws error{invalid} when it leaves the buffer.
  memory::byte_box checked(const box& elements) const;
  box whole() const;

  struct parts {
    memory::box_list boxes; // in the root's space
    bool exact = true;                   // false: they cover more than was asked
  };
  parts in_root(const memory::byte_box& own) const;

private:
  root_ref m_root;
  std::uint64_t m_offset;
  memory::shape m_shape;
  std::uint64_t m_element_bytes;
  bool m_whole; // the root itself, same geometry
};

/// One use of a buffer by the command being planned.
struct buffer_use {
  buffer_view* buffer = nullptr;
  memory::byte_box where;           // in the view's own space
  bool reads = false, writes = false;
  bool on_host = false;
  bool needs_address = false;
  bool claims_region = false;       // others may use the rest of the buffer at the same time
  memory::copy_reason why = memory::copy_reason::written_elsewhere;
  memory::interval claim;           // result: what hazards protect, in the root's space
  memory::memory_id at{};           // result: the place it is used at
};

using use_list = small_vector<buffer_use, 4>;

inline bool mode_reads(access_mode m) {
  return m == access_mode::read || m == access_mode::write || m == access_mode::read_write; // write keeps other bytes
}
inline bool mode_writes(access_mode m) { return m != access_mode::read; }

/// Plans and registers a command's uses of buffers. Holds the buffers' locks from construction to destruction.
class buffer_plan {
public:
  /// `device`: the command's; null: every use is on the host.
  buffer_plan(device_entry* device, use_list& uses);
  /// The bytes are current on the host and not at the device: a copy elsewhere starts best from there.
  bool current_on_host_only(const buffer_use& use);
  /// Chooses places and copies. runs_copies: the command runs on `device`, copies first. Throws device_error when
  /// memory is short.
  void make(bool runs_copies);
  /// The copies that the command itself runs first, in order.
  const devices::command_list& own_copies() const { return m_own_copies; }
  /// Makes the plan true: submits the other devices' copies, gives `c` its dependencies, registers it as a user.
  /// Returns the copies submitted, for those who must know whether they succeeded.
  std::vector<command_ref> commit(const command_ref& c);

  devices::memory* object(const buffer_use& use) const;
  void* host_pointer(const buffer_use& use) const; // of the root's first byte

private:
  struct foreign_copy {
    device_entry* on;
    devices::copy_command what;
    memory::memory_id to;
    memory::byte_box where;
  };
  struct own_copy {
    memory::byte_box where;
    memory::memory_id to;
  };
  struct per_root {
    root_ref root;
    std::unique_lock<std::mutex> lock;
    memory::plan planned;
    memory::memory_set own_arrivals;
    small_vector<own_copy, 2> own;
    std::vector<foreign_copy> foreign;
  };
  per_root& of(const buffer_view& view);
  memory::interval claim_of(const buffer_use& use) const;
  void plan_root(per_root& r);
  void place(buffer_root& root, buffer_use& use);
  void assign_copies(per_root& r);
  void record(per_root& r, const command& user) const;

  device_entry* m_device;
  bool m_runs_copies = false;
  use_list& m_uses;
  small_vector<command_ref, 4> m_released; // destroyed without the locks
  small_vector<per_root, 4> m_roots;
  devices::command_list m_own_copies;
};

buffer_view& view_of(buffer_node& b);
buffer_use use_of(buffer_node& buffer, const box& region, bool reads, bool writes);
/// The copy of a box between two sides of the same geometry, with as few rows as possible.
devices::copy_command box_copy(const memory::shape& from_shape, const memory::byte_box& from_box,
                               const memory::shape& to_shape, const memory::byte_box& to_box);
/// Runs a copy between host addresses on this thread.
void copy_on_host(const devices::copy_command& c);

} // namespace prism::schedule
