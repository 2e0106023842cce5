// Registered memory of prism.h: allocation, adoption, copies.
#include "bindings/c/objects.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <shared_mutex>

namespace prism::c_interface {
namespace {

/// By first address; ranges do not overlap. Never destroyed.
struct memory_registry {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, allocation_ref> ranges;
};
memory_registry& ranges_of_process() {
  static auto& made = *new memory_registry;
  return made;
}

/// The allocation that holds the address, or null. The caller holds the mutex.
allocation_ref around(std::uintptr_t address) {
  auto after = ranges_of_process().ranges.upper_bound(address);
  if (after == ranges_of_process().ranges.begin()) return nullptr;
  const allocation_ref& found = std::prev(after)->second;
  // Memory of 0 bytes has an address of its own, too.
  return address - found->first < std::max<std::size_t>(found->bytes, 1) ? found : nullptr;
}

void add_range(const allocation_ref& made) {
  const std::unique_lock lock(ranges_of_process().mutex);
  const auto after = ranges_of_process().ranges.lower_bound(made->first);
  const std::uintptr_t last = made->first + std::max<std::size_t>(made->bytes, 1) - 1;
  if (around(made->first) || (after != ranges_of_process().ranges.end() && after->first <= last))
    throw failure(PRISM_INVALID, "the memory, or a part of it, is registered already");
  ranges_of_process().ranges.emplace(made->first, made);
}

std::string address_text(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

sycl::usm::alloc usm_kind(std::int32_t kind) {
  switch (kind) {
    case PRISM_MEMORY_DEVICE: return sycl::usm::alloc::device;
    case PRISM_MEMORY_HOST: return sycl::usm::alloc::host;
    case PRISM_MEMORY_SHARED: return sycl::usm::alloc::shared;
    default:
      throw failure(PRISM_INVALID,
                    "kind " + std::to_string(kind) + " is not PRISM_MEMORY_DEVICE, _HOST or _SHARED");
  }
}

void require_host_range(const void* pointer, std::size_t bytes, const char* name) {
  if (bytes != 0) required(pointer, name);
  if (bytes > ~reinterpret_cast<std::uintptr_t>(pointer))
    throw failure(PRISM_BAD_POINTER, std::string(name) + " with " + std::to_string(bytes) +
                                         " bytes reaches beyond the end of memory");
}

std::ptrdiff_t size_in(std::size_t bytes, const char* name) {
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX))
    throw failure(PRISM_BAD_POINTER,
                  std::string(name) + ": " + std::to_string(bytes) + " bytes are more than memory can have");
  return static_cast<std::ptrdiff_t>(bytes);
}

/// What both sides of a copy are.
enum class side { registered, host };

prism_status copy(const char* function, const prism_queue* queue, void* to, side to_side, const void* from,
                  side from_side, std::size_t bytes, prism_event* const* waits, std::size_t wait_count,
                  prism_event** event, prism_error** error) {
  return guarded(function, error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    optional(event, "event");
    const std::ptrdiff_t size = size_in(bytes, "bytes");
    std::vector<allocation_ref> memory;
    if (to_side == side::host) require_host_range(to, bytes, "to");
    else memory.push_back(memory_for(*on, to, 0, size, 1, "to"));
    if (from_side == side::host) require_host_range(from, bytes, "from");
    else memory.push_back(memory_for(*on, from, 0, size, 1, "from"));
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    const auto a = reinterpret_cast<std::uintptr_t>(to), b = reinterpret_cast<std::uintptr_t>(from);
    if (bytes != 0 && a < b + bytes && b < a + bytes)
      throw failure(PRISM_INVALID, "the two sides of the copy overlap");
    const sycl::event done = on->queue.memcpy(to, from, bytes, before);
    on->submitted(done, memory);
    give_event(event, *on, done);
  });
}

