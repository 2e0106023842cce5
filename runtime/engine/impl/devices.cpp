// The devices of the process, and its shutdown.
#include "runtime/engine/impl/enter.hpp"

namespace prism {

const std::vector<platform_node>& platforms() { return enter().platforms(); }
device_node& reference_device() { return enter().reference_device(); }
bool is_in_use() noexcept { return runtime::process_runtime::existing() != nullptr; }
void finish_work() {
  if (runtime::process_runtime* const root = runtime::process_runtime::existing()) root->drain();
}

} // namespace prism
