// Explicit copies and fills between buffers, USM of this or another device, and ordinary host memory.
#pragma once

#include "runtime/coherence/buffer_plan.hpp"

namespace prism::runtime {

/// A raw pointer as one side of a copy.
struct pointer_side {
  devices::location where;
  // set if only this other device can access the memory; `where` is then for that device
  device_state* peer = nullptr;
};
/// Throws error{invalid} when [pointer, pointer + bytes) exceeds its USM allocation.
pointer_side resolve_pointer(device_state& device, void* pointer, std::uint64_t bytes);

/// A side with the shape of its memory and the box to be copied.
struct shaped_side {
  devices::location where;
  memory::shape shape;
  memory::byte_box box;
};
/// A packed box with the extents of `like`.
shaped_side dense_side(const devices::location& where, const memory::byte_box& like);
/// `rows` rows of `bytes` bytes whose starts are a pitch apart, as a box. pitched_bytes: the distance from
/// the first to the end of the last byte.
shaped_side pitched_side(const devices::location& where, std::uint64_t rows, std::uint64_t pitch,
                         std::uint64_t bytes);
inline std::uint64_t pitched_bytes(std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes) {
  return (rows - 1) * pitch + bytes;
}
/// Copies all of `from` to the first bytes of `to` in row-major order; the boxes may have different shapes.
std::vector<devices::copy_command> copies_between(const shaped_side& from, const shaped_side& to);

/// Commands that fill a box. Patterns that exceed the limit of a fill command are copied from `staging`,
/// which must live as long as the command.
devices::command_list fills_of(const shaped_side& to, const std::vector<std::byte>& pattern,
                               std::shared_ptr<void>& staging);

/// Executes one command in the device's queue for transfers and waits. Throws its failure. For host threads
/// only.
void run_now(device_state& device, devices::command what);
/// Copies between two devices through host memory, in pieces: reads one piece while the previous one is
/// written. Waits.
void run_through_host(device_state& from_device, device_state& to_device, const devices::copy_command& c);
void fill_on_host(void* to, std::uint64_t bytes, const std::vector<std::byte>& pattern);

} // namespace prism::runtime
