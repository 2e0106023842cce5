// Devices, queues and buffers made from the program's driver objects; sub-devices.
#include "devices/api/interop.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/submission/queue.hpp"
#include "runtime/submission/transfer.hpp"

namespace prism {

using namespace runtime;

namespace {

/// Converts a backend's exception to the engine's error.
template <typename Call>
decltype(auto) translated(Call&& call) {
  enter();
  try {
    return call();
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

device_state& entry_of(device_node& device) { return static_cast<device_state&>(device); }

} // namespace

device_node& adopt_device(std::unique_ptr<devices::device> device, const device_node& listed) {
  return enter().adopt(std::move(device), static_cast<const device_state&>(listed));
}

std::vector<device_node*> create_sub_devices(device_node& whole, const devices::partition& how) {
  return translated([&] {
    std::vector<device_node*> out;
    for (auto& part : whole.raw().create_sub_devices(how)) {
      device_state& made = enter().adopt(std::move(part), entry_of(whole));
      made.become_sub_device_of(entry_of(whole));
      out.push_back(&made);
    }
    return out;
  });
}

queue_ptr adopt_queue(device_node& device, std::unique_ptr<devices::queue> queue,
                      const queue_settings& settings) {
  device_queue_ref where = entry_of(device).device_queues().adopt(std::move(queue), settings.profiling);
  return std::make_shared<queue_state>(entry_of(device), settings, std::move(where));
}

buffer_ptr adopt_buffer(device_node& device, std::unique_ptr<devices::memory> memory,
                        const buffer_options& options) {
  return translated([&]() -> buffer_ptr {
    const memory::shape shape{options.extent[0], options.extent[1],
                              options.extent[2] * options.element_bytes};
    auto root = std::make_shared<buffer_state>(enter().devices(), shape, nullptr, false, true);
    const memory::memory_id id = root->allocations.adopt_device_memory(device.raw(), std::move(memory));
    root->contents = memory::make_coherence_map(shape, memory::memory_set(id));
    return std::make_shared<buffer_view>(std::move(root), 0, shape, options.element_bytes, true);
  });
}

void write_to(device_node& device, devices::memory& memory, const void* from, std::uint64_t bytes) {
  translated([&] {
    devices::copy_command copy;
    copy.from.host = const_cast<void*>(from);
    copy.to.object = &memory;
    copy.row_bytes = bytes;
    run_now(entry_of(device), copy);
  });
}

std::vector<std::pair<const devices::device*, devices::memory*>> allocations_of(const buffer_node& buffer) {
  buffer_state& root = *static_cast<const buffer_view&>(buffer).root();
  const std::lock_guard lock(root.mutex);
  root.stays = true;
  return root.allocations.objects();
}

devices::timeline_point point_of(command_node& command) {
  return static_cast<runtime::scheduled_command&>(command).point();
}

} // namespace prism
