// Sections: tuned against default, Fibonacci against powers of two, the pipeline against its slowest stage.
#include "bench/measure.hpp"
#include "bench/selection/sections.hpp"

#include "kernels/trials/trial.hpp"
#include "samples/genomics/genomics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

namespace bench {

namespace {

namespace pt = prism::trials;
using pt::block_family;

double once(pt::trial_job& job, const prism::configuration& how) {
  const auto begin = std::chrono::steady_clock::now();
  job.submit(how);
  job.queue().wait_and_throw();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Five independent runs: the shortest time of `second` over the shortest of `first`. Calls are in random
/// order: on a busy machine a scheduler may fall in step with alternating calls, and always slow down the
/// same one.
std::vector<double> five_ratios(pt::trial_job& job, const prism::configuration& first,
                                const prism::configuration& second, int pairs) {
  std::vector<double> out;
  std::mt19937 random(7);
  for (int run = 0; run < 5; ++run) {
    once(job, first), once(job, second);
    double least[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (int i = 0; i < 2 * pairs; ++i) {
      const bool is_second = (random() & 1u) != 0;
      least[is_second] = std::min(least[is_second], once(job, is_second ? second : first));
    }
    out.push_back(least[1] / least[0]);
  }
  return out;
}

std::string listed(const std::vector<double>& ratios) {
  std::string out;
  for (const double r : ratios) out += fmt::format("{}{:.2f}", out.empty() ? "" : ", ", r);
  return out;
}

prism::configuration best_of(pt::trial_job& job, block_family family, bool quick) {
  prism::tuning_options how;
  how.max_trials = quick ? 15 : 40;
  how.max_time = prism::seconds(quick ? 15 : 40);
  how.patience = 0;
  const auto found = prism::tune(*job.space(family), job.initial(family),
                                 [&](const prism::configuration& c) { return job.run(c); }, how);
  return found.best ? found.best->tried : job.initial(family);
}

} // namespace

std::string tuning_section(const selection_options& how) {
  std::string tuned =
      "## Tuned against default\n\n`prism-tune`'s model-guided search, 40 trials or 40 seconds; then five "
      "runs with the shortest times of 15\n"
      "calls each, in random order. The figures are the speed-up over the default.\n\n"
      "| device | operation | parameters found | times the default's speed, five runs |\n|---|---|---|---|\n";
  std::string blocks =
      "\n## Fibonacci blocks\n\nThe same search with Fibonacci numbers instead of powers of two; then five "
      "runs. The figures are the speed-up of the best Fibonacci\n"
      "blocks over the best powers of two. They win if all five are above 1.02.\n\n"
      "| device | operation | powers of two | Fibonacci | five runs | Fibonacci |\n"
      "|---|---|---|---|---|---|\n";
  for (const sycl::device& device : sycl::device::get_devices()) {
    if (prism::describe(device).backend == "record") continue;
    const std::string name =
        prism::describe(device).executes_on + " " + device.get_info<sycl::info::device::name>().substr(0, 24);
    for (const std::size_t size :
         how.quick ? std::vector<std::size_t>{128} : std::vector<std::size_t>{128, 384}) {
      const char* const operation = "gemm";
      const auto job = pt::make_trial_job(operation, sycl::queue(device), size);
      const prism::configuration initial = job->initial(),
                                 best = best_of(*job, block_family::powers_of_two, how.quick);
      const int pairs = how.quick ? 5 : 15;
      tuned += fmt::format("| {} | {} {} | {} | {} |\n", name, operation, size, best.to_text(),
                           best == initial ? "the default is the best"
                                           : listed(five_ratios(*job, best, initial, pairs)));
      const prism::configuration fibonacci = best_of(*job, block_family::fibonacci, how.quick);
      const std::vector<double> ratios = five_ratios(*job, fibonacci, best, pairs);
      const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
      blocks += fmt::format("| {} | {} {} | {} | {} | {} | {} |\n", name, operation, size, best.to_text(),
                            fibonacci.to_text(), listed(ratios),
                            *least > 1.02  ? "wins"
                            : *most < 0.98 ? "loses"
                                           : "no difference that repeats");
    }
  }
  return tuned + blocks;
}

std::string pipeline_section(const selection_options& how) {
  std::string out =
      "## A pipeline\n\n`09_genomics`: FASTQ, parse, align, trace, count. Its throughput over that of its "
      "slowest stage alone, the alignment of reads\n"
      "that are parsed already (goal: at least 0.9); neighbouring runs.\n\n";
  if (how.genome.empty()) return out + "Not measured: no reads were given (`--reads`).\n";
  const genomics::genome reference = genomics::read_genome(how.genome);
  out += "| device of the alignment | reads | slowest stage alone | pipeline | throughput |\n"
         "|---|---|---|---|---|\n";
  for (const sycl::device& device : sycl::device::get_devices()) {
    const prism::device_description d = prism::describe(device);
    if (d.backend == "record") continue;
    genomics::settings s;
    s.align.prefer = {d.executes_on};
    s.batch = 16;
    std::vector<double> alone, whole, ratios;
    std::size_t reads = 0;
    for (int run = 0; run < (how.quick ? 2 : 4); ++run) {
      const double a = genomics::align_alone(how.reads, reference, s).count();
      const genomics::outcome found = genomics::run(how.reads, reference, s);
      if (run == 0) continue; // builds kernels
      reads = found.reads;
      alone.push_back(a), whole.push_back(found.alignment.wall.count()),
          ratios.push_back(a / found.alignment.wall.count());
    }
    out += fmt::format("| {} {} | {} | {:.2f} s | {:.2f} s | {:.2f} |\n", d.executes_on, d.name.substr(0, 24),
                       reads, spread_of(alone).median, spread_of(whole).median, spread_of(ratios).median);
  }
  return out;
}

} // namespace bench
