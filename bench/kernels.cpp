#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

namespace bench {

namespace {

struct baseline {
  std::unique_ptr<kernel_set> set;
  std::string name;
};

baseline make_baseline(const options& how, const workload& work, const sycl::device& device) {
  const std::string name = device.get_info<sycl::info::device::name>();
  switch (device.get_backend()) {
  case sycl::backend::opencl: return {make_opencl_set(work, name, how.shaders), "hand-written OpenCL C"};
  case sycl::backend::ext_prism_vulkan: return {make_vulkan_set(work, name, how.shaders), "hand-written GLSL"};
  case sycl::backend::ext_prism_host: return {make_openmp_set(work), "OpenMP"};
  default: return {};
  }
}

} // namespace

void measure_kernels(report& out, const options& how, const workload& work, const sycl::device& device) try {
  const auto ours = make_sycl_set(work, device);
  const baseline theirs = make_baseline(how, work, device);
  if (!theirs.set) return out.skip("kernels", label(device), "the raw API finds no device of this name");
  for (kernel_id kernel : all_kernels) {
    const auto correct = [&](kernel_set& set, const std::string& side) {
      set.run(kernel);
      const std::string wrong = difference(work, kernel, set.result(kernel));
      if (!wrong.empty()) out.skip("kernels", label(device), side + ": " + wrong, true);
      return wrong.empty();
    };
    if (!correct(*ours, "SYCL") || !correct(*theirs.set, theirs.name)) continue;
    const bool is_traffic = kernel == kernel_id::triad; // of memory, and nothing else: not among the means
    out.add({is_traffic ? "memory" : "kernels", name_of(kernel), label(device), "SYCL", theirs.name,
             alternate(how.rounds, [&] { return timed([&] { ours->run(kernel); }); },
                       [&] { return timed([&] { theirs.set->run(kernel); }); }),
             is_traffic ? goal{goal::kind::ratio, 1.05} : goal()});
  }
} catch (const std::exception& error) {
  out.skip("kernels", label(device), error.what(), true);
}

} // namespace bench
