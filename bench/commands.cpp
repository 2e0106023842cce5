// The cost of a command among many: after others and with others in flight, from many threads, on the host
// device, and waited for.
#include "bench/raw_opencl.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/rows.hpp"
#include "bench/usm_submitter.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace bench {

namespace {

constexpr std::size_t small = 100;

/// Submits as many commands in bursts of a hundred, each burst finished before the next.
template <typename Cost>
times in_small_bursts(std::size_t count, const Cost& cost) {
  times all;
  for (std::size_t done = 0; done < count; done += small) {
    const times one = cost(small);
    all.wall += one.wall * double(small) / double(count);
    all.processor += one.processor * double(small) / double(count);
  }
  return all;
}

/// The submission of one command.
times submitted(submitter& side, std::size_t count) { return each(side, count, double(count)); }

/// Finishes work that earlier commands left behind: malloc sorts freed blocks at its next call.
void finish_deferred_work(submitter& side) {
  side.submit(small);
  side.finish();
}

/// The whole cost of a command for the thread that submits it and waits. A long burst retires completed
/// commands while it submits, a short one at its end; this covers both.
times with_its_end(submitter& side, std::size_t count) {
  const times spent = thread_timed([&] {
    side.submit(count);
    side.finish();
    if (count > small) finish_deferred_work(side);
  });
  return {spent.wall / double(count), spent.processor / double(count)};
}

/// The submission of a command after `count` others in flight; a host task holds them back until the
/// measurement ends.
times submitted_behind(queue_submitter& side, std::size_t count) {
  constexpr std::size_t measured = 1000;
  std::promise<void> end;
  side.queue().submit(
      [&](sycl::handler& h) { h.host_task([ended = end.get_future().share()] { ended.wait(); }); });
  side.submit(count);
  const times spent = thread_timed([&] { side.submit(measured); });
  end.set_value();
  side.finish();
  return {spent.wall / double(measured), spent.processor / double(measured)};
}

/// Measures only when work left by an earlier burst is done (malloc sorts a million freed blocks at its next
/// call, in any thread).
times submitted_behind_many(queue_submitter& side, std::size_t count) {
  constexpr int most = 20;
  double before = submitted_behind(side, small).wall;
  for (int i = 0; i < most; ++i) {
    const double now = submitted_behind(side, small).wall;
    if (now > 0.8 * before) break;
    before = now;
  }
  return submitted_behind(side, count);
}

/// The same bursts in direct driver calls, which shows what the driver itself costs with many in flight.
void measure_raw_bursts(report& out, const options& how, const sycl::device& device, submitter& side) {
  if (device.get_backend() != sycl::backend::opencl) return;
  const std::unique_ptr<submitter> raw =
      make_opencl_submitter(driver_name(device), how.shaders, usm_submitter::items);
  if (!raw) return out.skip("commands", label(device), "the raw API finds no device of this name");
  const std::size_t count = how.quick ? 10'000 : 1'000'000;
  const std::string burst = " of a burst of " + std::to_string(count);
  out.add({"commands",
           std::to_string(count) + ", raw",
           label(device),
           "a command" + burst,
           "clEnqueueNDRangeKernel" + burst,
           alternate(std::min(how.rounds, 3), [&] { return submitted(side, count); },
                     [&] { return submitted(*raw, count); }),
           {goal::kind::excess, 1e-6}});
}

/// Processor time of a launch when eight threads launch, each on its own queue.
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
  if (device.get_backend() == sycl::backend::ext_prism_host) return; // there are no raw calls to compare with
  const bool opencl = device.get_backend() == sycl::backend::opencl;
  const std::string name = driver_name(device);
  std::vector<std::unique_ptr<submitter>> ours, theirs;
  for (std::size_t t = 0; t < threads; ++t) {
    ours.push_back(std::make_unique<usm_submitter>(device));
    theirs.push_back(opencl ? make_opencl_submitter(name, how.shaders, usm_submitter::items)
                            : make_vulkan_submitter(name, how.shaders, usm_submitter::items));
    if (!theirs.back())
      return out.skip("commands", label(device), "the raw API finds no device of this name");
  }
  out.add({"commands",
           "8 threads",
           label(device),
           "a launch where 8 threads launch on 8 queues",
           opencl ? "clEnqueueNDRangeKernel likewise"
                  : "vkQueueSubmit likewise, each thread on a device of its own",
           alternate(how.rounds, [&] { return on_threads(ours); }, [&] { return on_threads(theirs); }),
           {goal::kind::excess, opencl ? 1e-6 : 3e-6}});
}

