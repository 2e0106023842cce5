// The cost of building kernels. For each driver: how much longer the first launch of a kernel takes than the
// second, in a separate process without caches, compared with the same kernel written by hand for the driver.
// For the compiler: prism++ compared with clang++ on the same files.
#include "bench/child.hpp"
#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/sycl_kernels.hpp"

#include <algorithm>
#include <filesystem>

namespace bench {

namespace {

/// Disables all caches outside the process: those of PRISM, POCL and Mesa.
const std::vector<std::string> without_caches{"PRISM_CACHE=off", "POCL_KERNEL_CACHE=0",
                                              "MESA_SHADER_CACHE_DISABLE=1"};

std::unique_ptr<kernel_set> make_side(const options& how, const workload& work, const sycl::device& device,
                                      bool ours) {
  const std::string name = device.get_info<sycl::info::device::name>();
  if (ours) return make_sycl_set(work, device);
  return device.get_backend() == sycl::backend::opencl ? make_opencl_set(work, name, how.shaders)
                                                       : make_vulkan_set(work, name, how.shaders);
}

times first_launch_in_child(const sycl::device& device, kernel_id kernel, const char* side) {
  std::vector<std::string> environment = without_caches;
  environment.push_back(selector(device));
  const double seconds =
      std::stod(output_of_child({"/proc/self/exe", "--first-launch", name_of(kernel), side}, environment));
  return {seconds, seconds};
}

} // namespace

double first_launch(const options& how, const std::string& kernel, bool ours) {
  const workload work;
  for (kernel_id each : all_kernels) {
    if (kernel != name_of(each)) continue;
    const auto set = make_side(how, work, sycl::device(), ours);
    if (!set) throw std::runtime_error("the raw API finds no device of this name");
    const double first = timed([&] { set->run(each); }).wall;
    return std::max(1e-6, first - timed([&] { set->run(each); }).wall);
  }
  throw std::runtime_error("there is no kernel " + kernel);
}

void measure_builds(report& out, const options& how, const sycl::device& device) try {
  if (device.get_backend() == sycl::backend::ext_prism_host) return; // prism++ has built its kernels
  const bool is_opencl = device.get_backend() == sycl::backend::opencl;
  for (kernel_id kernel : all_kernels)
    out.add({"builds",
             name_of(kernel),
             label(device),
             "first launch of the SYCL kernel",
             is_opencl ? "of hand-written OpenCL C" : "of hand-written GLSL",
             alternate(how.rounds, [&] { return first_launch_in_child(device, kernel, "ours"); },
                       [&] { return first_launch_in_child(device, kernel, "theirs"); }),
             {goal::kind::ratio, 3.0}});
} catch (const std::exception& error) {
  out.skip("builds", label(device), error.what(), true);
}

void measure_compiling(report& out, const options& how) try {
  const std::string object =
      (std::filesystem::temp_directory_path() / ("prism-bench-" + std::to_string(getpid()) + ".o")).string();
  for (const char* file : {"samples/01_first_kernel.cpp", "samples/02_usm.cpp", "samples/03_reduction.cpp",
                           "samples/04_edge_filter.cpp", "samples/05_quantum_field.cpp",
                           "bench/specialise.cpp", "bench/sycl_kernels.cpp"}) {
    const auto compile = [&](const std::string& compiler) {
      return run_child({compiler, "-std=c++20", "-O2", "-w", "-isystem", how.headers, "-I", how.sources, "-c",
                        how.sources + "/" + file, "-o", object});
    };
    out.add({"builds",
             file,
             "prism++",
             "prism++ -O2",
             "clang++ -O2",
             alternate(std::min(how.rounds, 5), [&] { return compile(how.programs + "/prism++"); },
                       [&] { return compile(how.clang); }),
             {goal::kind::ratio, 3.0}});
  }
  std::filesystem::remove(object);
} catch (const std::exception& error) {
  out.skip("builds", "prism++", error.what(), true);
}

} // namespace bench
