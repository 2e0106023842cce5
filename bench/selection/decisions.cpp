// Decisions and divisions.
#include "bench/measure.hpp"
#include "bench/selection/kernels.hpp"
#include "bench/selection/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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

/// A kernel of one backend after one of another, on 4 KiB that both change, beyond the same kernels of one
/// backend alone.
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
    } catch (const sycl::exception& e) { // a driver without what the kernel needs
      out += fmt::format("| {} | | | cannot run it: {} |\n",
                         prism::describe(queues[other].get_device()).executes_on, reason_of(e));
      continue;
    }
    for (int i = 0; i < 320; ++i) { // the first ones build
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
      "## Decisions\n\nA warm decision among 16 devices, over 100 policies: median {:.2f} us, quartiles {:.2f} and {:.2f} us (goal: below 2 us{}).\n\n"
      "The cost of a change of the backend: kernels alternate between the host and the other device, each with a wait, on the same 4 KiB;\n"
      "the time beyond that of kernels on one device; medians of 300 (goal: below 1 ms).\n\n| other device | kernel on the host | kernel there | a change |\n|---|---|---|---|\n{}",
      s.median * 1e6, s.low * 1e6, s.high * 1e6, sum != 0 ? "" : "; nothing was chosen", switching_lines());
}

std::string division_section(const selection_options& how) {
  std::string out =
      "## One range over several devices\n\n`prism::co_execute` over host, POCL and lavapipe, which share the same cores. Overhead: the time of the division beyond\n"
      "the best possible one at the speeds that the devices had together (goal: at most 3 %). Balance: mean busy time over the longest (goal:\n"
      "at least 0.9). Idle: the part of the wall in which not even the busiest device computed. Medians of runs in turn.\n\n"
      "| devices | division | overhead | balance | idle | result |\n|---|---|---|---|---|---|\n";
  std::vector<sycl::queue> queues;
  std::string names;
  for (const sycl::device& d : sycl::device::get_devices()) {
    const std::string where = prism::describe(d).executes_on, name = d.get_info<sycl::info::device::name>();
    const bool wanted = where.rfind("host", 0) == 0 ||
                        (where.rfind("opencl", 0) == 0 && name.find("llvmpipe") == name.npos) ||
                        (where.rfind("vulkan", 0) == 0 && name.find("llvmpipe") != name.npos);
    if (!wanted) continue;
    queues.emplace_back(d);
    names += (names.empty() ? "" : " + ") + where;
  }
  const std::size_t n = how.quick ? 1 << 18 : 1 << 21;
  std::vector<float> alone(n), together(n);
  {
    sycl::buffer<float> whole(alone.data(), sycl::range<1>(n));
    queues.front().submit([&](sycl::handler& h) { heavy_part(h, whole, 0, n); });
  }
  const auto run = [&](const prism::strategy& s, bool& equal) {
    prism::co_report report;
    {
      sycl::buffer<float> parts(together.data(), sycl::range<1>(n));
      const bool by_workload = s.distribution == prism::distribution::predicted || s.model != nullptr;
      report = prism::co_execute(queues, n, s, [&](sycl::handler& h, std::size_t first, std::size_t count) {
        heavy_part(h, parts, first, count);
      }, by_workload ? heavy_work(n) : prism::workload());
    }
    for (std::size_t i = 0; i < n; ++i)
      equal = equal && std::abs(together[i] - alone[i]) <= 1e-5f * std::abs(alone[i]);
    return report;
  };
  using prism::distribution;
  struct division {
    distribution kind;
    const char* text;
    bool learns = false, exact = false;
    std::vector<double> overheads{}, balances{}, own{};
    bool equal = true;
  };
  division kinds[] = {
      {distribution::predicted, "`predicted`, by descriptions alone"},
      {distribution::predicted, "`predicted`, with a model that saw the runs before it", true},
      {distribution::by_ratio, "`by_ratio`, the speeds of the runs before it"},
      {distribution::by_ratio, "`by_ratio`, the same, `reserve` 0: nothing may be corrected", false, true},
      {distribution::dynamic, "`dynamic`"},
      {distribution::guided, "`guided`"},
      {distribution::two_ended, "`two_ended`"}};
  std::vector<double> speeds(queues.size(), 0);
  prism::performance_model model;
  for (int round = -2; round < (how.quick ? 3 : 9);
       ++round) // the first builds kernels, the second shows speeds
    for (division& d : kinds) {
      if (round < 0 && d.kind != distribution::guided) continue;
      prism::strategy how_to;
      how_to.distribution = d.kind;
      how_to.granularity = 1024;
      if (d.kind == distribution::by_ratio) how_to.ratios = speeds;
      if (d.exact) how_to.reserve = 0;
      if (d.learns || round == -1) how_to.model = &model;
      const prism::co_report report = run(how_to, d.equal);
      for (std::size_t i = 0; i < speeds.size() && round >= -1;
           ++i) // half of what they were before: no single run's speeds
        speeds[i] = speeds[i] > 0 && report.parts[i].busy.count() > 0
                        ? (speeds[i] + report.parts[i].rate()) / 2
                        : std::max(speeds[i], report.parts[i].rate());
      if (round < 0) continue;
      double longest = 0;
      for (const prism::co_report::part& p : report.parts) longest = std::max(longest, p.busy.count());
      d.overheads.push_back(1 - report.efficiency());
      d.balances.push_back(report.balance());
      d.own.push_back(1 - longest / report.wall.count());
    }
  for (const division& d : kinds)
    out += fmt::format("| {} | {} | {:.1f} % | {:.2f} | {:.1f} % | {} |\n", names, d.text,
                       100 * spread_of(d.overheads).median, spread_of(d.balances).median,
                       100 * spread_of(d.own).median, d.equal ? "equal" : "DIFFERS");
  std::vector<prism::device_description> devices;
  for (const sycl::queue& q : queues)
    devices.push_back(prism::describe(q.get_device())), devices.back().only_when_named = false;
  out += "\n`prism::advise` about this job: " + prism::advise(heavy_work(n), n, devices).reason +
         ". As if each had hardware of its own: ";
  for (prism::device_description& d : devices) d.physical_id.clear();
  return out + prism::advise(heavy_work(n), n, devices, 1024).reason +
         "; after these runs: " + prism::advise(heavy_work(n), n, devices, 1024, &model).reason + ".\n";
}

} // namespace bench
