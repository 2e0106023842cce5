#include "runtime/coherence/buffer_root.hpp"

#include "runtime/observe/observer.hpp"
#include "runtime/device/device_list.hpp"

#include <algorithm>

namespace prism::schedule {

buffer_root::~buffer_root() {
  if (observe::wants(observe::allocations))
    observe::allocation_changed({.what = observe::allocation_event::kind::buffer_destroyed, .buffer = this});
  // A static buffer dies after its driver did: its memory is the operating system's to take back.
  if (!devices.drivers_usable()) new memory::buffer_memory(std::move(places));
}

void buffer_root::settle_arrivals(small_vector<command_ref, 4>& released) {
  auto kept = arrivals.begin();
  for (arrival& a : arrivals) {
    if (!a.by->finished()) {
      if (arrival& place = *kept++; &place != &a) place = std::move(a);
      continue;
    }
    if (a.by->failure() != nullptr) memory::forget(contents, a.to, a.where, a.written_since);
    released.push_back(std::move(a.by));
  }
  arrivals.erase(kept, arrivals.end());
}

void buffer_root::note_written(memory::memory_id at, const memory::byte_box& where) {
  for (arrival& a : arrivals)
    if (a.to == at && memory::intersect(a.where, where) &&
        std::find(a.written_since.begin(), a.written_since.end(), where) == a.written_since.end())
      a.written_since.push_back(where); // once, though commands write it as long as the copy is on its way
}

/// What a lost device holds counts only where nobody else has it.
void buffer_root::avoid_lost_devices() {
  devices.for_each([&](device_entry& d) {
    const auto there = places.existing_device_view(d.raw());
    if (there && places.owner(*there) == &d.raw() && is_lost(d))
      memory::forget(contents, *there, memory::whole(geometry()));
  });
}

/// Throws when a copy is to come from a lost device.
void buffer_root::refuse_lost_bytes(const std::vector<memory::planned_copy>& copies) const {
  devices.for_each([&](device_entry& d) {
    std::uint64_t bytes = 0;
    for (const memory::planned_copy& c : copies)
      if (places.owner(c.from) == &d.raw()) bytes += c.where.bytes();
    if (bytes != 0 && is_lost(d))
      throw error(error_code::runtime,
                  std::to_string(bytes) + " bytes of a buffer of " + std::to_string(places.bytes()) +
                      " bytes are lost: they were only on " + d.label() + " (" + d.info().name +
                      "), and that device is lost; run what wrote them again on another device");
  });
}

std::string buffer_root::place_name(memory::memory_id id) const {
  std::string found = "host";
  devices.for_each([&](const device_entry& d) {
    if (&d.raw() == places.owner(id)) found = d.label();
  });
  return found;
}

} // namespace prism::schedule
