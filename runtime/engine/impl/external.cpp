#include "runtime/engine/external.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/memory/usm_registry.hpp"

namespace prism {

using runtime::device_state;

namespace {

devices::external_memory& shared_by(device_node& device) {
  devices::device& raw = device.raw();
  if (devices::external_memory* const found = raw.external()) return *found;
  throw error(error_code::feature_not_supported, raw.no_external_memory_reason());
}

void* insert(device_node& device, std::unique_ptr<devices::memory> memory, const void* context) {
  const std::uint64_t base = memory->address(), bytes = memory->size();
  devices::memory* const object = memory.get();
  enter().usm().insert({base, bytes, object, devices::memory_kind::device,
                        static_cast<device_state*>(&device), context, false},
                       {memory.release(), {}});
  return reinterpret_cast<void*>(base);
}

} // namespace

void* adopt_usm(device_node& device, std::unique_ptr<devices::memory> memory, const void* context) {
  return insert(device, std::move(memory), context);
}

void* usm_allocate_exportable(device_node& device, std::uint64_t bytes, const void* context) {
  enter();
  devices::external_memory& by = shared_by(device);
  try {
    constexpr std::uint64_t alignment = 64;
    return insert(device, by.create_exportable(bytes == 0 ? 1 : bytes, alignment), context);
  } catch (const devices::device_error& failed) {
    if (failed.category() == devices::error_category::out_of_memory) return nullptr;
    runtime::rethrow(failed);
  }
}

devices::exported_memory usm_export(const void* pointer, const void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const memory::usm_block block = enter().usm().find(address);
  if (block.base == 0 || block.base != address || block.context != context)
    throw error(error_code::invalid,
                "exporting memory: the pointer is not the first byte of a live allocation of the context");
  auto& device = *static_cast<device_state*>(block.owner);
  try {
    return shared_by(device).export_memory(*block.object);
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

void* usm_import(device_node& device, int descriptor, std::uint64_t bytes, const void* context) {
  enter();
  devices::external_memory& by = shared_by(device);
  try {
    return insert(device, by.import_memory(descriptor, bytes), context);
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

std::shared_ptr<devices::external_semaphore> share_semaphore(device_node& device,
                                                             devices::semaphore_kind kind, int descriptor) {
  enter();
  devices::external_memory& by = shared_by(device);
  if (const std::string why = by.no_semaphore_reason(kind); !why.empty())
    throw error(error_code::feature_not_supported, why);
  try {
    return descriptor < 0 ? by.create_semaphore(kind) : by.import_semaphore(descriptor, kind);
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

int export_semaphore(devices::external_semaphore& what) {
  enter();
  try {
    return what.export_descriptor();
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

} // namespace prism
