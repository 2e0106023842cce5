// Makes room in a device's memory for a command whose buffers do not fit with what is there. First it takes
// the memory of the buffer that was needed longest ago, if its size fits: the device orders the copy of its
// bytes and the command after the commands that use it, and no thread waits. Otherwise it moves buffers that
// no submitted command uses to the host, the one needed longest ago first, and waits for commands if all of
// them are in use.
//
// Cost: a lock for each buffer that has memory on the device, the copies of bytes that no other memory has,
// and the waits.
#pragma once

#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/device/device_state.hpp"

namespace prism::runtime {

/// plan.make(runs_copies); if the device's memory is full, unlocks the plan's buffers, makes room and plans
/// again. Throws device_error{out_of_memory} if that never succeeds: the command alone is too large, or what
/// could be moved is in use by commands that wait for this thread.
void make_in_room(buffer_plan& plan, bool runs_copies);

/// Moves buffers that no command uses until `bytes` bytes are free, without waiting for commands of the
/// program. Returns whether anything was moved. Call without the lock of any buffer.
bool evict_unused(device_state& device, std::uint64_t bytes);

} // namespace prism::runtime
