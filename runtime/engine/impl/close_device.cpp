#include "runtime/engine/close_device.hpp"

#include "runtime/engine/impl/enter.hpp"
#include "runtime/execution/device_queue_set.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/launch/build_chooser.hpp"
#include "runtime/launch/retired_programs.hpp"

#include <chrono>
#include <thread>

namespace prism {

using runtime::build_chooser;
using runtime::device_queue_ref;
using runtime::device_state;

namespace {

void retire_all_programs(device_state& device) {
  images::for_each_module([](const image::module_node& module, void* of) {
    auto& from = *static_cast<device_state*>(of);
    from.retired().add(from.programs().forget(module.records, module.kernel_count));
    if (build_chooser* const made = from.chooser())
      from.retired().add(made->forget(module.records, module.kernel_count));
  }, &device);
}

void forget_all_globals(device_state& device) {
  images::for_each_module([](const image::module_node& module, void* of) {
    static_cast<device_state*>(of)->globals().forget(module.records, module.kernel_count);
  }, &device);
}

void drop_unused(device_state& device) {
  for (const device_queue_ref& each : device.device_queues().all()) {
    try {
      each->wait_for_submitted();
    } catch (const devices::device_error&) { // a lost device has nothing to wait for
    }
    each->retire_completed();
  }
  forget_all_globals(device);
  device.retired().sweep(device.device_queues());
  device.device_queues().drop_unused();
  device.pool().trim();
}

} // namespace

/// Programs go last: an executable graph of the program, which has memory or a queue, refers to kernels.
void close_device(device_node& closed, const device_closing& how) {
  enter();
  auto& device = static_cast<device_state&>(closed);
  // Threads of the runtime hold a queue for a moment after its last command.
  constexpr auto longest = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + longest;
  for (;;) {
    drop_unused(device);
    if (how.only_programs_live()) {
      retire_all_programs(device);
      device.retired().sweep(device.device_queues());
      return how.close();
    }
    if (std::chrono::steady_clock::now() >= until) return how.close(); // throws, with what lives
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

} // namespace prism
