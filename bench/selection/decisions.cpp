// The section about decisions.
#include "bench/measure.hpp"
#include "bench/selection/kernels.hpp"
#include "bench/selection/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace bench {

namespace {

using clock = std::chrono::steady_clock;
double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

std::vector<prism::device_description> sixteen_devices() {
  std::mt19937 random(16);
  std::vector<prism::device_description> out;
  for (int i = 0; i < 16; ++i) {
    prism::device_description d;
    d.name = "device " + std::to_string(i);
    d.device_type = i % 2 != 0 ? "gpu" : "cpu";
    d.features = {{"fp64", {}, {}}, {"subgroups", {1 + i % 2}, {}}};
    d.memory_hierarchy = {{"L2", 1u << 24, double(500 + random() % 5000)},
                          {"global", 1ull << 34, double(50 + random() % 1500)}};
    d.peak_gflops = {{"fp32", double(500 + random() % 30000)}, {"fp64", double(100 + random() % 5000)}};
    d.launch_latency_us = double(random() % 50);
    d.transfer_gbps = double(random() % 60);
    d.price_per_hour = double(random() % 12);
    d.watts = double(10 + random() % 600);
    out.push_back(std::move(d));
  }
  return out;
}

std::vector<prism::execution_policy> hundred_policies() {
  std::vector<prism::execution_policy> out(100);
  for (std::size_t i = 0; i < out.size(); ++i) {
    prism::execution_policy& p = out[i];
    p.priority = prism::priority(i % 5);
    if (i % 3 == 0) p.max_latency = std::chrono::duration<double>(0.01 * double(1 + i));
    if (i % 4 == 0) p.max_cost_per_hour = double(1 + i % 10);
    if (i % 5 == 0) p.max_power = double(50 + 10 * i);
    if (i % 2 == 0) p.require = {"fp64"};
    if (i % 7 == 0) p.prefer = {"gpu"};
  }
  return out;
}

/// The extra time of a kernel of one backend after one of another, on 4 KiB that both change, compared with
/// kernels of one backend only.
std::string switching_lines() {
  std::string out;
  std::vector<sycl::queue> queues;
  for (const sycl::device& d : sycl::device::get_devices()) queues.emplace_back(d);
  for (std::size_t other = 1; other < queues.size(); ++other) {
    std::vector<float> data(1024);
    sycl::buffer<float> shared(data.data(), sycl::range<1>(data.size()));
    const auto step = [&](sycl::queue& q) {
      const auto begin = clock::now();
      q.submit([&](sycl::handler& h) { small_part(h, shared); }).wait_and_throw();
      return since(begin);
    };
    std::vector<double> first, second, turns;
    try {
      step(queues[other]);
    } catch (const sycl::exception& e) { // a driver that lacks what the kernel needs
      out += fmt::format("| {} | | | cannot run it: {} |\n",
                         prism::describe(queues[other].get_device()).executes_on, reason_of(e));
      continue;
    }
    for (int i = 0; i < 320; ++i) { // the first ones build kernels
      const double a = (step(queues[0]), step(queues[0])), b = (step(queues[other]), step(queues[other]));
      const double there = step(queues[0]), back = step(queues[other]);
      if (i >= 20) first.push_back(a), second.push_back(b), turns.push_back(there + back);
    }
    const double cost = (spread_of(turns).median - spread_of(first).median - spread_of(second).median) / 2;
    out += fmt::format("| {} | {:.0f} us | {:.0f} us | {:.0f} us |\n",
                       prism::describe(queues[other].get_device()).executes_on, spread_of(first).median * 1e6,
                       spread_of(second).median * 1e6, cost * 1e6);
  }
  return out;
}

} // namespace

std::string decision_section() {
  std::vector<prism::chooser> choosers;
  for (const prism::execution_policy& p : hundred_policies()) choosers.emplace_back(p, sixteen_devices());
  prism::workload work;
  work.flops = 4.5e9, work.bytes = 1e9, work.bytes_to_move = 1e8;
  std::vector<double> each;
  std::size_t sum = 0;
  for (int round = 0; round < 200; ++round) {
    const auto begin = clock::now();
    for (const prism::chooser& c : choosers) sum += c.choose(work);
    each.push_back(since(begin) / 100);
  }
  const spread s = spread_of(each);
  return fmt::format(
      "## Decisions\n\nA warm decision among 16 devices, over 100 policies: median {:.2f} us, quartiles "
      "{:.2f} and {:.2f} us (goal: below 2 us{}).\n\n"
      "The cost of a change of backend: a kernel on the host and one on the other device alternate on the "
      "same 4 KiB, each waited for. The table shows\n"
      "their time beyond that of the same kernels on one device only; medians of 300 (goal: below 1 ms).\n"
      "\n| other device | kernel on the host | kernel there | a change |\n|---|---|---|---|\n{}",
      s.median * 1e6, s.low * 1e6, s.high * 1e6, sum != 0 ? "" : "; nothing was chosen", switching_lines());
}

} // namespace bench