/// Launches of one work-group, from the call to the end of the last one: as a range, and as a group with
/// barriers.
void measure_host_launch(report& out, const options& how, const sycl::device& device) {
  constexpr std::size_t launches = 1000, items = usm_submitter::items;
  sycl::queue queue(device, sycl::property::queue::in_order{});
  std::vector<float> x(items), y(items);
  // Measures with awake threads. Threads of the other side may still spin, and those of this side sleep, so
  // the first run is not timed.
  const auto per_launch = [](const std::function<void()>& all) {
    all();
    times spent = timed(all);
    spent.wall /= launches;
    spent.processor /= launches;
    return spent;
  };
  const auto openmp = [&] {
    return per_launch([&] {
      for (std::size_t i = 0; i < launches; ++i) openmp_axpy(x.data(), y.data(), items);
    });
  };
  const auto ours = [&](bool has_barriers, bool waits) {
    return per_launch([&] {
      for (std::size_t i = 0; i < launches; ++i) {
        if (has_barriers) submit_barriers(queue, x.data(), items);
        else submit_usm(queue, x.data(), y.data(), items);
        if (waits) queue.wait();
      }
      queue.wait();
    });
  };
  for (const bool has_barriers : {false, true}) {
    const std::string what =
        has_barriers ? "a launch of one group with two barriers" : "a launch of one group";
    out.add({"commands",
             has_barriers ? "barriers, piped" : "pipelined",
             label(device),
             what + ", of 1,000 waited for together",
             "a parallel loop of OpenMP",
             alternate(how.rounds, [&] { return ours(has_barriers, false); }, openmp),
             {goal::kind::ours, 1e-6}});
    out.add({"commands",
             has_barriers ? "barriers, waited" : "waited for",
             label(device),
             what + ", waited for",
             "a parallel loop of OpenMP",
             alternate(how.rounds, [&] { return ours(has_barriers, true); }, openmp),
             {goal::kind::ours, 5e-6}});
  }
}

/// The time from submission to the kernel's first instruction, and to the first iteration of a parallel loop.
void measure_host_start(report& out, const options& how, const sycl::device& device) {
  constexpr std::size_t launches = 1000, items = usm_submitter::items;
  sycl::queue queue(device, {sycl::property::queue::in_order{}, sycl::property::queue::enable_profiling{}});
  std::vector<float> x(items), y(items);
  const auto mean_of = [](const auto& one) {
    times spent;
    for (std::size_t i = 0; i < launches; ++i) spent.wall += one() / launches;
    spent.processor = spent.wall; // a point in time has no separate processor time
    return spent;
  };
  const auto ours = [&] {
    const sycl::event launched = submit_usm(queue, x.data(), y.data(), items);
    namespace moments = sycl::info::event_profiling;
    return 1e-9 * double(launched.get_profiling_info<moments::command_start>() -
                         launched.get_profiling_info<moments::command_submit>());
  };
  out.add({"commands",
           "starts",
           label(device),
           "from the submission of one group to its start",
           "from a parallel loop of OpenMP to its first round",
           alternate(how.rounds, [&] { return mean_of(ours); }, [&] { return mean_of(openmp_start); }),
           {goal::kind::ours, 3e-6}});
}