template <std::size_t Bytes>
sycl::event fill(sycl::queue& queue, void* to, const void* pattern, std::size_t count,
                 const std::vector<sycl::event>& before) {
  std::array<std::uint8_t, Bytes> value;
  std::memcpy(value.data(), pattern, Bytes);
  return queue.fill(to, value, count, before);
}

} // namespace

void allocation::used_by(const sycl::event& event) {
  constexpr std::size_t many = 16;
  const std::lock_guard lock(mutex);
  if (uses.size() >= many)
    uses.erase(std::remove_if(uses.begin(), uses.end(),
                              [](const sycl::event& e) {
      return e.get_info<sycl::info::event::command_execution_status>() ==
             sycl::info::event_command_status::complete;
    }),
               uses.end());
  uses.push_back(event);
}

std::vector<sycl::event> allocation::pending() {
  const std::lock_guard lock(mutex);
  return uses;
}

namespace {
[[noreturn]] void refuse(const void* pointer, const std::string& name, const std::string& why) {
  throw failure(PRISM_BAD_POINTER, name + " " + address_text(pointer) + " " + why);
}
} // namespace

allocation_ref registered_memory(const void* pointer, std::ptrdiff_t lowest, std::ptrdiff_t highest,
                                 std::size_t alignment, const std::string& name) {
  if (pointer == nullptr) throw failure(PRISM_BAD_POINTER, name + " is NULL");
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % alignment != 0)
    refuse(pointer, name, "is misaligned: it needs to be a multiple of " + std::to_string(alignment));
  allocation_ref found;
  {
    const std::shared_lock lock(ranges_of_process().mutex);
    found = around(address);
  }
  if (!found)
    refuse(pointer, name,
           "is not in registered memory: it was freed, or not made by prism_allocate or prism_adopt");
  const auto offset = static_cast<std::ptrdiff_t>(address - found->first);
  if (lowest < -offset || highest > static_cast<std::ptrdiff_t>(found->bytes) - offset)
    refuse(pointer, name,
           "is at byte " + std::to_string(offset) + " of memory of " + std::to_string(found->bytes) +
               " bytes, and the call reaches from " + std::to_string(lowest) + " to " +
               std::to_string(highest) + " bytes from there");
  return found;
}

allocation_ref held_by_array(const allocation_ref& memory) {
  const std::shared_lock lock(ranges_of_process().mutex); // prism_free reads the count under the whole lock
  if (memory->kind != PRISM_MEMORY_ARRAY && around(memory->first) != memory)
    throw failure(PRISM_BAD_POINTER, "the memory at " + address_text(reinterpret_cast<void*>(memory->first)) +
                                         " was freed during the call");
  ++memory->elements_of;
  return {memory.get(), [memory](allocation*) { --memory->elements_of; }};
}

allocation_ref memory_for(const queue_object& queue, const void* pointer, std::ptrdiff_t lowest,
                          std::ptrdiff_t highest, std::size_t alignment, const std::string& name) {
  const allocation_ref found = registered_memory(pointer, lowest, highest, alignment, name);
  const sycl::device device = queue.queue.get_device();
  if (found->kind == PRISM_MEMORY_ADOPTED  ? !device.has(sycl::aspect::usm_system_allocations)
      : found->kind == PRISM_MEMORY_DEVICE ? found->device != device
                                           : found->context != queue.queue.get_context())
    refuse(pointer, name,
           "is memory of another device: " + found->device.get_info<sycl::info::device::name>());
  return found;
}

