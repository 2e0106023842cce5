// PRISM's kernels, bandwidth and launches on an NVIDIA device, by OpenCL or by Vulkan, against CUDA's.
#include "bench/kernels.hpp"
#include "bench/operands.hpp"
#include "bench/raw_cuda.hpp"
#include "bench/sycl_kernels.hpp"
#include "bench/usm_submitter.hpp"

#include <fmt/format.h>

namespace bench {

namespace {

constexpr double of_cuda = 1 / 0.9; // the goal: at least 0.9 of CUDA's speed

goal cuda_goal(kernel_id, const sycl::device&) { return {goal::kind::ratio, of_cuda}; }

/// Arrays larger than any cache: 256 MiB each, or a sixteenth of a smaller memory.
std::size_t large_elements(const sycl::device& device) {
  const std::size_t memory = device.get_info<sycl::info::device::global_mem_size>();
  return std::min<std::size_t>(std::size_t{256} << 20, memory / 16) / sizeof(float) / workload::group *
         workload::group;
}

/// Triad on large arrays, against CUDA's triad and against a copy by the driver of as much traffic.
void measure_bandwidth(report& out, const options& how, const sycl::device& device, cuda_side& side) {
  const std::size_t count = large_elements(device), bytes = count * sizeof(float);
  constexpr std::size_t runs = 5;
  checked_queue queue(device);
  const device_array<float> x(queue, count), y(queue, count), z(queue, count);
  const cuda::address their_x = side.memory(bytes + bytes / 2), their_y = side.memory(bytes + bytes / 2),
                      their_z = side.memory(bytes);
  const cuda::function triad = side.kernel("triad");
  const auto ours = [&] {
    for (std::size_t i = 0; i < runs; ++i) submit_triad(queue, x.data(), y.data(), z.data(), count);
    queue.wait_and_throw();
  };
  const auto theirs = [&] {
    for (std::size_t i = 0; i < runs; ++i)
      side.launch(triad, {unsigned(count / workload::group), 1}, {workload::group, 1}, their_x, their_y,
                  their_z, workload::a, unsigned(count));
    side.wait();
  };
  const auto copies = [&] {
    for (std::size_t i = 0; i < runs; ++i)
      side.driver().check(side.driver().cuMemcpyDtoDAsync(their_y, their_x, bytes + bytes / 2, side.stream()),
                          "cuMemcpyDtoDAsync");
    side.wait();
  };
  const std::size_t mib = 3 * bytes >> 20;
  const auto row = [&](const char* name, const std::string& sides, const auto& other) {
    out.add({"memory",
             name,
             label(device),
             fmt::format("triad, {} MiB of traffic", mib),
             sides,
             alternate(how.rounds, [&] { return timed_each(runs, ours); },
                       [&] { return timed_each(runs, other); }),
             {goal::kind::ratio, of_cuda}});
  };
  row("large triad", "hand-written CUDA C", theirs);
  row("large triad, copy", fmt::format("cuMemcpyDtoD of {} MiB", mib / 2), copies);
}

void measure_launches(report& out, const options& how, const sycl::device& device, cuda_side& side) {
  usm_submitter ours(device);
  const auto theirs = make_cuda_submitter(side, usm_submitter::items);
  out.add({"submission",
           "usm, CUDA",
           label(device),
           "queue::parallel_for on USM",
           "cuLaunchKernel",
           alternate(how.rounds, [&] { return each(ours); }, [&] { return each(*theirs); }),
           {}});
  out.add({"submission",
           "launch and wait, CUDA",
           label(device),
           "queue::parallel_for and wait",
           "cuLaunchKernel and cuStreamSynchronize",
           alternate(how.rounds, [&] { return each_waited(ours); }, [&] { return each_waited(*theirs); }),
           {}});
}

} // namespace

void measure_cuda(report& out, const options& how, const workload& work, const sycl::device& device) try {
  cuda_side side(device.get_info<sycl::info::device::name>(), how.shaders);
  out.fact("CUDA", side.versions());
  attempt(out, "submission", device, [&] { measure_launches(out, how, device, side); });
  attempt(out, "memory", device, [&] { measure_bandwidth(out, how, device, side); });
  const auto theirs = make_cuda_set(work, side);
  add_kernel_rows(out, how, work, device, *theirs, {"cuda", "hand-written CUDA C", cuda_goal});
} catch (const not_there& reason) {
  out.skip("cuda", label(device), reason.what());
} catch (const std::exception& error) {
  out.skip("cuda", label(device), error.what(), true);
}

} // namespace bench
