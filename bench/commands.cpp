// What a command costs among many: after and beside others, on many threads, on the host device, with a trace written.
#include "bench/child.hpp"
#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/usm_submitter.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace bench {

namespace {

constexpr std::size_t small = 100;

/// As many in bursts of a hundred, each of them finished before the next.
times in_small_bursts(submitter& side, std::size_t count) {
  times all;
  for (std::size_t done = 0; done < count; done += small) {
    const times one = each(side, small, double(count));
    all.wall += one.wall;
    all.processor += one.processor;
  }
  return all;
}

/// A burst that is only waited for at its end: none of its commands may cost more since many are in flight, or done.
void measure_flatness(report& out, const options& how, const sycl::device& device) {
  usm_submitter side(device);
  for (const std::size_t count : {std::size_t{10'000}, std::size_t{1'000'000}}) {
    if (how.quick && count > 10'000) {
      out.skip("commands " + std::to_string(count), label(device), "left out by --quick");
      continue;
    }
    const int rounds = count > 100'000 ? std::min(how.rounds, 3) : how.rounds;
    out.add({"commands", std::to_string(count), label(device), "a kernel of a burst of " + std::to_string(count),
             "a kernel of bursts of 100", alternate(rounds, [&] { return each(side, count, double(count)); },
                                                    [&] { return in_small_bursts(side, std::min<std::size_t>(count, 10'000)); }),
             {goal::kind::ratio, 1.25}});
  }
}

/// Processor time of a launch where eight threads launch, each on a queue of its own.
times on_threads(std::vector<std::unique_ptr<submitter>>& sides) {
  constexpr std::size_t launches = 500;
  std::vector<times> spent(sides.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sides.size(); ++t)
    threads.emplace_back([&, t] { spent[t] = each(*sides[t], launches, double(launches)); });
  for (std::thread& t : threads) t.join();
  times mean;
  for (const times& t : spent) {
    mean.wall += t.wall / double(sides.size());
    mean.processor += t.processor / double(sides.size());
  }
  return mean;
}

void measure_threads(report& out, const options& how, const sycl::device& device) {
  constexpr std::size_t threads = 8;
  if (device.get_backend() == sycl::backend::ext_prism_host) return; // no raw calls to compare with
  const bool opencl = device.get_backend() == sycl::backend::opencl;
  const std::string name = device.get_info<sycl::info::device::name>();
  std::vector<std::unique_ptr<submitter>> ours, theirs;
  for (std::size_t t = 0; t < threads; ++t) {
    ours.push_back(std::make_unique<usm_submitter>(device));
    theirs.push_back(opencl ? make_opencl_submitter(name, how.shaders, usm_submitter::items) : make_vulkan_submitter(name, how.shaders, usm_submitter::items));
    if (!theirs.back()) return out.skip("commands", label(device), "the raw API finds no device of this name");
  }
  out.add({"commands", "8 threads", label(device), "a launch where 8 threads launch on 8 queues",
           opencl ? "clEnqueueNDRangeKernel likewise" : "vkQueueSubmit likewise, each thread on a device of its own",
           alternate(how.rounds, [&] { return on_threads(ours); }, [&] { return on_threads(theirs); }), {goal::kind::excess, opencl ? 1e-6 : 3e-6}});
}

/// Launches of one work-group, from the call to the end of the last one.
void measure_host_launch(report& out, const options& how, const sycl::device& device) {
  constexpr std::size_t launches = 1000, items = usm_submitter::items;
  sycl::queue queue(device, sycl::property::queue::in_order{});
  std::vector<float> x(items), y(items);
  const auto per_launch = [&](bool waits) {
    times spent = timed([&] {
      for (std::size_t i = 0; i < launches; ++i) {
        submit_usm(queue, x.data(), y.data(), items);
        if (waits) queue.wait();
      }
      queue.wait();
    });
    spent.wall /= launches;
    spent.processor /= launches;
    return spent;
  };
  const auto openmp = [&] {
    times spent = timed([&] {
      for (std::size_t i = 0; i < launches; ++i) openmp_axpy(x.data(), y.data(), items);
    });
    spent.wall /= launches;
    spent.processor /= launches;
    return spent;
  };
  out.add({"commands", "pipelined", label(device), "a launch of one group, of 1,000 waited for together", "a parallel loop of OpenMP",
           alternate(how.rounds, [&] { return per_launch(false); }, openmp), {goal::kind::ours, 1e-6}});
  out.add({"commands", "waited for", label(device), "a launch of one group, waited for", "a parallel loop of OpenMP",
           alternate(how.rounds, [&] { return per_launch(true); }, openmp), {goal::kind::ours, 5e-6}});
}

/// A hundredth of the 100 us that a command has at 10,000 a second.
void measure_trace(report& out, const options& how, const sycl::device& device) {
  constexpr int commands = 20'000;
  const char* backends[] = {"opencl", "host", "vulkan"};
  const std::string name = device.get_info<sycl::info::device::name>(), backend = backends[int(device.get_backend())];
  const std::string selector = "PRISM_DEVICE_SELECTOR=" + (backend == "host" ? backend : backend + ":name=" + name);
  const std::string trace = (std::filesystem::temp_directory_path() / "prism-bench-trace.json").string();
  const auto run = [&](const std::string& setting) {
    times spent = run_child({how.programs + "/prism-bench-commands", std::to_string(commands)}, {selector, setting});
    spent.wall = spent.processor /= commands; // the wall clock has the other side of the machine in it
    return spent;
  };
  out.add({"commands", "trace", label(device), "a kernel with PRISM_TRACE, all threads", "without",
           alternate(how.rounds, [&] { return run("PRISM_TRACE=" + trace); }, [&] { return run("PRISM_TRACE="); }), {goal::kind::excess, 1e-6}});
  std::error_code ignored;
  std::filesystem::remove(trace, ignored);
}

} // namespace

void measure_commands(report& out, const options& how, const sycl::device& device) try {
  measure_flatness(out, how, device);
  measure_threads(out, how, device);
  if (device.get_backend() == sycl::backend::ext_prism_host) measure_host_launch(out, how, device);
  if (how.quick) out.skip("commands trace", label(device), "left out by --quick");
  else measure_trace(out, how, device);
} catch (const std::exception& error) {
  out.skip("commands", label(device), error.what(), true);
}

} // namespace bench
