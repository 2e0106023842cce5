// Specialised kernels: the engine's calls.
#include "runtime/engine/impl/enter.hpp"
#include "runtime/launch/build_chooser.hpp"

namespace prism {

void specialise_after(unsigned launches) { enter().specialise_after(launches); }

void specialise_kernel(device_node& device, const image::kernel_record& record) {
  enter().chooser_of(static_cast<runtime::device_state&>(device)).request(record);
}

std::vector<specialised_kernel> specialised_kernels() {
  std::vector<specialised_kernel> all;
  enter().devices().for_each([&](runtime::device_state& device) {
    if (runtime::build_chooser* const one = device.chooser()) one->report(all);
  });
  return all;
}

} // namespace prism
