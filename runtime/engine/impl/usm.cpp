// USM: devices make the allocations, the registry finds them by address.
#include "runtime/coherence/make_room.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/execution/device_queue_set.hpp"
#include "runtime/execution/scheduled_command.hpp"
#include "runtime/memory/usm_registry.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>

namespace prism {

using runtime::device_state;
using runtime::process_runtime;
using runtime::scheduled_command;

namespace {

const char* kind_name(devices::memory_kind kind) {
  switch (kind) {
    case devices::memory_kind::device: return "device";
    case devices::memory_kind::host: return "host";
    case devices::memory_kind::shared: return "shared";
    case devices::memory_kind::buffer: return "buffer";
  }
  return "unknown";
}

bool offers(const devices::capabilities& info, devices::memory_kind kind) {
  switch (kind) {
    case devices::memory_kind::device: return info.usm_device;
    case devices::memory_kind::host: return info.usm_host;
    case devices::memory_kind::shared: return info.usm_shared;
    case devices::memory_kind::buffer: return false;
  }
  return false;
}

} // namespace

void* usm_allocate(device_node& device, std::uint64_t bytes, std::uint64_t alignment,
                   devices::memory_kind kind, const void* context_tag, bool promoted) {
  process_runtime& root = enter();
  auto& entry = static_cast<device_state&>(device);
  if (!offers(entry.info(), kind))
    throw error(error_code::feature_not_supported,
                std::string("a USM allocation of kind ") + kind_name(kind) + " on " + entry.label() + " (" +
                    entry.info().name + "): the device has no aspect usm_" + kind_name(kind) +
                    "_allocations; use a buffer");
  if (alignment != 0 && (alignment & (alignment - 1)) != 0) return nullptr; // required by the specification
  const std::uint64_t asked = bytes == 0 ? 1 : bytes;
  if (asked > entry.info().max_allocation && entry.info().max_allocation != 0) return nullptr;
  memory::memory_pool::pooled memory;
  const auto out_of_memory = [](const devices::device_error& failed) {
    return failed.category() == devices::error_category::out_of_memory;
  };
  while (memory == nullptr) {
    try {
      memory = entry.pool().take(asked, kind, std::max<std::uint64_t>(alignment, 64));
    } catch (const devices::device_error& failed) {
      if (!out_of_memory(failed)) runtime::rethrow(failed);
      if (asked > entry.pool().budget().limit()) return nullptr;
      if (!runtime::evict_unused(entry, asked)) return nullptr;
    }
  }
  const std::uint64_t base = memory->address();
  devices::memory* object = memory.get();
  root.usm().insert({base, asked, object, kind, &entry, context_tag, promoted}, std::move(memory));
  return reinterpret_cast<void*>(base);
}

namespace {

/// Waits longer than PRISM_TIMEOUT while the queue completes commands. If it completes none the device is
/// lost, and its queues report that.
void wait_for_all(runtime::device_queue& queue, const device_state& device) {
  for (;;) {
    const std::uint64_t before = queue.points().completed();
    try {
      return queue.wait_for_submitted();
    } catch (const error&) {
      if (device.loss() != nullptr) return;
      if (queue.points().completed() == before) throw; // it waits for another device
    }
  }
}

/// Waits until the device has finished with the memory. Some programs free memory that is still in use,
/// because other implementations wait in free().
void wait_for_users(const memory::usm_block& block) {
  const auto wait = [](device_state& device) {
    try {
      for (const runtime::device_queue_ref& each : device.device_queues().all()) wait_for_all(*each, device);
      // the device is lost: threads that wait for a command get the error, and destructors still free memory
    } catch (const devices::device_error&) {}
  };
  if (block.kind == devices::memory_kind::device) wait(*static_cast<device_state*>(block.owner));
  else enter().devices().for_each(wait);
}

} // namespace

void usm_free(void* pointer, const void* context_tag) {
  if (pointer == nullptr) return;
  process_runtime& root = enter();
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const memory::usm_block block = root.usm().find(address);
  if (block.base == 0)
    throw error(error_code::invalid,
                root.devices().was_freed(address)
                    ? "free: the allocation was freed before"
                    : "free: the pointer is not a live USM allocation (freed twice, or not from malloc_*)");
  if (block.base != address)
    throw error(error_code::invalid, "free: the pointer lies " + std::to_string(address - block.base) +
                                         " bytes inside its allocation; free takes its first byte");
  if (context_tag != nullptr && block.context != context_tag)
    throw error(error_code::invalid, "free: the allocation belongs to another context");
  if (observe::wants(observe::allocations))
    observe::allocation_changed({.what = observe::allocation_event::kind::usm_freed,
                                 .begin = block.base,
                                 .bytes = block.bytes,
                                 .by = scheduled_command::running_task()});
  if (process_runtime::existing() != nullptr) wait_for_users(block);
  memory::memory_pool::pooled removed = root.usm().remove(address);
  if (removed == nullptr)
    throw error(error_code::invalid, "free: another thread freed the allocation at the same time");
  if (process_runtime::existing() == nullptr)
    static_cast<void>(removed.release()); // the driver may already be unloaded
}

bool usm_was_freed(const void* pointer) {
  return enter().devices().was_freed(reinterpret_cast<std::uint64_t>(pointer));
}

std::optional<usm_info> usm_find(const void* pointer) {
  const memory::usm_block block = enter().usm().find(reinterpret_cast<std::uint64_t>(pointer));
  if (block.base == 0) return std::nullopt;
  return usm_info{block.kind, static_cast<device_state*>(block.owner), reinterpret_cast<void*>(block.base),
                  block.bytes, block.context};
}

void* usm_native(const void* pointer, std::string_view what) {
  const memory::usm_block block = enter().usm().find(reinterpret_cast<std::uint64_t>(pointer));
  return block.base == 0 ? nullptr : block.object->native(what);
}

void* usm_of_vulkan_buffer(const void* buffer, std::uint64_t offset, const void* context) {
  const auto first_byte = [](const memory::usm_block& block) {
    return reinterpret_cast<std::uintptr_t>(block.object->native("VkBuffer offset"));
  };
  const memory::usm_block block = enter().usm().find_if([&](const memory::usm_block& each) {
    return each.context == context && each.object->native("VkBuffer") == buffer &&
           offset - first_byte(each) < each.bytes;
  });
  if (block.base == 0) return nullptr;
  return reinterpret_cast<void*>(block.base + (offset - first_byte(block)));
}

} // namespace prism