/// Processor time of a thread that waits while another thread sleeps.
void measure_wait(report& out, const options& how, const sycl::device& device) {
  constexpr std::chrono::milliseconds time(20);
  sycl::queue queue(device, sycl::property::queue::in_order{});
  float* const memory = sycl::malloc_device<float>(2 * usm_submitter::items, queue);
  if (memory == nullptr) throw std::bad_alloc();
  const auto ours = [&] {
    queue.submit([&](sycl::handler& h) { h.host_task([&] { std::this_thread::sleep_for(time); }); });
    sycl::event kernel = submit_usm(queue, memory, memory + usm_submitter::items, usm_submitter::items);
    return thread_timed([&] { kernel.wait(); });
  };
  const auto theirs = [&] {
    const std::future<void> sleeping =
        std::async(std::launch::async, [&] { std::this_thread::sleep_for(time); });
    return thread_timed([&] { sleeping.wait(); });
  };
  out.add({"commands",
           "wait",
           label(device),
           "20 ms of waiting for a kernel behind a host task, this thread's processor time",
           "std::future likewise",
           alternate(how.rounds, ours, theirs),
           {goal::kind::excess, 100e-6}});
  sycl::free(memory, queue);
}

} // namespace

/// `fresh`: its queue never has many commands in flight.
void measure_flatness(report& out, const options& how, const std::string& label, queue_submitter& side,
                      queue_submitter& fresh) {
  const auto small_bursts = [](queue_submitter& on, std::size_t count) {
    return in_small_bursts(count, [&](std::size_t n) { return with_its_end(on, n); });
  };
  for (const std::size_t count :
       {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    const std::string number = std::to_string(count);
    if (how.quick && count > 10'000) {
      out.skip("commands " + number, label, "left out by --quick");
      continue;
    }
    const int rounds = count > 100'000 ? std::min(how.rounds, 3) : how.rounds;
    out.add({"commands",
             number,
             label,
             "a command, with its end, of a burst of " + number,
             "a command, with its end, of bursts of 100",
             alternate(rounds, [&] { return with_its_end(side, count); },
                       [&] { return small_bursts(fresh, std::min<std::size_t>(count, 10'000)); }),
             {goal::kind::ratio, 1.25}});
    out.add({"commands",
             number + " in flight",
             label,
             "the submission of a command behind " + number + " in flight",
             "of one behind 100 in flight",
             alternate(rounds, [&] { return submitted_behind_many(side, count); },
                       [&] { return submitted_behind_many(fresh, small); }),
             {goal::kind::ratio, 1.25}});
  }
  // Few enough that the queue still returns memory that the last burst needed.
  out.add({"commands",
           "after such bursts",
           label,
           "a command, with its end, of bursts of 100 after the longest of these bursts",
           "of a queue that had none",
           alternate(how.rounds, [&] { return small_bursts(side, 1000); },
                     [&] { return small_bursts(fresh, 1000); }),
           {goal::kind::ratio, 1.25}});
}

void measure_after_many(report& out, const options& how, const std::string& label, submitter& used,
                        submitter& fresh) {
  const std::size_t many = how.quick ? 100'000 : 1'000'000;
  const auto bursts = [](submitter& side, std::size_t count) {
    return in_small_bursts(count, [&](std::size_t n) { return submitted(side, n); });
  };
  bursts(used, many);
  out.add({"commands",
           "after " + std::to_string(many),
           label,
           "a command of a queue that has done " + std::to_string(many),
           "a command of a new queue",
           alternate(how.rounds, [&] { return bursts(used, 10'000); }, [&] { return bursts(fresh, 10'000); }),
           {goal::kind::ratio, 1.25}});
}

void measure_commands(report& out, const options& how, const sycl::device& device) try {
  usm_submitter used(device), fresh(device);
  measure_after_many(out, how, label(device), used, fresh);
  measure_flatness(out, how, label(device), used, fresh);
  measure_raw_bursts(out, how, device, used);
  measure_threads(out, how, device);
  measure_wait(out, how, device);
  if (device.get_backend() == sycl::backend::ext_prism_host) {
    measure_host_launch(out, how, device);
    measure_host_start(out, how, device);
  }
} catch (const std::exception& error) {
  out.skip("commands", label(device), error.what(), true);
}

} // namespace bench
