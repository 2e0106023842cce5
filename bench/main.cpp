// prism-bench: compares PRISM with handwritten code on the same drivers. Prints a table and writes
// DIR/bench.txt and DIR/bench.json. Exit status: 0 measured (even if goals are not met), 1 a result was wrong
// or a benchmark failed, 2 bad usage.
#include "bench/rows.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

namespace {

/// By default OpenMP's threads spin for milliseconds after each region, which would be charged to the other
/// side. An environment variable disables that, but must be set before the process starts.
void restart_with_passive_openmp(char** words) {
  if (std::getenv("OMP_WAIT_POLICY")) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", words);
}

std::string first_line(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(": \t", key.size());
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "unknown";
}

void add_facts(bench::report& out, const std::vector<sycl::device>& devices, const bench::options& how) {
  utsname system{};
  uname(&system);
  double load[1] = {0};
  getloadavg(load, 1);
  out.fact("PRISM", PRISM_BENCH_VERSION);
  out.fact("processor", fmt::format("{}, {} cores", first_line("/proc/cpuinfo", "model name"),
                                    std::thread::hardware_concurrency()));
  out.fact("memory", first_line("/proc/meminfo", "MemTotal"));
  out.fact("system", fmt::format("{} {}", system.sysname, system.release));
  out.fact("load at start", fmt::format("{:.1f}", load[0]));
  out.fact("compilers", fmt::format("prism++ on {}; OpenMP by {}", how.clang, PRISM_BENCH_HOST_COMPILER));
  for (const sycl::device& device : devices) {
    out.fact("driver", fmt::format("{}: {}, {}", bench::label(device),
                                   device.get_platform().get_info<sycl::info::platform::version>(),
                                   device.get_info<sycl::info::device::driver_version>()));
  }
}

std::vector<sycl::device> devices_or_gaps(bench::report& out) {
  std::vector<sycl::device> devices;
  std::set<std::string> names;
  const auto has = [&](const char* part) {
    for (const std::string& n : names)
      if (n.find(part) != std::string::npos) return true;
    return false;
  };
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (bench::is_null_device(device)) continue;
    names.insert(bench::label(device) + " " + device.get_platform().get_info<sycl::info::platform::name>());
    devices.push_back(device);
  }
  for (const auto& [part, driver] : {std::pair<const char*, const char*>{"host: ", "host device"},
                                     {"Portable Computing Language", "PoCL"},
                                     {"vulkan: llvmpipe", "lavapipe"}}) {
    if (!has(part))
      out.skip("all", driver, "the driver is not installed, or PRISM_DEVICE_SELECTOR excludes it");
  }
  return devices;
}

void measure(const std::string& subject, bench::report& out, const bench::options& how,
             const bench::workload& work, const sycl::device& device) {
  if (subject == "start") bench::measure_start(out, how, device);
  else if (!device.has(sycl::aspect::usm_device_allocations))
    out.skip(subject, bench::label(device), "the device has no USM");
  else if (subject == "kernels") bench::measure_kernels(out, how, work, device);
  else if (subject == "cuda") bench::measure_cuda(out, how, work, device);
  else if (subject == "libraries") bench::measure_libraries(out, how, work, device);
  else if (subject == "builds") bench::measure_builds(out, how, device);
  else if (subject == "operations") {
    bench::measure_operations(out, how, device);
    bench::measure_batches(out, how, device);
    bench::measure_transforms(out, how, device);
    bench::measure_networks(out, how, device);
    bench::measure_tensors(out, how, device);
    bench::measure_reproducible(out, how, device);
  } else if (subject == "scaling") bench::measure_scaling(out, how, device);
  else if (subject == "linalg") bench::measure_linalg(out, how, device);
  else if (subject == "primitives") bench::measure_primitives(out, how, device);
  else if (subject == "forms") bench::measure_forms(out, how, device);
  else if (subject == "commands") bench::measure_commands(out, how, device);
  else if (subject == "trace") bench::measure_trace(out, how, device);
  else if (subject == "specialise") bench::measure_specialising(out, how, device);
  else if (subject == "memory") bench::measure_memory(out, how, device);
  else if (subject == "images") bench::measure_images(out, how, device);
  else {
    bench::measure_submission(out, how, device);
    bench::measure_task_batch(out, how, device);
  }
}

} // namespace

