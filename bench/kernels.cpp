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
    case sycl::backend::ext_prism_vulkan:
      return {make_vulkan_set(work, name, how.shaders), "hand-written GLSL"};
    case sycl::backend::ext_prism_host: return {make_openmp_set(work), "OpenMP"};
    default: return {};
  }
}

bool is_pocl(const sycl::device& device) {
  return device.get_platform().get_info<sycl::info::platform::name>() == "Portable Computing Language";
}
bool has_barriers(kernel_id kernel) {
  return kernel == kernel_id::fft || kernel == kernel_id::gemm || kernel == kernel_id::histogram ||
         kernel == kernel_id::reduce || kernel == kernel_id::scan;
}
goal goal_of(kernel_id kernel, const sycl::device& device) {
  if (kernel == kernel_id::triad) return {goal::kind::ratio, 1.05};
  if (has_barriers(kernel) && is_pocl(device))
    return {goal::kind::ratio, 1.0 / 3}; // PRISM runs a work-group function, PoCL its barriers
  return {};
}

/// Compares the host device's GEMM with the same tiles written by hand for PoCL, which runs on the same
/// cores.
void measure_against_pocl(report& out, const options& how, const workload& work, const sycl::device& host,
                          kernel_set& ours) {
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (!is_pocl(device)) continue;
    const auto theirs = make_opencl_set(work, device.get_info<sycl::info::device::name>(), how.shaders);
    if (!theirs) return;
    out.add({"host",
             "gemm",
             label(host),
             "SYCL on the host device",
             "hand-written OpenCL C on PoCL",
             alternate(how.rounds, [&] { return timed([&] { ours.run(kernel_id::gemm); }); },
                       [&] { return timed([&] { theirs->run(kernel_id::gemm); }); }),
             {goal::kind::ratio, 1.0 / 8}});
    return;
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
    const bool is_traffic =
        kernel == kernel_id::triad; // it only measures memory traffic, so the means exclude it
    out.add({is_traffic ? "memory" : "kernels", name_of(kernel), label(device), "SYCL", theirs.name,
             alternate(how.rounds, [&] { return timed([&] { ours->run(kernel); }); },
                       [&] { return timed([&] { theirs.set->run(kernel); }); }),
             goal_of(kernel, device)});
  }
  if (device.get_backend() == sycl::backend::ext_prism_host)
    measure_against_pocl(out, how, work, device, *ours);
} catch (const std::exception& error) {
  out.skip("kernels", label(device), error.what(), true);
}

} // namespace bench
