// Devices of the process, and its end.
#include "runtime/engine/impl/enter.hpp"

namespace prism {

const std::vector<platform_node>& platforms() { return enter().platforms(); }
device_node& reference_device() { return enter().reference_device(); }
bool is_in_use() noexcept { return schedule::context::existing() != nullptr; }
void finish_work() {
  if (schedule::context* const root = schedule::context::existing()) root->drain();
}

} // namespace prism
