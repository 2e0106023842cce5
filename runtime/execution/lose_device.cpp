#include "runtime/execution/lose_device.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/execution/device_queue_set.hpp"

namespace prism::runtime {

void lose_device(device_state& device, const devices::device_error& why) {
  device.lose(why);
  for (const device_queue_ref& queue : device.device_queues().all())
    for (const command_ref& c : queue->in_flight_if_free()) c->abandon(*device.loss());
}

} // namespace prism::runtime
