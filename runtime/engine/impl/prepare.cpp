// Builds kernels before their first launch, at the program's request.
#include "runtime/engine/impl/enter.hpp"
#include "runtime/launch/background_builds.hpp"

namespace prism {

std::shared_ptr<preparation_node> prepare_kernels(std::vector<wanted_build> kernels) {
  std::vector<runtime::background_builds::job> jobs;
  for (const wanted_build& k : kernels)
    if (k.record != nullptr) jobs.push_back({&static_cast<runtime::device_state&>(*k.device), k.record});
  return enter().builds().add(std::move(jobs));
}

} // namespace prism
