// A device that does not complete its commands within PRISM_TIMEOUT. For this process it is then lost, as if
// its driver had reported that: the commands that it has not completed fail, later ones are refused, and the
// bytes that only it has are lost. Its driver cannot stop the commands, so no memory of the device is freed.
#pragma once

#include "devices/api/types.hpp"

namespace prism::runtime {

class device_state;

/// Any thread that holds no lock of a queue or command. Calls after the first fail only the commands that
/// reached the device meanwhile.
void lose_device(device_state& device, const devices::device_error& why);

} // namespace prism::runtime