bool add_array_memory(const sycl::queue& queue, std::uintptr_t first, std::size_t bytes,
                      std::shared_ptr<void> owner) {
  auto made = std::make_shared<allocation>(queue.get_context(), queue.get_device());
  made->first = first, made->bytes = bytes, made->kind = PRISM_MEMORY_ARRAY, made->arrays = 1;
  made->owners.push_back(std::move(owner));
  std::uintptr_t end = first + std::max<std::size_t>(bytes, 1);
  const std::unique_lock lock(ranges_of_process().mutex);
  auto& ranges = ranges_of_process().ranges;
  std::vector<std::map<std::uintptr_t, allocation_ref>::iterator> met;
  for (auto at = ranges.begin(); at != ranges.end() && at->first < end; ++at)
    if (at->first + std::max<std::size_t>(at->second->bytes, 1) > first) met.push_back(at);
  for (const auto& each : met)
    if (const allocation& other = *each->second; other.kind != PRISM_MEMORY_ARRAY) {
      if (other.first <= first && end <= other.first + other.bytes) return false;
      throw failure(PRISM_INVALID,
                    "a part of the array's memory is registered already, as memory of another kind");
    }
  for (const auto& each : met) {
    const allocation& other = *each->second;
    end = std::max(end, other.first + other.bytes);
    made->first = std::min(made->first, other.first), made->arrays += other.arrays;
    made->owners.insert(made->owners.end(), other.owners.begin(), other.owners.end());
    ranges.erase(each);
  }
  made->bytes = end - made->first;
  ranges.emplace(made->first, made);
  return true;
}

void remove_array_memory(std::uintptr_t first) noexcept {
  allocation_ref removed; // ends after the lock
  const std::unique_lock lock(ranges_of_process().mutex);
  removed = around(first);
  if (removed && removed->kind == PRISM_MEMORY_ARRAY && --removed->arrays == 0)
    ranges_of_process().ranges.erase(removed->first);
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_allocate(const prism_queue* queue, int32_t kind, size_t bytes, size_t alignment,
                            void** pointer, prism_error** error) {
  return guarded("prism_allocate", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    required(pointer, "pointer");
    if ((alignment & (alignment - 1)) != 0 && alignment != 0)
      throw failure(PRISM_INVALID, "alignment " + std::to_string(alignment) + " is not a power of two");
    size_in(bytes, "bytes");
    auto made = std::make_shared<allocation>(on->queue.get_context(), on->queue.get_device());
    // A byte at least, so that every allocation has an address.
    void* memory = sycl::aligned_alloc(alignment, std::max<std::size_t>(bytes, 1), on->queue, usm_kind(kind));
    if (memory == nullptr)
      throw failure(PRISM_OUT_OF_MEMORY, made->device.get_info<sycl::info::device::name>() + " has no " +
                                             std::to_string(bytes) + " bytes of this kind of memory");
    made->first = reinterpret_cast<std::uintptr_t>(memory), made->bytes = bytes, made->kind = kind;
    try {
      add_range(made);
    } catch (...) {
      sycl::free(memory, on->queue);
      throw;
    }
    *pointer = memory;
  });
}

prism_status prism_adopt(const prism_queue* queue, void* pointer, size_t bytes, prism_error** error) {
  return guarded("prism_adopt", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    required(pointer, "pointer");
    require_host_range(pointer, bytes, "pointer"), size_in(bytes, "bytes");
    const sycl::device device = on->queue.get_device();
    if (!device.has(sycl::aspect::usm_system_allocations))
      throw failure(PRISM_UNSUPPORTED, device.get_info<sycl::info::device::name>() +
                                           " cannot use the host's memory; allocate memory and copy");
    auto made = std::make_shared<allocation>(on->queue.get_context(), device);
    made->first = reinterpret_cast<std::uintptr_t>(pointer), made->bytes = bytes;
    made->kind = PRISM_MEMORY_ADOPTED;
    add_range(made);
  });
}

