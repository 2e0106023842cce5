// The section that compares predictions with measurements.
#include "bench/measure.hpp"
#include "bench/selection/kernels.hpp"
#include "bench/selection/sections.hpp"

#include "kernels/trials/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bench {

namespace {

/// The shortest of several runs: other programs can only make a run slower.
double seconds_of(sycl::queue& queue, const predicted_kernel& k, std::size_t items, int repetitions) {
  std::vector<double> all;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    k.submit(queue, items);
    queue.wait_and_throw();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return *std::min_element(all.begin(), all.end());
}

struct figures {
  std::vector<double> before, after; // relative errors: roofline only, and with observed runs
  std::size_t covered = 0, predictions = 0;
  std::string rows;
};

/// Learns at every other size and predicts the sizes between; interleaves both in time.
figures of_device(const sycl::device& device, const std::vector<predicted_kernel>& kernels, int repetitions) {
  constexpr std::size_t learnt[] = {1 << 13, 1 << 15, 1 << 17, 1 << 19},
                        asked[] = {1 << 14, 1 << 16, 1 << 18};
  sycl::queue queue(device);
  const prism::device_description d = prism::trials::measure_rates(device);
  prism::performance_model model;
  figures out;
  for (const predicted_kernel& k : kernels) {
    const prism::workload one = k.counted(1);
    model.register_pattern(k.name, {one.flops, one.bytes, 0, one.data_type, one.access, one.divergence});
    seconds_of(queue, k, 1 << 13, 2); // builds it
    for (int round = 0; round < 3; ++round)
      for (const std::size_t items : learnt)
        model.observe(k.name, d, double(items), prism::seconds(seconds_of(queue, k, items, repetitions)));
    std::vector<double> errors;
    std::size_t inside = 0;
    for (const std::size_t items : asked) {
      const double measured = seconds_of(queue, k, items, repetitions);
      const prism::prediction p = model.predict(k.name, d, double(items));
      out.before.push_back(
          std::abs(prism::predict(d, model.workload_of(k.name, double(items))).total.count() - measured) /
          measured);
      out.after.push_back(std::abs(p.total.count() - measured) / measured);
      errors.push_back(out.after.back());
      const bool in = p.lower.count() <= measured && measured <= p.upper.count();
      inside += in, out.covered += in, ++out.predictions;
    }
    out.rows += fmt::format(" {:.0f} % ({}/3) |", 100 * spread_of(errors).median, inside);
  }
  return out;
}

} // namespace

std::string prediction_section(const selection_options& how) {
  const auto kernels = twelve_kernels(1 << 19);
  std::string out =
      "## Predicted against measured\n\n"
      "Twelve kernels, counted by the compiler. The rates of each device are measured, then runs of 2^13, "
      "2^15, 2^17 and 2^19 items\n"
      "observed, then 2^14, 2^16 and 2^18 items predicted and measured, each time the least of 15 runs. In "
      "the table: median relative error, and of how many of the three the\n"
      "interval held the measured time. Goals: median error at most 25 %, intervals hold at least 90 %.\n\n"
      "| device |";
  for (const predicted_kernel& k : kernels) out += " " + k.name + " |";
  out += "\n|---|";
  for (std::size_t i = 0; i < kernels.size(); ++i) out += "---|";
  std::string summary =
      "\n\n| device | median error | interval holds | median error of the roofline alone |\n"
      "|---|---|---|---|\n";
  figures all;
  std::string refused;
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (prism::describe(device).backend == "record") continue;
    const std::string name =
        prism::describe(device).executes_on + " " + device.get_info<sycl::info::device::name>().substr(0, 24);
    figures f;
    try {
      f = of_device(device, kernels, how.quick ? 5 : 15);
    } catch (const sycl::exception& e) { // a driver that lacks what the kernels need
      refused += fmt::format("\n{} cannot run them: {}.\n", name, reason_of(e));
      continue;
    }
    out += "\n| " + name + " |" + f.rows;
    const auto line = [](const std::string& what, const figures& g) {
      return fmt::format("| {} | {:.0f} % | {:.0f} % of {} | {:.0f} % |\n", what,
                         100 * spread_of(g.after).median, 100.0 * double(g.covered) / double(g.predictions),
                         g.predictions, 100 * spread_of(g.before).median);
    };
    summary += line(name, f);
    all.before.insert(all.before.end(), f.before.begin(), f.before.end());
    all.after.insert(all.after.end(), f.after.begin(), f.after.end());
    all.covered += f.covered, all.predictions += f.predictions;
  }
  summary +=
      fmt::format("| all | {:.0f} % | {:.0f} % of {} | {:.0f} % |\n", 100 * spread_of(all.after).median,
                  100.0 * double(all.covered) / double(all.predictions), all.predictions,
                  100 * spread_of(all.before).median);
  return out + summary + refused;
}

} // namespace bench
