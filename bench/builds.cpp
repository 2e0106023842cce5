// The cost of building kernels. For each driver: how much longer the first launch of a kernel takes than the
// second, in a separate process without caches, compared with the same kernel written by hand for the driver.
// Kernels with large constant tables are compared with the same table in a buffer, kernels with many values
// alive across barriers with fewer values. For the compiler: prism++ compared with clang++ on the same files,
// of this repository and of shapes that are slow to build; and a link of device code of several files.
#include "bench/build_shapes.hpp"
#include "bench/child.hpp"
#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/scratch.hpp"
#include "bench/sycl_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace bench {

namespace {

/// Disables all caches outside the process: those of PRISM, PoCL and Mesa.
const std::vector<std::string> without_caches{"PRISM_CACHE=off", "POCL_KERNEL_CACHE=0",
                                              "MESA_SHADER_CACHE_DISABLE=1"};

std::unique_ptr<kernel_set> make_side(const options& how, const workload& work, const sycl::device& device,
                                      bool ours) {
  const std::string name = driver_name(device);
  if (ours) return make_sycl_set(work, device);
  return device.get_backend() == sycl::backend::opencl ? make_opencl_set(work, name, how.shaders)
                                                       : make_vulkan_set(work, name, how.shaders);
}

std::vector<std::string> uncached(const sycl::device& device) {
  std::vector<std::string> environment = without_caches;
  environment.push_back(selector(device));
  return environment;
}

times first_launch_in_child(const sycl::device& device, kernel_id kernel, const char* side) {
  std::istringstream text(
      output_of_child({"/proc/self/exe", "--first-launch", name_of(kernel), side}, uncached(device)));
  times spent;
  text >> spent.wall >> spent.processor;
  return spent;
}

/// Tables and live values: launched_text() built once, one process for each launch.
void measure_launched_shapes(report& out, const options& how, const sycl::device& device) {
  constexpr int most_rounds = 3; // some take seconds each
  const scratch files;
  const std::string program = files.path("launched");
  run_child({how.programs + "/prism++", "-std=c++20", "-O1", "-w",
             files.write("launched.cpp", launched_text()), "-o", program});
  const auto launch = [&](const char* what, int size) {
    std::istringstream text(
        output_of_child({program, what + (" " + std::to_string(size))}, uncached(device)));
    times spent;
    text >> spent.wall >> spent.processor;
    return times{std::max(1e-3, spent.wall), std::max(1e-3, spent.processor)};
  };
  for (int size : table_sizes)
    out.add({"builds",
             "table",
             label(device),
             "first launch with a constant table of " + std::to_string(size / 256) + " KiB",
             "with the table in a buffer",
             alternate(std::min(how.rounds, most_rounds), [&] { return launch("table", size); },
                       [&] { return launch("buffer", size); }),
             {goal::kind::ratio, 3.0}});
  const int few = live_counts[0], many = live_counts[1];
  const std::string text = " values alive across barriers";
  out.add({"builds",
           "live values",
           label(device),
           "first launch of a kernel of " + std::to_string(few) + text,
           "without its barriers",
           alternate(1, [&] { return launch("live", few); }, [&] { return launch("plain", few); }),
           {goal::kind::none, 0}});
  out.add({"builds",
           "live values",
           label(device),
           "first launch of a kernel of " + std::to_string(many) + text,
           "of " + std::to_string(few),
           alternate(1, [&] { return launch("live", many); }, [&] { return launch("live", few); }),
           {goal::kind::ratio, 1.15 * many / few}}); // linear
}

/// A thousand kernels in four files that call a SYCL_EXTERNAL function of a fifth; the other side links the
/// host code alone.
void measure_external_function(report& out, const options& how) {
  constexpr int callers = 4, kernels = 250, most_rounds = 3;
  const scratch files;
  std::vector<std::string> sources;
  for (int file = 0; file < callers; ++file)
    sources.push_back(files.write("callers" + std::to_string(file) + ".cpp", callers_text(file, kernels)));
  sources.push_back(files.write("callee.cpp", callee_text()));
  const auto linked = [&](const std::string& compiler, const std::string& prefix) {
    std::vector<std::string> command{compiler, "-shared", "-o", files.path("thousand.so")};
    for (std::size_t k = 0; k < sources.size(); ++k)
      command.push_back(files.path(prefix + std::to_string(k) + ".o"));
    return command;
  };
  for (std::size_t k = 0; k < sources.size(); ++k)
    for (const bool ours : {true, false})
      run_child({ours ? how.programs + "/prism++" : how.clang, "-std=c++20", "-O2", "-w", "-fPIC", "-isystem",
                 how.headers, "-c", sources[k], "-o",
                 files.path((ours ? "ours" : "theirs") + std::to_string(k) + ".o")});
  out.add({"builds",
           "external function",
           "prism++",
           "prism++ links 1000 kernels that call another file",
           "clang++ links the same host code",
           alternate(std::min(how.rounds, most_rounds),
                     [&] { return run_child(linked(how.programs + "/prism++", "ours")); },
                     [&] { return run_child(linked(how.clang, "theirs")); }),
           {goal::kind::ours, 3.0}});
}

} // namespace

void print_first_launch(const options& how, const std::string& kernel, bool ours) {
  const workload work;
  for (kernel_id each : all_kernels) {
    if (kernel != name_of(each)) continue;
    const auto set = make_side(how, work, sycl::device(), ours);
    if (!set) throw std::runtime_error("the raw API finds no device of this name");
    const times first = timed([&] { set->run(each); }), second = timed([&] { set->run(each); });
    std::printf("%g %g\n", std::max(1e-6, first.wall - second.wall),
                std::max(1e-6, first.processor - second.processor));
    return;
  }
  throw std::runtime_error("there is no kernel " + kernel);
}

void measure_builds(report& out, const options& how, const sycl::device& device) try {
  if (device.get_backend() == sycl::backend::ext_prism_host) return; // prism++ has built its kernels
  measure_launched_shapes(out, how, device);
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
  const scratch files;
  const auto compare = [&](const std::string& name, const std::string& source) {
    const auto compile = [&](const std::string& compiler) {
      return run_child({compiler, "-std=c++20", "-O2", "-w", "-isystem", how.headers, "-I", how.sources, "-c",
                        source, "-o", files.path("object.o")},
                       headers_as_text);
    };
    out.add({"builds",
             name,
             "prism++",
             "prism++ -O2",
             "clang++ -O2",
             alternate(std::min(how.rounds, 5), [&] { return compile(how.programs + "/prism++"); },
                       [&] { return compile(how.clang); }),
             {goal::kind::ratio, 3.0}});
  };
  for (const char* file : {"samples/01_first_kernel.cpp", "samples/02_usm.cpp", "samples/03_reduction.cpp",
                           "samples/04_edge_filter.cpp", "samples/05_quantum_field.cpp",
                           "bench/specialise.cpp", "bench/sycl_kernels.cpp"})
    compare(file, how.sources + "/" + file);
  for (const build_shape& shape : compiled_shapes())
    compare(shape.name, files.write("shape.cpp", shape.text));
  measure_external_function(out, how);
} catch (const std::exception& error) {
  out.skip("builds", "prism++", error.what(), true);
}

} // namespace bench
