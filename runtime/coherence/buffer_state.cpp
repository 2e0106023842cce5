#include "runtime/coherence/buffer_state.hpp"

#include "runtime/observe/observer.hpp"
#include "runtime/device/device_list.hpp"

#include <algorithm>

namespace prism::runtime {

buffer_state::~buffer_state() {
  if (observe::wants(observe::allocations))
    observe::allocation_changed({.what = observe::allocation_event::kind::buffer_destroyed, .buffer = this});
  // A static buffer may be destroyed after its driver was unloaded: then its memory is leaked on purpose.
  if (!devices.drivers_usable()) {
    new memory::buffer_memory(std::move(allocations));
    return;
  }
  // Memory that had been another buffer's may still have that buffer's users, if no command of this one came.
  std::vector<completable_ref> former;
  users.former_users(former);
  for (const completable_ref& each : former)
    std::static_pointer_cast<scheduled_command>(each)->wait_unreported();
}

void buffer_state::resolve_copies(small_vector<command_ref, 4>& released) {
  auto remaining = pending_copies.begin();
  for (pending_copy& a : pending_copies) {
    if (!a.by->finished()) {
      if (pending_copy& slot = *remaining++; &slot != &a) slot = std::move(a);
      continue;
    }
    if (a.by->failure() != nullptr) memory::forget(contents, a.to, a.where, a.written_since);
    released.push_back(std::move(a.by));
  }
  pending_copies.erase(remaining, pending_copies.end());
}

memory::memory_pool::pooled buffer_state::give_up(memory::memory_id id,
                                                  small_vector<command_ref, 4>& released) {
  memory::forget(contents, id, memory::whole(geometry()));
  for (const memory::region& r : contents.regions)
    if (r.valid.has(id)) return nullptr;
  for (auto each = pending_copies.begin(); each != pending_copies.end();) // `id` may be given again
    if (each->to == id) {
      released.push_back(std::move(each->by));
      each = pending_copies.erase(each);
    } else ++each;
  users.forget_former(id);
  evicted.add(id);
  return allocations.release(id);
}

void buffer_state::record_write(memory::memory_id at, const memory::byte_box& where) {
  // once, although several commands may write it before the copy completes
  for (pending_copy& a : pending_copies)
    if (a.to == at && memory::intersect(a.where, where) &&
        std::find(a.written_since.begin(), a.written_since.end(), where) == a.written_since.end())
      a.written_since.push_back(where);
}

/// Bytes on a lost device are used only if no other memory has them.
void buffer_state::avoid_lost_devices() {
  devices.for_each([&](device_state& d) {
    for (const memory::memory_id there : allocations.memories_of(d.raw()))
      if (d.is_lost()) memory::forget(contents, there, memory::whole(geometry()));
  });
}

/// Throws if a planned copy would read from a lost device.
void buffer_state::refuse_lost_bytes(const std::vector<memory::planned_copy>& copies) const {
  devices.for_each([&](device_state& d) {
    std::uint64_t bytes = 0;
    for (const memory::planned_copy& c : copies)
      if (allocations.owner(c.from) == &d.raw()) bytes += c.where.bytes();
    if (bytes != 0 && d.is_lost())
      throw error(error_code::runtime,
                  std::to_string(bytes) + " bytes of a buffer of " + std::to_string(allocations.bytes()) +
                      " bytes are lost: they existed only on " + d.label() + " (" + d.info().name +
                      "), and that device is lost; run the commands that wrote them again on another device");
  });
}

std::string buffer_state::memory_name(memory::memory_id id) const {
  std::string found = "host";
  devices.for_each([&](const device_state& d) {
    if (&d.raw() == allocations.owner(id)) found = d.label();
  });
  return found;
}

} // namespace prism::runtime
