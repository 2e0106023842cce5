// Explicit copies and fills between any sides: buffers, USM of this or another device, ordinary host memory.
#pragma once

#include "runtime/coherence/buffer_plan.hpp"

namespace prism::runtime {

/// A raw pointer as a copy's side.
struct pointer_side {
  devices::location where;
  device_state* foreign = nullptr; // only this other device reaches it: `where` is for that device
};
/// Throws error{invalid} when [pointer, pointer + bytes) leaves its USM allocation.
pointer_side resolve_pointer(device_state& device, void* pointer, std::uint64_t bytes);

/// A side with its shape: what of it is copied.
struct shaped_side {
  devices::location where;
  memory::shape shape;
  memory::byte_box box;
};
/// A box of those extents, packed.
shaped_side dense_side(const devices::location& where, const memory::byte_box& like);
/// `rows` rows of `bytes` bytes a pitch apart, seen as a box, and the bytes from the first to the last.
shaped_side pitched_side(const devices::location& where, std::uint64_t rows, std::uint64_t pitch,
                         std::uint64_t bytes);
inline std::uint64_t pitched_bytes(std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes) {
  return (rows - 1) * pitch + bytes;
}
/// Copies all of `from` to the first bytes of `to` in row-major order; the boxes may differ in shape.
std::vector<devices::copy_command> copies_between(const shaped_side& from, const shaped_side& to);

/// Fills a box; patterns longer than a fill command takes come from `staging`, which must live as long as the
/// command.
devices::command_list fills_of(const shaped_side& to, const std::vector<std::byte>& pattern,
                               std::shared_ptr<void>& staging);

/// Runs one command on a device's transfer device queue and waits. Throws its failure. For host threads only.
void run_now(device_state& device, devices::command what);
/// Copies between two devices through host memory, in pieces: while one is written the next one is read.
/// Waits.
void run_through_host(device_state& from_device, device_state& to_device, const devices::copy_command& c);
void fill_on_host(void* to, std::uint64_t bytes, const std::vector<std::byte>& pattern);

} // namespace prism::runtime
