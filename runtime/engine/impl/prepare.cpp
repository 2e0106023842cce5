// Kernels that the program asks to be built before their first launch.
#include "runtime/engine/impl/enter.hpp"
#include "runtime/launch/builds.hpp"

namespace prism {

std::shared_ptr<preparation_node> prepare_kernels(std::vector<wanted_build> kernels) {
  std::vector<schedule::builds::job> jobs;
  for (const wanted_build& k : kernels)
    if (k.record != nullptr) jobs.push_back({&static_cast<schedule::device_entry&>(*k.device), k.record});
  return enter().background_builds().add(std::move(jobs));
}

} // namespace prism
