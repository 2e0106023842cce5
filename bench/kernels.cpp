#include "bench/kernels.hpp"

#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/sycl_kernels.hpp"

#include <fmt/format.h>

namespace bench {

namespace {

struct baseline {
  std::unique_ptr<kernel_set> set;
  std::string name;
};

baseline make_baseline(const options& how, const workload& work, const sycl::device& device) {
  const std::string name = driver_name(device);
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
void measure_against_pocl(report& out, const options& how, const workload& work, const sycl::device& host) {
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (!is_pocl(device)) continue;
    const auto theirs = make_opencl_set(work, driver_name(device), how.shaders);
    if (!theirs) return;
    const auto ours = make_sycl_set(work, host);
    out.add({"host",
             "gemm",
             label(host),
             "SYCL on the host device",
             "hand-written OpenCL C on PoCL",
             alternate(how.rounds, [&] { return timed([&] { ours->run(kernel_id::gemm); }); },
                       [&] { return timed([&] { theirs->run(kernel_id::gemm); }); }),
             {goal::kind::ratio, 1.0 / 8}});
    return;
  }
}

/// A GPU runs these kernels in less time than it takes to turn from one side's context to the other's: so
/// many launches that a run takes some milliseconds. On processors one launch does.
std::size_t launches_of(kernel_set& set, kernel_id kernel) {
  constexpr double wanted_s = 4e-3;
  constexpr std::size_t most = 512;
  std::size_t launches = 1;
  while (launches < most && timed([&] { set.run(kernel, launches); }).wall < wanted_s) launches *= 2;
  return launches;
}

/// What PRISM's side threw: the row fails, and the next ones need a new queue.
struct our_fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Work>
auto of_ours(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    throw our_fault(error.what());
  }
}

void add_kernel_row(report& out, const options& how, const workload& work, const sycl::device& device,
                    kernel_set& ours, kernel_set& theirs, const kernel_rows& rows, kernel_id kernel) {
  const auto is_right = [&](kernel_set& set, const std::string& side) {
    set.run(kernel);
    const std::string wrong = difference(work, kernel, set.result(kernel));
    if (!wrong.empty()) out.skip(rows.subject, label(device), side + ": " + wrong, true);
    return wrong.empty();
  };
  if (!is_right(theirs, rows.theirs_name)) return;
  if (!of_ours([&] { return is_right(ours, "SYCL"); })) return;
  const std::size_t launches = launches_of(theirs, kernel);
  // Triad only measures memory traffic, so the means exclude it.
  const std::string subject = kernel == kernel_id::triad ? "memory" : rows.subject;
  const auto run_ours = [&] { of_ours([&] { ours.run(kernel, launches); }); };
  out.add({subject, name_of(kernel), label(device), "SYCL", rows.theirs_name,
           alternate(how.rounds, [&] { return timed_each(launches, run_ours); },
                     [&] { return timed_each(launches, [&] { theirs.run(kernel, launches); }); }),
           rows.wanted(kernel, device)});
}

} // namespace

void add_kernel_rows(report& out, const options& how, const workload& work, const sycl::device& device,
                     kernel_set& theirs, const kernel_rows& rows) {
  std::unique_ptr<kernel_set> ours = make_sycl_set(work, device);
  for (kernel_id kernel : all_kernels) {
    try {
      add_kernel_row(out, how, work, device, *ours, theirs, rows, kernel);
    } catch (const our_fault& error) {
      out.skip(rows.subject, label(device), fmt::format("SYCL: {}: {}", name_of(kernel), error.what()), true);
      ours.reset();
      ours = make_sycl_set(work, device);
    }
  }
}

void measure_kernels(report& out, const options& how, const workload& work, const sycl::device& device) try {
  const baseline theirs = make_baseline(how, work, device);
  if (!theirs.set) return out.skip("kernels", label(device), "the raw API finds no device of this name");
  add_kernel_rows(out, how, work, device, *theirs.set, {"kernels", theirs.name, goal_of});
  if (device.get_backend() == sycl::backend::ext_prism_host) measure_against_pocl(out, how, work, device);
} catch (const std::exception& error) {
  out.skip("kernels", label(device), error.what(), true);
}

} // namespace bench
