#include "runtime/launch/bind_arguments.hpp"

#include "runtime/device/device_list.hpp"
#include "runtime/memory/usm_registry.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace prism::runtime {

namespace {

/// Whether an address that is not in any USM block is ordinary memory of this process. One past an
/// allocation's end and one before its start count as part of it, because loops over reversed and one-based
/// arrays capture such pointers.
bool is_host_memory(const memory::usm_registry& usm, std::uint64_t address) {
  if (usm.find(address - 1).base != 0 || usm.find(address + 64).base != 0) return false;
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

/// Binds a pointer slot that no accessor fills. A USM pointer becomes memory object and offset; all other
/// words (null, host pointers that the device can access, values that are not addresses) stay unchanged.
/// Throws if the kernel accesses memory that the device cannot reach.
devices::slot_binding bind_pointer(device_state& device, std::uint64_t word, bool is_accessed) {
  const memory::usm_block block = device.usm().find(word);
  if (block.base == 0) {
    if (word == 0 || !is_accessed) return {nullptr, 0, word};
    if (device.all().was_freed(word))
      throw error(error_code::invalid,
                  "a kernel on " + device.label() + " was given a USM pointer that was freed before");
    if (!device.info().usm_system && is_host_memory(device.usm(), word) && !device.globals().may_hold(word))
      throw error(error_code::invalid,
                  "a kernel on " + device.label() +
                      " was given a pointer to the host's own memory, which it cannot reach" +
                      ": copy the data to an allocation of the queue's device or use a buffer (a lambda that "
                      "uses a member of its class captures 'this', which is such a pointer)");
    return {nullptr, 0, word};
  }
  if (const auto* owner = static_cast<const device_state*>(block.owner); !owner->shares_memory_with(device)) {
    if (!is_accessed) return {nullptr, 0, word};
    if (block.kind == devices::memory_kind::device || !device.info().usm_system)
      throw error(error_code::invalid,
                  "a kernel on " + device.label() + " was given a USM pointer of " + owner->label() +
                      ", which it cannot reach: copy the data to an allocation of the queue's device");
    return {nullptr, 0, word};
  }
  return {block.object, word - block.base, word};
}

bool has_hidden_memory(const image::kernel_record& record) {
  const std::span<const image::hidden_argument> hidden(record.hidden, record.hidden_count);
  return std::any_of(hidden.begin(), hidden.end(), [](const image::hidden_argument& each) {
    return each.what != image::hidden_kind::specialization_constant;
  });
}

} // namespace

void bind_arguments(device_state& device, prepared_kernel& k, const token_list& accessors) {
  devices::dispatch_command& d = k.dispatch;
  const auto value_of = [&](std::uint64_t token) -> const token_value* {
    for (const token_value& v : accessors)
      if (v.token == token) return &v;
    for (const token_value& v : k.locals)
      if (v.token == token) return &v;
    return nullptr;
  };
  const auto word_at = [&](std::size_t offset) {
    std::uint64_t word;
    std::memcpy(&word, d.arguments.data() + offset, sizeof word);
    return word;
  };
  const std::uint32_t slots = k.record != nullptr ? k.record->slot_count : 0;
  if (k.fills_slots) d.slots.resize(slots);
  k.uses_known = k.record != nullptr && (k.record->flags & image::reaches_by_slots) != 0 &&
                 !has_hidden_memory(*k.record);
  for (std::uint32_t i = 0; i < slots; ++i) {
    if (k.record->slots[i].offset + sizeof(std::uint64_t) > d.arguments.size())
      continue; // hidden argument: appended later
    const std::uint64_t word = word_at(k.record->slots[i].offset);
    const token_value* v = is_token(word) ? value_of(word) : nullptr;
    devices::slot_binding bound;
    if (v == nullptr && word != 0) k.uses_known = false;
    if (v == nullptr)
      bound = bind_pointer(device, word, (k.record->slots[i].flags & image::slot_is_address) != 0);
    else if (v->object != nullptr) bound = {v->object, v->offset, 0};
    if (k.fills_slots) d.slots[i] = bound;
  }
  if (accessors.empty() && k.locals.empty()) return;
  const auto is_local = [&](const token_value* v) {
    return v >= k.locals.data() && v < k.locals.data() + k.locals.size();
  };
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= d.arguments.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(at);
    const token_value* v = is_token(word) ? value_of(word) : nullptr;
    if (v == nullptr) continue;
    if (is_local(v)) d.offsets.add({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(v->offset)});
    const std::uint64_t patched = v->object == nullptr ? v->offset : v->object->address() + v->offset;
    std::memcpy(d.arguments.data() + at, &patched, sizeof patched);
  }
}

} // namespace prism::runtime