int main(int count, char** words) try {
  restart_with_passive_openmp(words);
  bench::options how;
  how.programs = std::filesystem::canonical("/proc/self/exe").parent_path().string();
  const bool is_packed = std::filesystem::exists(how.programs + "/shaders");
  how.shaders = is_packed ? how.programs + "/shaders" : PRISM_BENCH_SHADERS;
  how.headers = PRISM_BENCH_HEADERS;
  how.sources = PRISM_BENCH_SOURCES;
  how.clang = PRISM_BENCH_CLANG;
  std::string folder = "bench";
  std::vector<std::string> subjects{"kernels",    "submission", "commands", "trace", "memory",   "images",
                                    "specialise", "start",      "header",   "cuda",  "libraries"};
  bool quick = false;
  std::map<std::string, bool> only; // subjects with a flag of their own
  std::vector<std::string> first;   // used by a child process of --builds
  CLI::App app("PRISM against hand-written code on the same drivers\n"
               "examples: prism-bench --quick        prism-bench --subject kernels --out figures",
               "prism-bench");
  app.add_option("--out", folder, "folder of bench.txt and bench.json")->capture_default_str();
  app.add_flag("--quick", quick, "five pairs a row instead of fifteen, without the rows that take minutes");
  app.add_option("--subject", subjects, "what to measure")
      ->check(CLI::IsMember({"kernels", "submission", "commands", "trace", "memory", "images", "specialise",
                             "start", "header", "cuda", "libraries"}))
      ->capture_default_str();
  app.add_option("--shaders", how.shaders,
                 "folder of the hand-written kernels, if it is not that of the build")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--forms", only["forms"],
               "only measure operations in every form that programs use, each against the fastest form");
  app.add_flag(
      "--operations", only["operations"],
      "only measure linear algebra, convolutions, attention, einsum and sparse matrices, by own kernels "
      "and by "
      "providers, against OpenBLAS, GLSL, oneDNN, NumPy and SciPy");
  app.add_flag("--linalg", only["linalg"],
               "only measure decompositions of matrices, against OpenBLAS's LAPACK");
  app.add_flag("--primitives", only["primitives"],
               "only measure sorts, sums and scans, against oneTBB and OpenMP, or against the host device");
  app.add_flag(
      "--scaling", only["scaling"],
      "only measure operations by size and number of threads on the host device, against OpenBLAS, FFTW, "
      "oneTBB and OpenMP with as many threads");
  app.add_flag("--builds", only["builds"],
               "only measure the time to build kernels, with drivers and with prism++");
  app.add_option("--first-launch", first, "for --builds: print the time to build this kernel, ours or theirs")
      ->expected(2)
      ->group("");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if ((how.quick = quick)) how.rounds = 5;
  if (!first.empty()) {
    bench::print_first_launch(how, first[0], first[1] == "ours");
    return 0;
  }
  for (const auto& [subject, is_chosen] : only)
    if (is_chosen) subjects = {subject};
  if (only["builds"]) subjects.push_back("header");

  bench::register_null_device();
  bench::report out;
  const std::vector<sycl::device> devices = devices_or_gaps(out);
  add_facts(out, devices, how);
  const bench::workload work;
  for (const std::string& subject : subjects) {
    if (subject == "header") bench::measure_header(out, how);
    if (subject == "submission") bench::measure_host_submission(out, how);
    if (subject == "builds") bench::measure_compiling(out, how);
    for (const sycl::device& device : devices) {
      if (subject == "header") continue;
      measure(subject, out, how, work, device);
      out.write(folder); // a driver that ends the process leaves what is known
    }
  }
  out.write(folder);
  fmt::print("\n{}\nwritten to {}/bench.txt and bench.json\n", out.text(), folder);
  return out.failed() ? 1 : 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "prism-bench: {}\n", error.what());
  return 1;
}