prism_status prism_free(void* pointer, prism_error** error) {
  return guarded("prism_free", error, [&] {
    if (pointer == nullptr) return;
    allocation_ref found;
    {
      const std::unique_lock lock(ranges_of_process().mutex);
      const auto at = ranges_of_process().ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
      if (at == ranges_of_process().ranges.end())
        throw failure(PRISM_BAD_POINTER,
                      "pointer " + address_text(pointer) +
                          " is not the first byte of registered memory; was it freed before?");
      if (at->second->kind == PRISM_MEMORY_ARRAY)
        throw failure(PRISM_INVALID, "pointer " + address_text(pointer) +
                                         " is memory of an array, which ends with its handle");
      if (const std::size_t count = at->second->elements_of; count != 0)
        throw failure(PRISM_INVALID, "pointer " + address_text(pointer) + " has the elements of " +
                                         std::to_string(count) +
                                         " arrays of prism_array_from_memory; release them first");
      found = std::move(at->second);
      ranges_of_process().ranges.erase(at);
    }
    std::vector<sycl::event> uses;
    {
      const std::lock_guard lock(found->mutex);
      uses.swap(found->uses);
    }
    for (sycl::event& each : uses) each.wait();
    if (found->kind != PRISM_MEMORY_ADOPTED) sycl::free(pointer, found->context);
  });
}

prism_status prism_pointer_info(const void* pointer, int32_t* kind, size_t* offset, size_t* bytes,
                                prism_error** error) {
  return guarded("prism_pointer_info", error, [&] {
    optional(kind, "kind"), optional(offset, "offset"), optional(bytes, "bytes");
    required(pointer, "pointer");
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const std::shared_lock lock(ranges_of_process().mutex);
    const allocation_ref found = around(address);
    if (!found)
      throw failure(PRISM_BAD_POINTER, "pointer " + address_text(pointer) + " is not in registered memory");
    if (kind != nullptr) *kind = found->kind;
    if (offset != nullptr) *offset = address - found->first;
    if (bytes != nullptr) *bytes = found->bytes;
  });
}

prism_status prism_copy(const prism_queue* queue, void* to, const void* from, size_t bytes,
                        prism_event* const* waits, size_t wait_count, prism_event** event,
                        prism_error** error) {
  return copy("prism_copy", queue, to, side::registered, from, side::registered, bytes, waits, wait_count,
              event, error);
}
prism_status prism_copy_to_host(const prism_queue* queue, void* to, const void* from, size_t bytes,
                                prism_event* const* waits, size_t wait_count, prism_event** event,
                                prism_error** error) {
  return copy("prism_copy_to_host", queue, to, side::host, from, side::registered, bytes, waits, wait_count,
              event, error);
}
prism_status prism_copy_from_host(const prism_queue* queue, void* to, const void* from, size_t bytes,
                                  prism_event* const* waits, size_t wait_count, prism_event** event,
                                  prism_error** error) {
  return copy("prism_copy_from_host", queue, to, side::registered, from, side::host, bytes, waits, wait_count,
              event, error);
}

prism_status prism_fill(const prism_queue* queue, void* to, const void* pattern, size_t pattern_bytes,
                        size_t count, prism_event* const* waits, size_t wait_count, prism_event** event,
                        prism_error** error) {
  return guarded("prism_fill", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    required(pattern, "pattern"), optional(event, "event");
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(pattern_bytes, count, &bytes))
      throw failure(PRISM_BAD_POINTER, "count times pattern_bytes is more than memory can have");
    const allocation_ref memory = memory_for(*on, to, 0, size_in(bytes, "count"), 1, "to");
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    sycl::event done;
    switch (pattern_bytes) {
      case 1: done = fill<1>(on->queue, to, pattern, count, before); break;
      case 2: done = fill<2>(on->queue, to, pattern, count, before); break;
      case 4: done = fill<4>(on->queue, to, pattern, count, before); break;
      case 8: done = fill<8>(on->queue, to, pattern, count, before); break;
      case 16: done = fill<16>(on->queue, to, pattern, count, before); break;
      default:
        throw failure(PRISM_INVALID,
                      "a pattern has 1, 2, 4, 8 or 16 bytes, not " + std::to_string(pattern_bytes));
    }
    on->submitted(done, {memory});
    give_event(event, *on, done);
  });
}
}
